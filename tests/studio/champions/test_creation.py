"""The voices of takes from which champions are made."""

from pathlib import Path

import pytest

from engines.types import Audio, Cost, Reference, Request, Take
from studio.order import Order
from studio.settings import Settings
from tests.engines.metronome import Metronome
from tests.studio.house import ENGINE, speechlike, studio_of


@pytest.mark.parametrize(("directions", "words"), [(True, "Come in."), (False, "sigh Come in.")])
def test_the_transcript_of_a_designed_voice_has_the_words_that_were_spoken(
    tmp_path: Path, directions: bool, words: str
) -> None:
    settings = Settings(data_dir=tmp_path / "data", stage_directions=directions)
    with studio_of(tmp_path, Metronome(), settings=settings) as studio:
        audio = Audio(speechlike(3.0), 24_000)
        order = Order(
            text="[sigh] Come in.", clip_id="", start_s=0, end_s=0, transcript="", engine=ENGINE, design="male low high"
        )
        request = Request(text=order.text, reference=Reference(audio, ""), seed=1, engine=ENGINE)
        cost = Cost(queued_s=0.0, ttfa_s=0.1, total_s=1.0, compute_s=1.0, audio_s=audio.duration_s)
        take = studio.history.add("ann", order, Take(request, audio, cost, "brass"))
        voice = studio.take_voices.get("ann", take.id)
    assert voice.reference is not None
    assert voice.reference.transcript == words
