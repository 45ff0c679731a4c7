"""Shared code of named endpoints: files passed through Gradio, waiting for jobs, refusals."""

import secrets
from collections.abc import Iterator, Mapping
from pathlib import Path

import gradio as gr
from gradio.utils import get_upload_folder

from engines.errors import BadInput, EngineError
from studio.disk.database import saving
from studio.disk.files import link_or_copy
from studio.jobs import Job, Jobs
from studio.web.downloads import download_name

WAIT_S = 0.1  # polling interval, and maximum delay until a leaving listener is noticed


def handed(file: Path, name: str) -> str:
    """Link a file into Gradio's folder under this name, and return its path. Raises NotSaved."""
    with saving():
        link_or_copy(file, linked := _place(name))
        return str(linked)


def handed_bytes(content: bytes, name: str) -> str:
    """Write bytes into Gradio's folder under this name, and return the path. Raises NotSaved."""
    with saving():
        (written := _place(name)).write_bytes(content)
        return str(written)


def _place(name: str) -> Path:
    """Return a path with a random folder, because Gradio serves files without checking the caller."""
    place = Path(get_upload_folder()) / secrets.token_urlsafe(16) / download_name(name)
    place.parent.mkdir(parents=True)
    return place


def adopted(upload: object, folder: Path) -> Path:
    """Link an upload of Gradio into `folder`, from where the import may remove it. Raises BadInput, NotSaved."""
    path = upload.get("path") if isinstance(upload, Mapping) else None
    found = Path(path).resolve() if isinstance(path, str) and "\0" not in path else Path()
    if not found.is_relative_to(Path(get_upload_folder()).resolve()) or not found.is_file():
        raise BadInput("no file received; upload the file first, then send its path as Gradio clients do")
    with saving():
        folder.mkdir(parents=True, exist_ok=True)
        link_or_copy(found, target := folder / secrets.token_urlsafe(12))
        return target


def followed(job: Job, jobs: Jobs, progress: gr.Progress, *, keep: bool = False) -> Iterator[None]:
    """Yield until the job ends. If the listener leaves, the job is cancelled. Raises EngineError if the job failed."""
    try:
        while not job.ended:
            progress(job.progress.fraction, desc=job.progress.message)
            yield
            job.wait(WAIT_S)
    finally:
        if not job.ended:
            jobs.cancel(job.id)
        elif not keep:
            jobs.forget(job.id)  # the caller gets the result here, so the job need not stay in the list
    if job.state != "done":
        raise EngineError(job.error or "cancelled; start again")


def text_of(value: object) -> str:
    if not isinstance(value, str | None):
        raise BadInput("a name must be text; correct the name and send the request again")
    return value or ""


def refusal(error: EngineError) -> gr.Error:
    """Return the error for Gradio's clients. Its title distinguishes refusals from failures, for which a retry may help."""
    title = "Refused" if isinstance(error, BadInput) else "Failed"
    return gr.Error(str(error), title=title, print_exception=False)
