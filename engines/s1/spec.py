"""The spec of S1-Mini. This module does not import torch."""

from engines.registry import Spec
from engines.types import Setting

SPEC = Spec(
    name="s1",
    title="S1-Mini",
    good_at="Streams audio: playback starts almost at once.",
    settings=(
        Setting(
            name="temperature",
            label="Temperature",
            help="Variation of the speech. Low = steady, high = lively, very high = slurred.",
            least=0.05,
            most=1.5,
            step=0.05,
        ),
        Setting(
            name="top_p",
            label="Top-p",
            help="Share of the most likely sounds to choose from. Low = safer.",
            least=0.05,
            most=1,
            step=0.05,
        ),
        Setting(
            name="repetition_penalty",
            label="Repetition penalty",
            help="Above 1, repeated sounds become less likely.",
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
        "embedded": "Takes compared with a new voice: 0.71. Two clips of the same voice: 0.89. Two different voices: 0.52."
    },
)
