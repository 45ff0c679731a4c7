"""Find the files of an S1 checkpoint: embedded, in a local folder, or on the Hub."""

from collections.abc import Generator
from dataclasses import dataclass
from pathlib import Path

from engines.base import Checkpoint
from engines.errors import BadCheckpoint
from engines.runtime.download import fetch, repository
from engines.runtime.quantization import Kind
from engines.runtime.weights import file_digest
from engines.types import Progress

EMBEDDED = Path(__file__).parents[2] / "assets" / "voices" / "s1" / "checkpoint"
NEEDED = ("config.json", "tokenizer.tiktoken", "special_tokens.json")
QUANTIZED: dict[str, Kind] = {"model-int8.pth": "int8", "model-int4.pth": "int4"}
WEIGHTS = ("model.safetensors", "model.pth", *QUANTIZED)
CODECS = ("codec.safetensors", "codec.pth")


@dataclass(frozen=True, slots=True)
class S1Files:
    """The files of a checkpoint."""

    name: str  # shown to the designer
    folder: Path
    weights: Path
    codec: Path
    codec_config: Path | None  # None: the configuration of the published codec
    codec_digest: str
    defaults: Path | None  # generation_config.json

    @property
    def quantized(self) -> Kind:
        """Return how the stored weights are quantised."""
        return QUANTIZED.get(self.weights.name, "none")


def locate(checkpoint: Checkpoint) -> Generator[Progress, None, S1Files]:
    """Find or download every file; yield progress and return the files. Raises BadCheckpoint for a missing file."""
    source = checkpoint.source
    if repo := repository(source):
        for file in (*NEEDED, "model.pth", "codec.pth"):
            path = yield from fetch(repo, file)
        name, folder = repo, path.parent
    else:
        folder = EMBEDDED if source == "embedded" else Path(source).expanduser()
        name = "embedded" if source == "embedded" else folder.name
    yield Progress(0.4, "checking its files")
    return _files(name, folder)


def _files(name: str, folder: Path) -> S1Files:
    if not folder.is_dir():
        raise BadCheckpoint(f"{folder}: this folder does not exist; check STUDIO_S1_CHECKPOINT")
    for needed in NEEDED:
        if not (folder / needed).is_file():
            raise BadCheckpoint(f"{name}: {needed} is missing; copy the whole checkpoint folder")
    codec = _one(name, folder, CODECS)
    return S1Files(
        name=name,
        folder=folder,
        weights=_one(name, folder, WEIGHTS),
        codec=codec,
        codec_config=_optional(folder / "codec.yaml"),
        codec_digest=file_digest(codec),
        defaults=_optional(folder / "generation_config.json"),
    )


def _one(name: str, folder: Path, names: tuple[str, ...]) -> Path:
    for each in names:
        if (folder / each).is_file():
            return folder / each
    raise BadCheckpoint(f"{name}: {' or '.join(names)} is missing; copy the whole checkpoint folder")


def _optional(path: Path) -> Path | None:
    return path if path.is_file() else None
