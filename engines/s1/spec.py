"""The spec of S1-Mini. This module does not import torch."""

from engines.codec_lm.settings import SAMPLING
from engines.registry import EngineOption, Spec

PUBLISHED = "hf://fishaudio/openaudio-s1-mini"
SPOKEN = ("en", "zh", "ja", "de", "fr", "es", "ko", "ar", "ru", "nl", "it", "pl", "pt")

SPEC = Spec(
    name="s1",
    title="S1-Mini",
    good_at="Streams audio: playback starts almost at once.",
    settings=SAMPLING,
    reference_max_s=30.0,
    options=(EngineOption(name="encoder", default="auto", values=("auto", "cpu")),),
    factory="engines.s1.engine:make_engine",
    licences={
        PUBLISHED: "CC-BY-NC-SA-4.0 (non-commercial)",
        "embedded": "Apache-2.0, trained on synthetic speech",
    },
    languages={PUBLISHED: SPOKEN},
    likenesses={
        "embedded": "Likeness of a take to an unseen voice: 0.77 (two clips of one voice: 0.89; two voices: 0.52)."
    },
)
