"""S1-Mini as the package fish-speech runs it."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import torch
from loguru import logger

from engines.audio import resample
from engines.base import Checkpoint
from engines.errors import BadCheckpoint
from engines.originals.fish_codec import build, prepare_imports, read_config
from engines.originals.package import stop_if
from engines.runtime import weights
from engines.runtime.background import ended
from engines.s1.files import S1Files, locate
from engines.s1.model import CONSTANTS, S1Defaults
from engines.types import Reference, Samples

FRAMES_MAX = 1024  # of a take, as in the package's server


class S1Original:
    """A checkpoint in the package's network, with the package's prompt, sampling and codec."""

    def __init__(self, files: S1Files, device: torch.device, is_dropped: Callable[[], bool]) -> None:
        prepare_imports()
        logger.disable("fish_speech")
        from fish_speech.models.text2semantic.llama import BaseTransformer

        if files.codec_config is None or files.quantized != "none":
            raise BadCheckpoint(
                f"{files.name}: the original engine needs codec.yaml and weights that are not quantised"
            )
        self.name, self._device = files.name, device
        defaults = S1Defaults.read(files.defaults)
        self.defaults, self.characters = defaults.settings, frozenset(defaults.characters)
        network: Any = BaseTransformer.from_pretrained(str(files.folder), load_weights=False)
        held: dict[str, Any] = weights.read(files.weights)
        state = {name.removeprefix("model."): one for name, one in held.get("state_dict", held).items()}
        weights.fill(network, state, files.weights.name)
        dtype = torch.bfloat16 if device.type == "cuda" else torch.float32
        self.network = network.to(device, dtype).eval()
        with torch.device(device):
            self.network.setup_caches(max_batch_size=1, max_seq_len=network.config.max_seq_len, dtype=dtype)
        codec: Any = build(read_config(files.codec_config))
        weights.fill(codec, _named_as_upstream(weights.read(files.codec)), files.codec.name)
        self.codec = codec.to(device).eval()
        self.sample_rate = int(codec.sample_rate)
        stop_if(self.network.layers[0], is_dropped)

    @torch.inference_mode()
    def speak(self, text: str, reference: Reference, seed: int, settings: Mapping[str, float]) -> Samples:
        """Generate as fish-speech's inference engine does."""
        from fish_speech.models.text2semantic import inference

        inference.tqdm = _plain  # the package shows the progress of every take
        torch.manual_seed(seed)
        clip = torch.from_numpy(resample(reference.audio, self.sample_rate).samples).to(self._device)[None, None]
        lengths = torch.tensor([clip.shape[-1]], device=self._device)
        codes = self.codec.encode(clip, lengths)[0][0]
        parts = inference.generate_long(
            model=self.network,
            device=self._device,
            decode_one_token=inference.decode_one_token_ar,
            text=text,
            max_new_tokens=FRAMES_MAX,
            top_p=settings["top_p"],
            repetition_penalty=settings["repetition_penalty"],
            temperature=settings["temperature"],
            prompt_text=reference.transcript,
            prompt_tokens=codes,
        )
        spoken = [part.codes for part in parts if part.action == "sample"]
        made = torch.cat(spoken, dim=1)
        if not made.shape[1]:
            raise ValueError("no speech was generated")
        count = torch.tensor([made.shape[1]], device=self._device)
        samples: Samples = self.codec.decode(made[None], count)[0].squeeze().float().cpu().numpy()
        return samples


def load(checkpoint: Checkpoint, device: torch.device, is_dropped: Callable[[], bool]) -> S1Original:
    """Load a checkpoint. Raises BadCheckpoint."""
    return S1Original(ended(locate(checkpoint)), device, is_dropped)


def _plain(items: Iterable[int]) -> Iterable[int]:
    """Return the items."""
    return items


def _named_as_upstream(held: dict[str, Any]) -> dict[str, torch.Tensor]:
    """Return the codec's tensors with the package's names, without constants."""
    held = held.get("state_dict", held)
    if any(name.startswith("generator.") for name in held):
        held = {name.removeprefix("generator."): value for name, value in held.items() if name.startswith("generator.")}
    return {name: value for name, value in held.items() if not name.endswith(CONSTANTS)}
