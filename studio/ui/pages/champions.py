"""The Champions page, drawn by assets/ui/js/champions, and the owner's endpoints `/package` and `/import`."""

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, cast

import gradio as gr
from starlette.requests import HTTPConnection

from engines.errors import EngineError
from studio.champions.saved import SavedChampion
from studio.references.session_clips import UPLOADS
from studio.stores.entry import archive_name
from studio.studio import Studio
from studio.ui.components.island import island
from studio.ui.handing_out import adopted, followed, handed, refusal, text_of
from studio.web.ownership import Ownership


def champions_page(studio: Studio) -> None:
    with gr.Column(elem_id="page-champions", elem_classes="page"):
        island("champions")
    ownership = Ownership(studio.settings)
    champion = gr.Textbox("", label="Champion", info="id of the champion", visible=False)
    packed = gr.File(label="Archive", visible=False)
    _open("package", packager(studio, ownership), [champion], packed)
    archive = gr.File(label="Archive", visible=False)
    as_id = gr.Textbox("", label="Id", info="empty: the id in the archive", visible=False)
    _open("import", importer(studio, ownership), [archive, as_id], gr.JSON(label="Champion", visible=False))


def _open(name: str, listener: Callable[..., Any], inputs: list[gr.components.Component], output: Any) -> None:
    """Add a named endpoint without Gradio's preprocessing, which would download any address that a client sends as a file."""
    gr.Button(visible=False).click(
        listener, inputs, output, api_name=name, concurrency_limit=None, show_progress="hidden", preprocess=False
    )


def packager(studio: Studio, ownership: Ownership) -> Callable[..., Iterator[str | None]]:
    """Return the listener of `/package`."""
    champions, no_progress = studio.champions, gr.Progress()

    def package(request: gr.Request, champion: str, progress: gr.Progress = no_progress) -> Iterator[str | None]:
        """Package a champion. Yields None while the work runs, and the archive at the end."""
        try:
            ownership.require(cast(HTTPConnection, request.request))
            job = champions.package(text_of(champion))
            for _ in followed(job, champions.jobs, progress):
                yield None
            yield handed(Path(str(job.result)), archive_name(job.subject))
        except EngineError as error:
            raise refusal(error) from error

    return package


def importer(studio: Studio, ownership: Ownership) -> Callable[..., Iterator[dict[str, Any] | None]]:
    """Return the listener of `/import`."""
    champions, no_progress = studio.champions, gr.Progress()

    def import_(
        request: gr.Request, archive: Mapping[str, Any], as_id: str = "", progress: gr.Progress = no_progress
    ) -> Iterator[dict[str, Any] | None]:
        """Import an archive, optionally under another id. Yields None while the work runs, and the champion at the end."""
        try:
            ownership.require(cast(HTTPConnection, request.request))
            uploaded = adopted(archive, studio.settings.data_dir / UPLOADS)
            try:
                job = champions.import_archive(uploaded, as_id=text_of(as_id))
            except BaseException:
                uploaded.unlink(missing_ok=True)
                raise
            for _ in followed(job, champions.jobs, progress):
                yield None
            if isinstance(job.result, SavedChampion):
                yield champions.as_json(job.result, owner=True)
        except EngineError as error:
            raise refusal(error) from error

    return import_
