"""What is known of S1-Mini before it is loaded. Importing this imports no torch."""

from engines.registry import Spec
from engines.types import Setting

SPEC = Spec(
    name="s1",
    title="S1-Mini",
    good_at="Speaks as it makes the sound, so that it is heard almost at once.",
    settings=(
        Setting(
            name="temperature",
            label="Temperature",
            help="How freely the engine draws. Lower is steadier, higher livelier and at some point slurred.",
            least=0.05,
            most=1.5,
            step=0.05,
        ),
        Setting(
            name="top_p",
            label="Top-p",
            help="The share of the likeliest sounds it draws from. Lower is safer.",
            least=0.05,
            most=1,
            step=0.05,
        ),
        Setting(
            name="repetition_penalty",
            label="Repetition penalty",
            help="Above 1, sounds made just now become less likely.",
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
        "embedded": "The built-in weights speak English and follow a new voice in part: takes have a likeness of 0.71 to it, "
        "two clips of one voice have 0.89 and two voices 0.52."
    },
)
