"""Find and read a SNAC codec in the format of the `snac` package."""

from collections.abc import Generator
from pathlib import Path
from typing import Any

from torch import Tensor

from engines.errors import BadCheckpoint
from engines.orpheus.snac import Snac
from engines.orpheus.snac_config import SnacConfig
from engines.runtime import weights
from engines.runtime.download import fetch, repository
from engines.types import Progress

CONFIG, WEIGHTS = "config.json", ("model.safetensors", "pytorch_model.bin")


def download_codec(source: str) -> Generator[Progress, None, Path]:
    """Find the weights of hf://owner/repo or of a folder; yield progress and return their path. Raises BadCheckpoint."""
    if repo := repository(source):
        yield from fetch(repo, CONFIG)
        return (yield from fetch(repo, WEIGHTS[1]))
    folder = Path(source).expanduser()
    for name in WEIGHTS:
        if (folder / name).is_file():
            return folder / name
    raise BadCheckpoint(f"{folder}: {' or '.join(WEIGHTS)} is missing; copy the whole folder of the codec")


def read_codec(path: Path) -> Snac:
    """Read the codec from its weights and the config.json beside them, to the CPU in float32. Raises BadCheckpoint."""
    with weights.unfilled():
        codec = Snac(SnacConfig.read(path.with_name(CONFIG))).requires_grad_(False)
    weights.fill(codec, weights.fold_weight_norms(read_tensors(path), path.name), path.name, adopt=True)
    return codec.float().eval()


def read_tensors(path: Path) -> dict[str, Tensor]:
    """Read a file, which must hold only named tensors. Raises BadCheckpoint."""
    held: dict[Any, Any] = dict(weights.read(path))
    if not all(isinstance(name, str) and isinstance(value, Tensor) for name, value in held.items()):
        raise BadCheckpoint(f"{path.name} has values that are not named tensors; download it again")
    return held
