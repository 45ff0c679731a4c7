"""The Script page for sheets, casts and takes, drawn by assets/ui/js/script, and the owner's endpoint `/render`."""

import threading
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import gradio as gr
from starlette.requests import HTTPConnection

from engines.errors import BadInput, EngineError
from engines.types import Progress
from studio.references.session_clips import UPLOADS
from studio.script.delivery import report_json
from studio.script.format.script import DeliveryChoice
from studio.script.whole_sheet import WholeSheet, select_all
from studio.studio import Studio
from studio.ui.components.island import island
from studio.ui.handing_out import adopted, followed, handed, refusal, text_of
from studio.web.ownership import Ownership

WAIT_S = 0.1
Rendered = tuple[str | None, dict[str, Any] | None]


def script_page(studio: Studio) -> None:
    with gr.Column(elem_id="page-script", elem_classes="page"):
        island("script")
    sheet = gr.File(label="Sheet", visible=False)
    voices = gr.JSON({}, label="Voices", visible=False)
    project = gr.Textbox("", label="Project", info="empty: name of the sheet", visible=False)
    takes = gr.Number(1, label="Takes", info="per line", precision=0, visible=False)
    best_of = gr.Number(
        0,
        label="Best of",
        info="seeds to try if a check fails, the first included; 0: value of the project",
        precision=0,
        visible=False,
    )
    preset = gr.Textbox("game", label="Preset", visible=False)
    encoding = gr.Textbox(
        "", label="Encoding", info="encoding of a CSV file that is not Unicode; empty: detect", visible=False
    )
    outputs = [gr.File(label="Delivery", visible=False), gr.JSON(label="Report", visible=False)]
    gr.Button(visible=False).click(
        renderer(studio, Ownership(studio.settings)),
        [sheet, voices, project, takes, best_of, preset, encoding],
        outputs,
        api_name="render",
        concurrency_limit=None,
        show_progress="hidden",
        preprocess=False,
    )


def renderer(studio: Studio, ownership: Ownership) -> Callable[..., Iterator[Rendered]]:
    """Return the listener of `/render`."""
    no_progress = gr.Progress()

    def render(
        request: gr.Request,
        sheet: Mapping[str, Any],
        voices: Mapping[str, str] | None = None,
        project: str = "",
        takes: int = 1,
        best_of: int = 0,
        preset: str = "game",
        encoding: str = "",
        progress: gr.Progress = no_progress,
    ) -> Iterator[Rendered]:
        """Render every line of a sheet. Yields progress, and at the end a zip with the best take of each line, and a report.

        `voices` names a champion or sample for each character; "" stands for all other characters. `encoding` is the encoding
        of a CSV that is not Unicode. Without `encoding`, the encoding is guessed, and the sheet is refused if two encodings are
        about equally likely.
        """
        try:
            ownership.require(cast(HTTPConnection, request.request))
            asked = _asked(sheet, voices, project, takes, best_of, studio.settings.data_dir / UPLOADS)
            choice = DeliveryChoice(preset=text_of(preset))
            asked = replace(asked, encoding=text_of(encoding), delivery=choice)
            yield from _made(studio, asked, choice, progress)
        except EngineError as error:
            raise refusal(error) from error

    return render


def _asked(sheet: object, voices: object, project: object, takes: object, best_of: object, folder: Path) -> WholeSheet:
    """Check the inputs of `/render`. Raises BadInput."""
    named = voices if isinstance(voices, Mapping) else {}
    if not all(isinstance(each, str) for pair in named.items() for each in pair):
        raise BadInput(
            '"voices" must be an object with a champion id for each character, such as {"Ahri": "ahri"}; correct "voices" and '
            "send the request again"
        )
    if not all(isinstance(number, int) and not isinstance(number, bool) for number in (takes, best_of)):
        raise BadInput('"takes" and "best_of" must be whole numbers; correct both and send the request again')
    file = adopted(sheet, folder)
    name = sheet.get("orig_name") if isinstance(sheet, Mapping) else None
    return WholeSheet(
        file=file,
        name=text_of(name) or "sheet.csv",
        project=text_of(project),
        voices=dict(named),
        takes=cast(int, takes),
        best_of=cast(int, best_of) or None,
    )


def _made(studio: Studio, asked: WholeSheet, choice: DeliveryChoice, progress: gr.Progress) -> Iterator[Rendered]:
    """Render and deliver the sheet. If the listener leaves, the render stops. Raises EngineError."""
    stop = threading.Event()

    def report(made: Progress) -> None:
        progress(made.fraction, desc=made.message)

    with ThreadPoolExecutor(1, "whole-sheet") as thread:
        try:
            selecting = thread.submit(select_all, studio.scripts, asked, report, stop)
            while not selecting.done():
                yield None, None
                stop.wait(WAIT_S)
            selected = selecting.result()
        finally:
            stop.set()
            asked.file.unlink(missing_ok=True)
    deliveries = studio.scripts.deliveries
    job = deliveries.begin(selected.project, selected.sheet, choice)
    for _ in followed(job, deliveries.jobs, progress, keep=True):
        yield None, None
    made = deliveries.finished(selected.project, job.id)
    failed = [{"line": line, "message": message} for line, message in selected.failed]
    yield handed(made.path, made.name), {**report_json(made.report), "failed": failed}
