"""Takes in which an engine lost control, planted in clips, and clips that are none."""

from pathlib import Path

import numpy as np
import pytest
import soundfile

from engines.types import Audio
from studio.ears.comparison import compare
from studio.ears.models import Models
from studio.script.checks.runaways import runaway
from studio.script.checks.wording import typed_words

VOICES = Path(__file__).parents[4] / "assets" / "voices"
MODELS = Models()


def clip(name: str) -> tuple[np.ndarray, int, str]:
    samples, rate = soundfile.read(VOICES / f"{name}.flac", dtype="float32")
    return samples, rate, (VOICES / f"{name}.txt").read_text("utf-8").strip()


def found(samples: np.ndarray, rate: int, text: str) -> str:
    audio = Audio(samples, rate)
    return runaway(text, audio, compare(MODELS.recogniser, audio, typed_words(text)))


@pytest.mark.parametrize("name", ["natural/natural-03", "natural/natural-06", "references/basil"])
def test_a_clip_of_its_text_did_not_run_away(name: str) -> None:
    assert found(*clip(name)) == ""


@pytest.mark.long
def test_each_kind_of_runaway_is_named() -> None:
    samples, rate, text = clip("natural/natural-03")
    other, _, _ = clip("references/basil")
    middle = len(samples) // 2
    silence = np.zeros(round(2.8 * rate), np.float32)
    assert found(np.concatenate([samples, other[: 3 * rate]]), rate, text) == "The take goes on after the text."
    assert found(np.concatenate([samples[:middle], silence, samples[middle:]]), rate, text).startswith(
        "The take is silent for"
    )
    assert found(np.concatenate([samples, silence]), rate, text).startswith("The take is silent for")
    assert found(samples[: round(0.6 * len(samples))], rate, text) == "The take stops before the end of the text."
    assert found(np.concatenate([samples, samples]), rate, text) == "The take repeats words."


def test_a_pause_of_the_text_is_no_fault() -> None:
    samples, rate, text = clip("natural/natural-03")
    silence = np.zeros(round(2.8 * rate), np.float32)
    first, second = text.split(", and")
    assert found(np.concatenate([samples, silence]), rate, f"{first}, [pause:3s] and{second}") == ""
