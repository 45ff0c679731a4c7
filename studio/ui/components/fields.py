"""Gradio's fields as this page uses them: a label that stays short, no frame of their own."""

import gradio as gr

from engines.registry import SPECS
from studio.ui.presentation import FIRST_LINE


def script() -> gr.Textbox:
    return gr.Textbox(
        FIRST_LINE,
        label="Script",
        placeholder="Type what the voice shall say.",
        lines=4,
        max_lines=14,
        elem_id="script",
        container=False,
    )


def transcript() -> gr.Textbox:
    return gr.Textbox(
        "",  # without a value the endpoint would demand one
        label="What is said in the selected part",
        placeholder="Type exactly the words you hear in the selected part.",
        lines=2,
        max_lines=8,
        elem_id="transcript",
    )


def engine(choices: list[tuple[str, str]]) -> gr.Radio:
    return gr.Radio(choices, value=choices[0][1], label="Engine", elem_id="engine", elem_classes="field")


def number(name: str, label: str, placeholder: str, *, step: float = 1) -> gr.Number:
    """An optional number; empty leaves it to the studio, and the placeholder says what that is."""
    precision = 0 if step == 1 else None
    return gr.Number(
        None, label=label, placeholder=placeholder, step=step, precision=precision, elem_id=name, elem_classes="field"
    )


def speed() -> gr.Slider:
    """F5-TTS alone heeds it."""
    limits = SPECS["f5"].settings["speed"]
    return gr.Slider(
        limits.least,
        limits.most,
        value=1.0,
        step=0.05,
        label="Speed",
        elem_id="speed",
        elem_classes="field",
        buttons=[],
    )
