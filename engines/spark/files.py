"""Find the folders of a Spark-TTS checkpoint, LLM, BiCodec and wav2vec2-large-xlsr-53, in a local folder or on the Hub."""

from collections.abc import Generator
from dataclasses import dataclass
from pathlib import Path

from engines.base import Checkpoint
from engines.codec_lm.hub_files import download_language_model
from engines.errors import BadCheckpoint
from engines.runtime.download import fetch, repository
from engines.spark import bicodec_files
from engines.spark.spec import SPEC
from engines.types import Progress

LANGUAGE_MODEL, CODEC, FEATURES = "LLM", "BiCodec", "wav2vec2-large-xlsr-53"
OTHERS = (
    f"{CODEC}/{bicodec_files.CONFIG}", f"{CODEC}/{bicodec_files.WEIGHTS}", f"{FEATURES}/config.json",
    f"{FEATURES}/pytorch_model.bin",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class SparkFiles:
    """The folders of a checkpoint."""

    name: str  # shown to the designer
    root: Path

    @property
    def language_model(self) -> Path:
        """Return the folder of the language model."""
        return self.root / LANGUAGE_MODEL

    @property
    def codec(self) -> Path:
        """Return the folder of the codec."""
        return self.root / CODEC

    @property
    def features(self) -> Path:
        """Return the folder of the network for speech features."""
        return self.root / FEATURES


def locate(checkpoint: Checkpoint) -> Generator[Progress, None, SparkFiles]:
    """Find or download every file; yield progress and return the folders. Raises BadCheckpoint."""
    source = checkpoint.source
    if source in ("", "embedded"):
        raise BadCheckpoint(f"{SPEC.title} has no embedded weights. {SPEC.weights}")
    if repo := repository(source):
        folder = yield from download_language_model(repo, LANGUAGE_MODEL)
        for file in OTHERS:
            yield from fetch(repo, file)
        return SparkFiles(repo, folder.parent)
    root = Path(source).expanduser()
    for name in (LANGUAGE_MODEL, CODEC, FEATURES):
        if not (root / name).is_dir():
            raise BadCheckpoint(f"{root}: the folder {name} is missing; check STUDIO_SPARK_CHECKPOINT")
    return SparkFiles(root.name, root)
