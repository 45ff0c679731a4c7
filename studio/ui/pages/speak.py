"""The Speak page with voice, text, button and takes, and the endpoint `/speak`."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from inspect import Parameter, Signature
from itertools import starmap
from typing import Any, cast

import gradio as gr
from starlette.requests import HTTPConnection

from engines.errors import BadInput, Cancelled, EngineError
from engines.registry import settings
from studio.order import Order, flat, read_order
from studio.studio import Studio
from studio.telemetry.origin import RequestOrigin, within
from studio.ui.components import fields
from studio.ui.components.island import island
from studio.ui.gradio_queue import AUDIO_CONCURRENCY_ID
from studio.ui.handing_out import handed
from studio.ui.presentation import engine_choices, status_json
from studio.web.request_ids import origin_of
from studio.web.session import ARRIVED_HEADER, SESSION_HEADER

WAIT_S = 0.1  # polling interval, and maximum delay of a stop
SpeakOutput = tuple[dict[str, Any], str | None, dict[str, Any] | None]


def speak_page(studio: Studio) -> None:
    """Lay out the page and open its endpoint."""
    with gr.Column(elem_id="page-speak", elem_classes="page"):
        with gr.Column(elem_id="voice-panel", elem_classes="plate"):
            island("voice")
            transcript = fields.transcript()
            island("report")
            island("design")
        with gr.Column(elem_id="work"):
            with gr.Column(elem_id="script-panel", elem_classes="plate"):
                text = fields.script()
                island("spoken")
                island("performance")
                chosen = _settings(studio)
            with gr.Row(elem_id="transport", elem_classes="plate"):
                gr.Button("Speak", variant="primary", elem_id="speak")
                gr.Button("Compare engines", elem_id="both")
                gr.Button("Stop", elem_id="stop")
                island("standing")
            island("takes")
    performance = gr.Textbox(
        "", label="Performance", info="id of a recording that is spoken instead of the text", visible=False
    )
    design = gr.Textbox(
        "", label="Design", info="gender, pitch and speed of a new voice, such as female low moderate", visible=False
    )
    language = gr.Textbox("", label="Language", info="tag of the text, such as de; empty: detect", visible=False)
    _endpoint(studio, [text, *_reference(), transcript, *chosen, *_champion(), performance, design, language])


def _settings(studio: Studio) -> list[gr.components.Component]:
    """Add the fields in the order of the parameters of `/speak`. The page shows those that the chosen engine supports."""
    settings_by_name = settings()
    with gr.Row(elem_id="settings"):
        engine = fields.engine(engine_choices(studio.manager.statuses()))
        shown = {name: fields.setting(each) for name, each in settings_by_name.items() if each.default is not None}
        seed = fields.seed()
        island("more")
        with gr.Row(elem_id="more-settings"):
            shown |= {name: fields.setting(each) for name, each in settings_by_name.items() if each.default is None}
    return [engine, seed, *(shown[name] for name in settings_by_name)]


def _reference() -> list[gr.components.Component]:
    """Add invisible fields for clip and window. The voice card sets them; for clients, they are parameters of the endpoint."""
    clip_id = gr.Textbox("", label="Clip", info="empty: the first sample", visible=False)
    start_s = gr.Number(0, label="Start, s", visible=False)
    end_s = gr.Number(0, label="End, s", info="0: end of the clip", visible=False)
    return [clip_id, start_s, end_s]


def _champion() -> list[gr.components.Component]:
    """Add invisible fields for a champion, which replaces the clip."""
    champion = gr.Textbox("", label="Champion", info="champion id; empty: use the clip", visible=False)
    version = gr.Textbox("", label="Version", info="empty: current version", visible=False)
    attachment = gr.Textbox("", label="Unsaved weights", visible=False)
    return [champion, version, attachment]


def _endpoint(studio: Studio, inputs: list[gr.components.Component]) -> None:
    """Queue `/speak` under the concurrency id of all listeners that generate audio.

    The page joins the queue in assets/ui/js/speak/queue.js to show its rank, so no visible element triggers this endpoint.
    """
    audio = gr.Audio(label="Audio", visible=False)
    outputs = [gr.JSON(label="Status", visible=False), audio, gr.JSON(label="Take", visible=False)]
    gr.Button(visible=False).click(
        speaker(studio),
        inputs=inputs,
        outputs=outputs,
        api_name="speak",
        concurrency_id=AUDIO_CONCURRENCY_ID,
        concurrency_limit=studio.settings.gpu_concurrency or 1,
        show_progress="hidden",
        preprocess=False,  # `read_order` checks all values
    )


def speaker(studio: Studio) -> Callable[..., Iterator[SpeakOutput]]:
    """Return the listener of `/speak`. Its parameters are the fields of a flat order."""
    blank = flat(read_order({"engine": studio.settings.engines[0]}))

    def speak(request: gr.Request, *values: object) -> Iterator[SpeakOutput]:
        """Speak a text with a voice. Yields the state of the request, and at the end the audio and the take."""
        sent = dict(zip(blank, values, strict=False))
        if sent.get("engine") is None:
            sent["engine"] = blank["engine"]
        try:
            arrived_at = float(request.headers[ARRIVED_HEADER])
            session_id = request.headers[SESSION_HEADER]
            studio.visitors.admit(cast(HTTPConnection, request.request))
            origin = origin_of(request.headers, "page")
            yield from perform(studio, completed(studio, read_order(sent), session_id), session_id, arrived_at, origin)
        except EngineError as error:
            # "Refused" is for invalid input, where a retry does not help.
            title = "Refused" if isinstance(error, BadInput) else "Failed"
            raise gr.Error(str(error), title=title, print_exception=False) from error

    speak.__signature__ = Signature([_parameter("request"), *starmap(_parameter, blank.items())])  # type: ignore[attr-defined]
    return speak


def _parameter(name: str, default: object = None) -> Parameter:
    needed = name in ("request", "text")
    return Parameter(name, Parameter.POSITIONAL_OR_KEYWORD, default=Parameter.empty if needed else default)


def completed(studio: Studio, order: Order, session_id: str) -> Order:
    """Return the order with defaults: the first sample if there is no voice, and the end of the clip if there is no end."""
    samples = studio.session_clips.samples()
    if order.champion or order.design:
        return order
    if not order.clip_id and samples:
        order = replace(order, clip_id=samples[0].clip_id, transcript=order.transcript or samples[0].transcript)
    if not order.end_s:
        order = replace(order, end_s=studio.session_clips.get(session_id, order.clip_id).audio.duration_s)
    return order


def perform(
    studio: Studio, order: Order, session_id: str, arrived_at: float, origin: RequestOrigin
) -> Iterator[SpeakOutput]:
    """Speak an order and yield its state. If the listener leaves, the request is cancelled. Raises EngineError."""
    with within(origin):
        live = studio.speaking.speak(order, session_id=session_id, arrived_at=arrived_at)
    try:
        yield status_json(live), None, None
        while not live.wait(WAIT_S):
            yield status_json(live), None, None
        # The audio is complete and can be heard, even if it cannot be stored.
        yield status_json(live), None, None
        take = live.result()
        audio = studio.history.audio_path(session_id, take.id)
        yield status_json(live), handed(audio, audio.name), studio.hearing.described(take)
    except Cancelled:
        yield status_json(live), None, None
    finally:
        live.cancel()  # no effect after the end
