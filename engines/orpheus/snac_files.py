"""Find and read a SNAC codec in the format of the `snac` package."""

from collections.abc import Generator, Mapping
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from engines.errors import BadCheckpoint
from engines.orpheus.snac import Snac
from engines.orpheus.snac_config import SnacConfig
from engines.runtime import weights
from engines.runtime.download import fetch
from engines.types import Progress

CONFIG, WEIGHTS = "config.json", ("model.safetensors", "pytorch_model.bin")
NEW = ".parametrizations.weight.original"  # torch's newer names end with 0 for weight_g and with 1 for weight_v


def download_codec(source: str) -> Generator[Progress, None, Path]:
    """Find the weights of hf://owner/repo or of a folder; yield progress and return their path. Raises BadCheckpoint."""
    if source.startswith("hf://"):
        repo = source.removeprefix("hf://").strip("/")
        yield from fetch(repo, CONFIG)
        return (yield from fetch(repo, WEIGHTS[1]))
    folder = Path(source).expanduser()
    for name in WEIGHTS:
        if (folder / name).is_file():
            return folder / name
    raise BadCheckpoint(f"{folder}: {' or '.join(WEIGHTS)} is missing; copy the whole folder of the codec")


def read_codec(path: Path) -> Snac:
    """Read the codec with these weights, which are beside its config.json, to the CPU in float32. Raises BadCheckpoint."""
    with weights.unfilled():
        codec = Snac(SnacConfig.read(path.with_name(CONFIG))).requires_grad_(False)
    weights.fill(codec, folded(weights.read(path), path.name), path.name, adopt=True)
    return codec.float().eval()


def folded(held: Mapping[Any, Any], file: str) -> dict[str, Tensor]:
    """Replace each weight norm (Salimans and Kingma 2016) by the weight. Raises BadCheckpoint."""
    if not all(isinstance(name, str) and isinstance(held[name], Tensor) for name in held):
        raise BadCheckpoint(f"{file} has values that are not named tensors; download it again")
    state = {name.replace(f"{NEW}0", ".weight_g").replace(f"{NEW}1", ".weight_v"): held[name] for name in held}
    for stem in [name.removesuffix("_g") for name in state if name.endswith(".weight_g")]:
        length, direction = state.pop(f"{stem}_g"), state.pop(f"{stem}_v", torch.empty(0))
        if direction.dim() != 3 or length.shape != (len(direction), 1, 1):
            raise BadCheckpoint(f"{file} has another architecture: {stem}_v is missing or does not fit {stem}_g")
        state[stem] = torch._weight_norm(direction.float(), length.float(), 0)
    return state
