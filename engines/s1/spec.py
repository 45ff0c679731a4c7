"""The spec of S1-Mini. This module does not import torch."""

from engines.registry import Spec
from engines.types import Setting

SPEC = Spec(
    name="s1",
    title="S1-Mini",
    good_at="Streams speech, so the first sound comes almost at once.",
    settings=(
        Setting(
            name="temperature",
            label="Temperature",
            help="How random the speech is. Low values sound steady, high values lively, very high values slurred.",
            least=0.05,
            most=1.5,
            step=0.05,
        ),
        Setting(
            name="top_p",
            label="Top-p",
            help="The share of the most likely sounds to choose from. Low values are safer.",
            least=0.05,
            most=1,
            step=0.05,
        ),
        Setting(
            name="repetition_penalty",
            label="Repetition penalty",
            help="Above 1, recent sounds become less likely.",
            least=0.9,
            most=2,
            step=0.05,
        ),
    ),
    reference_max_s=30.0,
    factory="engines.s1.engine:S1Engine",
    licences={
        "hf://fishaudio/openaudio-s1-mini": "CC-BY-NC-SA-4.0 (non-commercial)",
        "embedded": "Apache-2.0, trained on synthetic speech",
    },
    likenesses={
        "embedded": "The built-in weights speak English and approximate a new voice: takes have a likeness of 0.81 to it; "
        "two clips of one voice have 0.89 and two voices 0.52."
    },
)
