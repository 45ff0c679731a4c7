"""Download the files of a checkpoint from the Hugging Face Hub, with progress and readable errors."""

import io
import threading
from collections.abc import Generator
from pathlib import Path
from typing import Any

from engines.errors import BadCheckpoint
from engines.types import Progress

POLL_S = 0.02  # the scheduler may step engines between two polls


def repository(source: str) -> str:
    """Return owner/repo of a source hf://owner/repo; empty if the source is not on the Hub. Raises BadCheckpoint."""
    if not source.startswith("hf://"):
        return ""
    repo = source.removeprefix("hf://").strip("/")
    if repo.count("/") != 1:
        raise BadCheckpoint(f"{source}: write hf://owner/repo")
    return repo


def fetch(repo: str, file: str) -> Generator[Progress, None, Path]:
    """Download one file of a repository, or find it in the local cache; yield progress and return the path.

    Raises BadCheckpoint if the Hub is unreachable, or the file is gated or missing.
    """
    from huggingface_hub import hf_hub_download  # this import takes as long as reading weights
    from tqdm.auto import tqdm

    outcome: list[Path | Exception] = []
    bars: list[Any] = []

    class ByteCounter(tqdm):
        """Counts bytes instead of drawing a bar."""

        def __init__(self, *args: Any, **options: Any) -> None:
            super().__init__(*args, **{**options, "disable": False, "file": io.StringIO()})
            bars.append(self)

    def download() -> None:
        try:
            outcome.append(Path(hf_hub_download(repo, file, tqdm_class=ByteCounter)))
        except Exception as error:
            outcome.append(error)

    thread = threading.Thread(target=download, name="fetch", daemon=True)
    thread.start()
    while thread.is_alive():
        thread.join(POLL_S)
        done = bars[-1].n / bars[-1].total if bars and bars[-1].total else 0.0
        yield Progress(done, f"downloading {file} from {repo}: {done:.0%}")
    if isinstance(outcome[0], Exception):
        raise BadCheckpoint(_reason(repo, file, outcome[0])) from outcome[0]
    return outcome[0]


def _reason(repo: str, file: str, error: Exception) -> str:
    from huggingface_hub.errors import (
        EntryNotFoundError,
        GatedRepoError,
        HfHubHTTPError,
        LocalEntryNotFoundError,
        RepositoryNotFoundError,
    )

    match error:
        case GatedRepoError():
            return f"{repo} is gated: accept its terms on the Hugging Face Hub and set HF_TOKEN to a token that may read it"
        case RepositoryNotFoundError():
            return f"{repo} is not on the Hugging Face Hub, or HF_TOKEN may not read it; check the name"
        case LocalEntryNotFoundError():
            return f"{file} of {repo} is not in the local cache and the Hub cannot be reached; go online once, or use embedded"
        case EntryNotFoundError():
            return f"{repo} has no file {file}; check the path"
        case HfHubHTTPError():
            return f"the Hugging Face Hub could not send {file} of {repo}; try again later"
        case OSError():
            return f"{file} of {repo} could not be downloaded or stored ({error}); check the network and the disk"
        case _:
            return f"{file} of {repo} could not be downloaded ({error}); try again later"
