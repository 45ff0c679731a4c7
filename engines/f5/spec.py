"""The spec of F5-TTS. This module does not import torch."""

from engines.registry import EngineOption, Spec
from engines.types import Setting

SPEC = Spec(
    name="f5",
    title="F5-TTS",
    good_at="Adjustable speaking rate.",
    settings=(
        Setting(
            name="speed",
            label="Speed",
            help="1 = rate of the reference, 2 = twice as fast.",
            least=0.3,
            most=2.5,
            step=0.05,
            default=1.0,
            scales="pace",
        ),
        Setting(
            name="steps",
            label="Steps",
            help="Refinement steps (NFE). More steps can sound better but take longer.",
            least=2,
            most=64,
            step=1,
            whole=True,
            scales="work",
        ),
        Setting(
            name="guidance",
            label="Guidance",
            help="How closely the audio follows voice and text (CFG). High values sound harsh.",
            least=0,
            most=10,
            step=0.1,
        ),
    ),
    reference_max_s=12.0,
    factory="engines.f5.engine:F5Engine",
    options=(EngineOption(name="vocoder", default=""),),
    fine_tunes=True,
    vetting="engines.f5.vetting.process:vet",
    licences={
        "hf://SWivid/F5-TTS": "CC-BY-NC-4.0 (non-commercial)",
        "embedded": "Apache-2.0, trained on synthetic speech",
    },
    languages={"hf://SWivid/F5-TTS": ("en", "zh")},
    likenesses={
        "embedded": "Likeness of a take to an unseen voice: 0.79 (two clips of one voice: 0.89; two voices: 0.52)."
    },
)
