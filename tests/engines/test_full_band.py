"""The embedded voices have nothing at the top of their band, where no mel band and no recogniser would notice it."""

from collections.abc import Iterator

import numpy as np
import pytest

from engines.registry import ENGINES
from engines.types import Take
from studio.ears.quality import measure
from training.corpus.heldout import heldout
from training.evaluation.full_band import top_band_db
from training.evaluation.synthesizer import Synthesizer, reference_of
from training.references import SHIPPED, checkpoint, read_references

MOST_DB = -45.0
EMBEDDED = [name for name in sorted(ENGINES) if checkpoint(name).exists()]
VOICES = [reference_of(*known) for _, known in sorted(read_references(SHIPPED).items())]


@pytest.fixture(scope="module", params=EMBEDDED)
def synthesizer(request: pytest.FixtureRequest) -> Iterator[Synthesizer]:
    synthesizer = Synthesizer(request.param, checkpoint(request.param))
    yield synthesizer
    synthesizer.close()


def said(synthesizer: Synthesizer, count: int) -> list[Take]:
    lines = heldout()["open"][:count]
    return [synthesizer.speak(VOICES[n % len(VOICES)], line, seed=7) for n, line in enumerate(lines)]


def top_db(takes: list[Take]) -> float:
    """Return the power at the top of the band of all takes together, relative to all of their power."""
    power = [float(np.square(take.audio.samples, dtype=np.float64).sum()) for take in takes]
    top = [10 ** (top_band_db(take.audio.samples) / 10) for take in takes]
    return float(10 * np.log10(np.dot(top, power) / np.sum(power)))


def test_two_lines_have_neither_power_at_the_top_of_the_band_nor_a_tone(synthesizer: Synthesizer) -> None:
    takes = said(synthesizer, 2)
    assert top_db(takes) <= MOST_DB
    assert [measure(take.audio).tones for take in takes] == [()] * len(takes)


@pytest.mark.long
def test_twenty_lines_have_neither_power_at_the_top_of_the_band_nor_a_tone(synthesizer: Synthesizer) -> None:
    takes = said(synthesizer, 20)
    assert top_db(takes) <= MOST_DB
    assert [measure(take.audio).tones for take in takes] == [()] * len(takes)
