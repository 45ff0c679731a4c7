"""Gradio's fields in the style of this page: short labels, no frame."""

from collections.abc import Sequence

import gradio as gr

from engines.types import Setting
from studio.ui.presentation import FIRST_LINE


def script() -> gr.Textbox:
    return gr.Textbox(
        FIRST_LINE,
        label="Text",
        placeholder="Type a line",
        lines=4,
        max_lines=14,
        elem_id="script",
        container=False,
    )


def transcript() -> gr.Textbox:
    return gr.Textbox(
        "",  # without a value, the endpoint would require one
        label="Transcript of the selected part",
        placeholder="Type exactly the words in the selected part",
        lines=2,
        max_lines=8,
        elem_id="transcript",
    )


def engine(choices: list[tuple[str, str]]) -> gr.Radio:
    return gr.Radio(choices, value=choices[0][1], label="Engine", elem_id="engine", elem_classes="field")


def seed() -> gr.Number:
    return _number("seed", "Seed", "random", whole=True)


def _number(
    name: str,
    label: str,
    placeholder: str,
    *,
    step: float = 1,
    whole: bool = False,
    classes: Sequence[str] = ("field",),
) -> gr.Number:
    """Return an optional number. If it stays empty, the studio chooses the value that the placeholder describes."""
    return gr.Number(
        None,
        label=label,
        placeholder=placeholder,
        step=step,
        precision=0 if whole else None,
        elem_id=name,
        elem_classes=[*classes],
    )


def setting(known: Setting) -> gr.Slider | gr.Number:
    """Return a slider for a setting with a default, or else a field that may stay empty."""
    name, classes = known.name, ["field", "setting"]
    if known.default is None:
        return _number(name, known.label, "default", step=known.step, whole=known.whole, classes=classes)
    return gr.Slider(
        known.least,
        known.most,
        value=known.default,
        step=known.step,
        label=known.label,
        elem_id=name,
        elem_classes=[*classes, "slider-field"],
        buttons=[],
    )
