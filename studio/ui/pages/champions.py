"""Champions: the library, drawn by assets/ui/js/champions. Also `/package` and `/import`, the owner's."""

import secrets
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, cast

import gradio as gr
from gradio.utils import get_upload_folder
from starlette.requests import HTTPConnection

from engines.errors import BadInput, EngineError
from studio.champions.library import SavedChampion
from studio.database import saving
from studio.files import link_or_copy
from studio.jobs import Job, Jobs
from studio.references.session_clips import UPLOADS
from studio.stores.entry import archive_name
from studio.studio import Studio
from studio.ui.components.island import island
from studio.ui.handing_out import handed
from studio.web.ownership import Ownership

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
    champions, no_progress = studio.champions, gr.Progress()

    def package(request: gr.Request, champion: str, progress: gr.Progress = no_progress) -> Iterator[str | None]:
        """Package a champion: yields while it works, and last the archive."""
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
    champions, no_progress = studio.champions, gr.Progress()

    def import_(
        request: gr.Request, archive: Mapping[str, Any], as_id: str = "", progress: gr.Progress = no_progress
    ) -> Iterator[dict[str, Any] | None]:
        """Take in an archive, under another id where one is given: yields while it works, and last the champion."""
        try:
            ownership.require(cast(HTTPConnection, request.request))
            uploaded = adopted(archive, studio.settings.data_dir / UPLOADS)
            try:
                job = champions.import_archive(uploaded, as_id=_text(as_id))
            except BaseException:
                uploaded.unlink(missing_ok=True)
                raise
            for _ in _followed(job, champions.jobs, progress):
                yield None
            if isinstance(job.result, SavedChampion):
                yield champions.as_json(job.result, owner=True)
        except EngineError as error:
            raise gr.Error(str(error), title=_title(error), print_exception=False) from error

    return import_


def adopted(upload: object, folder: Path) -> Path:
    """A second name of what was uploaded to Gradio, for the import to remove. Raises BadInput, NotSaved."""
    path = upload.get("path") if isinstance(upload, Mapping) else None
    found = Path(path).resolve() if isinstance(path, str) and "\0" not in path else Path()
    if not found.is_relative_to(Path(get_upload_folder()).resolve()) or not found.is_file():
        raise BadInput("no archive arrived; upload the file first, then name it as Gradio's clients do")
    with saving():
        folder.mkdir(parents=True, exist_ok=True)
        link_or_copy(found, target := folder / secrets.token_urlsafe(12))
        return target


def _followed(job: Job, jobs: Jobs, progress: gr.Progress) -> Iterator[None]:
    """Yields until the job ended; a listener that goes away cancels it. Raises EngineError where it failed."""
    try:
        while not job.ended:
            progress(job.progress.fraction, desc=job.progress.message)
            yield
            job.wait(WAIT_S)
    finally:
        if not job.ended:
            jobs.cancel(job.id)
        else:
            jobs.forget(job.id)  # whoever asked has the answer here, so it need not stay in the list
    if job.state != "done":
        raise EngineError(job.error or "this was cancelled; begin it again")


def _text(value: object) -> str:
    if not isinstance(value, str | None):
        raise BadInput("a champion is named by its id; correct it and send it again")
    return value or ""


def _title(error: EngineError) -> str:
    return "Refused" if isinstance(error, BadInput) else "Failed"  # trying again helps only the second
