"""An F5-TTS voice in memory: network, vocabulary, vocoder and its own defaults."""

from collections.abc import Generator
from dataclasses import dataclass
from typing import Any

import yaml
from torch import Tensor

from engines import weights
from engines.base import Checkpoint
from engines.errors import BadCheckpoint
from engines.f5.files import Files, locate
from engines.f5.frontend import Vocabulary
from engines.f5.network import DiT, DiTConfig
from engines.f5.vocoder import Vocoder
from engines.placing import Placement
from engines.types import Progress

DROPPED = ("mel_spec.", "initted", "step")  # what upstream's files hold besides the transformer


@dataclass(frozen=True, slots=True, eq=False)
class Voice:
    """Everything the engine runs on."""

    name: str
    network: DiT
    vocoder: Vocoder
    vocabulary: Vocabulary
    steps: int
    guidance: float
    sway: float | None


def load(checkpoint: Checkpoint, placement: Placement) -> Generator[Progress, None, Voice]:
    """Yields progress, returns the voice. Raises BadCheckpoint."""
    files = yield from locate(checkpoint)
    yield Progress(0.6, "reading weights")
    vocabulary = Vocabulary.read(files.vocabulary)
    config = yaml.safe_load(files.architecture.read_text())
    network = _network(files, config, vocabulary)
    yield Progress(0.8, "reading the vocoder")
    vocoder = Vocoder.from_config(files.vocoder_config)
    state = {k: v for k, v in weights.read(files.vocoder_weights).items() if not k.startswith("feature_extractor.")}
    weights.fill(vocoder, state, files.vocoder_weights.name)
    yield Progress(0.9, f"moving to {placement.device}")
    network = network.to(placement.device, placement.dtype).eval().requires_grad_(False)
    vocoder = vocoder.to(placement.device).eval().requires_grad_(False)
    chosen: dict[str, Any] = config.get("inference", {})
    return Voice(
        files.name,
        network,
        vocoder,
        vocabulary,
        chosen.get("steps", 32),
        chosen.get("guidance", 2.0),
        chosen.get("sway", -1.0),
    )


def _network(files: Files, config: dict[str, Any], vocabulary: Vocabulary) -> DiT:
    arch = config.get("model", {}).get("arch")
    if not isinstance(arch, dict):
        raise BadCheckpoint(f"{files.architecture.name}: model.arch is missing; it describes the network")
    network = DiT(DiTConfig.from_mapping(arch, vocabulary.size))
    weights.fill(network, transformer(weights.read(files.weights)), files.weights.name)
    return network


def transformer(held: dict[str, Any]) -> dict[str, Tensor]:
    """The transformer's tensors of any of upstream's layouts: averaged (EMA) or plain, pruned or whole."""
    for key in ("ema_model_state_dict", "model_state_dict"):
        if isinstance(held.get(key), dict):
            held = held[key]
            break
    plain = {name.removeprefix("ema_model."): tensor for name, tensor in held.items()}
    kept = {name: tensor for name, tensor in plain.items() if not name.startswith(DROPPED)}
    return {
        name.removeprefix("transformer."): tensor
        for name, tensor in kept.items()
        if isinstance(tensor, Tensor) and not name.endswith("rotary_embed.inv_freq")
    }
