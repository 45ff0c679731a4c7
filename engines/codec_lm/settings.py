"""Settings of sampling that codec language models share. This module does not import torch."""

from engines.types import Setting

TEMPERATURE = Setting(
    name="temperature",
    label="Temperature",
    help="Variation of the speech. Low = steady, high = lively, very high = slurred.",
    least=0.05,
    most=1.5,
    step=0.05,
)
TOP_P = Setting(
    name="top_p",
    label="Top-p",
    help="Share of the most likely sounds to choose from. Low = safer.",
    least=0.05,
    most=1,
    step=0.05,
)
REPETITION_PENALTY = Setting(
    name="repetition_penalty",
    label="Repetition penalty",
    help="Above 1, repeated sounds become less likely.",
    least=0.9,
    most=2,
    step=0.05,
)
SAMPLING = TEMPERATURE, TOP_P, REPETITION_PENALTY
