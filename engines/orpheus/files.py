"""Find the files of an Orpheus checkpoint: the language model and its codec, in local folders or on the Hub."""

from collections.abc import Generator
from dataclasses import dataclass
from pathlib import Path

from engines.base import Checkpoint
from engines.codec_lm.hub_files import download_language_model
from engines.errors import BadCheckpoint
from engines.orpheus.snac_files import download_codec
from engines.orpheus.spec import SPEC
from engines.runtime.download import repository
from engines.types import Progress


@dataclass(frozen=True, slots=True)
class OrpheusFiles:
    """The files of a checkpoint."""

    name: str  # shown to the designer
    folder: Path  # of the language model
    codec: Path  # its weights


def locate(checkpoint: Checkpoint) -> Generator[Progress, None, OrpheusFiles]:
    """Find or download every file; yield progress and return the files. Raises BadCheckpoint."""
    source, codec = checkpoint.source, SPEC.option(checkpoint, "codec")
    if source in ("", "embedded"):
        raise BadCheckpoint(f"{SPEC.title} has no embedded weights. {SPEC.weights}")
    repo = repository(source)
    folder = (yield from download_language_model(repo)) if repo else _local(source)
    return OrpheusFiles(repo or folder.name, folder, (yield from download_codec(codec)))


def _local(source: str) -> Path:
    folder = Path(source).expanduser()
    if not folder.is_dir():
        raise BadCheckpoint(f"{folder}: this folder does not exist; check STUDIO_ORPHEUS_CHECKPOINT")
    return folder
