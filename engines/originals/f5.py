"""F5-TTS as the package f5-tts runs it."""

import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import soundfile
import torch
from torch import nn

from engines.base import Checkpoint
from engines.f5.files import F5Files, locate, read_design
from engines.f5.frontend import Vocabulary
from engines.f5.layouts import transformer
from engines.f5.mel import SAMPLE_RATE
from engines.originals.package import stop_if
from engines.runtime import weights
from engines.runtime.background import ended
from engines.types import Reference, Samples

MEL = {
    "n_fft": 1024, "hop_length": 256, "win_length": 1024, "n_mel_channels": 100,
    "target_sample_rate": SAMPLE_RATE, "mel_spec_type": "vocos",
}  # fmt: skip


class F5Original:
    """A checkpoint in the package's network, with the package's text processing, sampler and vocoder."""

    sample_rate = SAMPLE_RATE

    def __init__(self, files: F5Files, device: torch.device, is_dropped: Callable[[], bool]) -> None:
        from f5_tts.model import CFM, DiT
        from f5_tts.model.utils import get_tokenizer
        from vocos import Vocos

        self.name, self._device = files.name, device
        arch, chosen = read_design(files.architecture)
        self.defaults: Mapping[str, float] = {
            "speed": 1.0,
            "steps": chosen.get("steps", 32),
            "guidance": chosen.get("guidance", 2.0),
        }
        self._sway = chosen.get("sway", -1.0)
        self.characters = Vocabulary.read(files.vocabulary).characters
        symbols, size = get_tokenizer(str(files.vocabulary), "custom")
        network = DiT(**arch, text_num_embeds=size, mel_dim=MEL["n_mel_channels"])
        weights.fill(network, transformer(weights.read(files.weights)), files.weights.name)
        model = CFM(transformer=network, mel_spec_kwargs=MEL, odeint_kwargs={"method": "euler"}, vocab_char_map=symbols)
        dtype = torch.float16 if device.type == "cuda" else torch.float32  # as the package chooses
        self.network: nn.Module = network
        self.model = model.to(device, dtype).eval()
        vocoder = Vocos.from_hparams(str(files.vocoder_config))
        held = weights.read(files.vocoder_weights)
        vocoder.load_state_dict(held, strict=False)  # some files lack the mel filters, which the configuration defines
        self.vocoder = vocoder.to(device).eval()
        stop_if(network, is_dropped)

    def speak(self, text: str, reference: Reference, seed: int, settings: Mapping[str, float]) -> Samples:
        """Generate as `f5_tts.infer` does."""
        from f5_tts.infer import utils_infer
        from f5_tts.infer.utils_infer import chunk_text, infer_batch_process, preprocess_ref_audio_text

        utils_infer.print = _silent  # the package prints every text
        torch.manual_seed(seed)
        with tempfile.TemporaryDirectory() as folder:
            clip = Path(folder) / "reference.wav"
            soundfile.write(clip, reference.audio.samples, reference.audio.sample_rate)
            trimmed, transcript = preprocess_ref_audio_text(str(clip), reference.transcript, show_info=_silent)
        try:
            samples, rate = soundfile.read(trimmed, dtype="float32", always_2d=True)
        finally:
            Path(trimmed).unlink(missing_ok=True)  # the package would keep it
        utils_infer._ref_audio_cache.clear()
        length_s = len(samples) / rate
        most = int(len(transcript.encode()) / length_s * (22 - length_s) * settings["speed"])  # as `infer_process`
        made: tuple[Any, int, Any] = next(
            infer_batch_process(
                (torch.from_numpy(samples.T), rate),
                transcript,
                chunk_text(text, max_chars=most),
                self.model,
                self.vocoder,
                progress=None,
                nfe_step=int(settings["steps"]),
                cfg_strength=settings["guidance"],
                sway_sampling_coef=self._sway,
                speed=settings["speed"],
                device=self._device,
            )
        )
        if made[0] is None:
            raise ValueError("no speech was generated")
        return torch.as_tensor(made[0], dtype=torch.float32).numpy()


def load(checkpoint: Checkpoint, device: torch.device, is_dropped: Callable[[], bool]) -> F5Original:
    """Load a checkpoint. Raises BadCheckpoint."""
    return F5Original(ended(locate(checkpoint)), device, is_dropped)


def _silent(*_: object) -> None:
    """Print nothing."""
