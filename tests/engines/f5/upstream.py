"""The text processing of f5-tts, read from its files: importing the package takes ten seconds and more."""

import sys
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any
from unittest.mock import MagicMock

import pytest
import torch
from torch import Tensor

# Modules that `utils_infer` imports, and that building tokens does not use.
UNUSED = ("matplotlib", "matplotlib.pylab", "pydub", "torchaudio", "transformers", "vocos", "f5_tts", "f5_tts.model")
SAMPLE_RATE = 24_000
_found = find_spec("f5_tts")
assert _found is not None and _found.submodule_search_locations
PACKAGE = Path(_found.submodule_search_locations[0])
VOCABULARY = PACKAGE / "infer" / "examples" / "vocab.txt"


def read(*place: str) -> ModuleType:
    """Run a file of the package as a separate module."""
    spec = spec_from_file_location(f"upstream_{Path(place[-1]).stem}", PACKAGE.joinpath(*place))
    assert spec is not None and spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def read_front_end() -> ModuleType:
    """Read `f5_tts.model.utils`."""
    return read("model", "utils.py")


def read_inference(front_end: ModuleType) -> Any:
    """Read `f5_tts.infer.utils_infer` with stand-ins for the network, the vocoder and the sound files."""
    with pytest.MonkeyPatch.context() as patch:
        for name in UNUSED:
            patch.setitem(sys.modules, name, MagicMock())
        patch.setitem(sys.modules, "f5_tts.model.utils", front_end)
        patch.setattr(sys, "path", list(sys.path))
        patch.setenv("PYTORCH_ENABLE_MPS_FALLBACK", "1")
        module: Any = read("infer", "utils_infer.py")
    module.print = lambda *_: None
    return module


class Recorder:
    """Takes the place of upstream's network and vocoder, and records the texts that reach the network."""

    def __init__(self) -> None:
        self.texts: list[list[str]] = []

    def sample(self, *, cond: Tensor, text: list[list[str]], duration: int, **_: Any) -> tuple[Tensor, None]:
        self.texts += text
        return torch.zeros(1, duration, 100), None

    def decode(self, mel: Tensor) -> Tensor:
        return torch.zeros(1, mel.shape[-1])


def symbols(inference: Any, transcript: str, text: str, seconds: float) -> list[list[str]]:
    """Return the symbols of each segment that `infer_process` builds for a reference of this length and a text."""
    audio = torch.full((1, round(seconds * SAMPLE_RATE)), 0.5)
    inference.torchaudio = SimpleNamespace(load=lambda _: (audio, SAMPLE_RATE))
    recorder = Recorder()
    inference.infer_process(
        "reference.wav", transcript, text, recorder, recorder, show_info=lambda _: None, progress=None, device="cpu"
    )
    return recorder.texts


def prepared_transcript(inference: Any, transcript: str, folder: Path) -> str:
    """Return the transcript that `preprocess_ref_audio_text` gives to `infer_process` in upstream's programs."""
    clip = folder / "reference.wav"
    clip.write_bytes(b"any sound, because the sound library has a stand-in")
    inference.remove_silence_edges = lambda audio: audio
    prepared: tuple[str, str] = inference.preprocess_ref_audio_text(str(clip), transcript, show_info=lambda _: None)
    return prepared[1]
