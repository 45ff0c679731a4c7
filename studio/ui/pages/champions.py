"""Champions: the voices that were kept, drawn by assets/ui/js/champions. Also `/package` and `/import`, the owner's."""

import secrets
import shutil
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, cast

import gradio as gr
from gradio.utils import get_upload_folder
from starlette.requests import HTTPConnection

from engines.errors import BadInput, EngineError
from studio.champions.jobs import Job, Jobs
from studio.champions.stores.held import archive_name
from studio.champions.telling import teller
from studio.database import saving
from studio.ownership import Ownership
from studio.shelf import UPLOADS
from studio.studio import Studio
from studio.ui.components.island import island

WAIT_S = 0.1  # a listener looks up this often, so that leaving it takes no longer


def champions_page(studio: Studio) -> None:
    with gr.Column(elem_id="page-champions", elem_classes="page"):
        island("champions")
    ownership = Ownership(studio.settings)
    champion = gr.Textbox("", label="Champion", info="its id", visible=False)
    packed = gr.File(label="Archive", visible=False)
    _open("package", packager(studio, ownership), [champion], packed)
    archive = gr.File(label="Archive", visible=False)
    as_id = gr.Textbox("", label="Id", info="empty: the one it has", visible=False)
    _open("import", importer(studio, ownership), [archive, as_id], gr.JSON(label="Champion", visible=False))


def _open(name: str, listener: Callable[..., Any], inputs: list[gr.components.Component], output: Any) -> None:
    """A named endpoint. It asks itself what was sent: Gradio would fetch an address for whoever names one as a file."""
    gr.Button(visible=False).click(
        listener, inputs, output, api_name=name, concurrency_limit=None, show_progress="hidden", preprocess=False
    )


def packager(studio: Studio, ownership: Ownership) -> Callable[..., Iterator[str | None]]:
    """The listener of `/package`, over one studio."""
    champions, telling = studio.champions, gr.Progress()

    def package(request: gr.Request, champion: str, progress: gr.Progress = telling) -> Iterator[str | None]:
        """Package a champion: tells its progress, and last gives the archive."""
        try:
            ownership.require(cast(HTTPConnection, request.request))
            job = champions.package(_text(champion))
            for _ in _followed(job, champions.jobs, progress):
                yield None
            yield handed(Path(str(job.result)), archive_name(job.champion))
        except EngineError as error:
            raise gr.Error(str(error), title=_title(error), print_exception=False) from error

    return package


def importer(studio: Studio, ownership: Ownership) -> Callable[..., Iterator[dict[str, Any] | None]]:
    """The listener of `/import`, over one studio."""
    champions, telling, tell = studio.champions, gr.Progress(), teller(studio.champions.library)

    def bring(
        request: gr.Request, archive: Mapping[str, Any], as_id: str = "", progress: gr.Progress = telling
    ) -> Iterator[dict[str, Any] | None]:
        """Take in an archive, under another id where one is given: tells its progress, and last gives the champion."""
        try:
            ownership.require(cast(HTTPConnection, request.request))
            brought = taken(archive, studio.settings.data_dir / UPLOADS)
            try:
                job = champions.bring(brought, as_id=_text(as_id))
            except BaseException:
                brought.unlink(missing_ok=True)
                raise
            for _ in _followed(job, champions.jobs, progress):
                yield None
            yield tell(job.result, owner=True)
        except EngineError as error:
            raise gr.Error(str(error), title=_title(error), print_exception=False) from error

    return bring


def handed(archive: Path, name: str) -> str:
    """The archive under its own name in Gradio's folder, at an address that nobody can guess: Gradio asks nobody who
    they are. It is on the disk once. Raises NotSaved."""
    with saving():
        linked = Path(get_upload_folder()) / secrets.token_urlsafe(16) / name
        linked.parent.mkdir(parents=True)
        return str(_linked(archive, linked))


def taken(upload: object, folder: Path) -> Path:
    """A second name of what was uploaded to Gradio, for the import to remove. Raises BadInput, NotSaved."""
    path = upload.get("path") if isinstance(upload, Mapping) else None
    found = Path(path).resolve() if isinstance(path, str) and "\0" not in path else Path()
    if not found.is_relative_to(Path(get_upload_folder()).resolve()) or not found.is_file():
        raise BadInput("no archive arrived; upload the file first, then name it as Gradio's clients do")
    with saving():
        folder.mkdir(parents=True, exist_ok=True)
        return _linked(found, folder / secrets.token_urlsafe(12))


def _linked(file: Path, target: Path) -> Path:
    try:
        target.hardlink_to(file)
    except OSError:  # another file system
        shutil.copyfile(file, target)
    return target


def _followed(job: Job, jobs: Jobs, progress: gr.Progress) -> Iterator[None]:
    """Until the work ended; whoever stops listening stops it. Raises EngineError with its error where it failed."""
    try:
        while not job.ended:
            progress(job.progress.fraction, desc=job.progress.message)
            yield
            time.sleep(WAIT_S)
    finally:
        if not job.ended:
            jobs.cancel(job.id)
        else:
            jobs.forget(job.id)  # who asked is told here, and nobody shall have to put it away
    if job.state != "done":
        raise EngineError(job.error or "this was cancelled; begin it again")


def _text(value: object) -> str:
    if not isinstance(value, str | None):
        raise BadInput("a champion is named by its id; correct it and send it again")
    return value or ""


def _title(error: EngineError) -> str:
    return "Refused" if isinstance(error, BadInput) else "Failed"  # trying again helps only the second
