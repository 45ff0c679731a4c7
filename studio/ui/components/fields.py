"""Gradio's fields as this page uses them: a label that stays short, no frame of their own."""

from collections.abc import Sequence

import gradio as gr

from engines.types import Setting
from studio.ui.presentation import FIRST_LINE


def script() -> gr.Textbox:
    return gr.Textbox(
        FIRST_LINE,
        label="Script",
        placeholder="Type a line",
        lines=4,
        max_lines=14,
        elem_id="script",
        container=False,
    )


def transcript() -> gr.Textbox:
    return gr.Textbox(
        "",  # without a value the endpoint would demand one
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
    """An optional number; empty leaves it to the studio, and the placeholder says what that is."""
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
    """One with a value of its own is a slider; one that is left to the checkpoint may stay empty."""
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
