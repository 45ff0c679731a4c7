"""What named endpoints have in common: files that come and go by Gradio, jobs they wait for, refusals."""

import secrets
from collections.abc import Iterator, Mapping
from pathlib import Path

import gradio as gr
from gradio.utils import get_upload_folder

from engines.errors import BadInput, EngineError
from studio.database import saving
from studio.files import link_or_copy
from studio.jobs import Job, Jobs
from studio.web.downloads import download_name

WAIT_S = 0.1  # a listener looks up this often, so that leaving it takes no longer


def handed(file: Path, name: str) -> str:
    """The file under this name in Gradio's folder, where it is on the disk once. Raises NotSaved."""
    with saving():
        link_or_copy(file, linked := _place(name))
        return str(linked)


def handed_bytes(content: bytes, name: str) -> str:
    """The same of what is no file yet."""
    with saving():
        (written := _place(name)).write_bytes(content)
        return str(written)


def _place(name: str) -> Path:
    """At an address that nobody can guess: Gradio asks nobody who they are."""
    place = Path(get_upload_folder()) / secrets.token_urlsafe(16) / download_name(name)
    place.parent.mkdir(parents=True)
    return place


def adopted(upload: object, folder: Path) -> Path:
    """A second name of what was uploaded to Gradio, for the import to remove. Raises BadInput, NotSaved."""
    path = upload.get("path") if isinstance(upload, Mapping) else None
    found = Path(path).resolve() if isinstance(path, str) and "\0" not in path else Path()
    if not found.is_relative_to(Path(get_upload_folder()).resolve()) or not found.is_file():
        raise BadInput("no file received; upload the file first, then send its path as Gradio clients do")
    with saving():
        folder.mkdir(parents=True, exist_ok=True)
        link_or_copy(found, target := folder / secrets.token_urlsafe(12))
        return target


def followed(job: Job, jobs: Jobs, progress: gr.Progress, *, keep: bool = False) -> Iterator[None]:
    """Yields until the job ended; a listener that goes away cancels it. Raises EngineError where it failed."""
    try:
        while not job.ended:
            progress(job.progress.fraction, desc=job.progress.message)
            yield
            job.wait(WAIT_S)
    finally:
        if not job.ended:
            jobs.cancel(job.id)
        elif not keep:
            jobs.forget(job.id)  # whoever asked has the answer here, so it need not stay in the list
    if job.state != "done":
        raise EngineError(job.error or "cancelled; start again")


def text_of(value: object) -> str:
    if not isinstance(value, str | None):
        raise BadInput("a name must be text; correct the name and send the request again")
    return value or ""


def refusal(error: EngineError) -> gr.Error:
    """As Gradio's clients are told of it; trying again helps only against what failed."""
    title = "Refused" if isinstance(error, BadInput) else "Failed"
    return gr.Error(str(error), title=title, print_exception=False)
