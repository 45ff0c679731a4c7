"""Faults of takes that the ears find, and differences of spelling that are none."""

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
import soundfile

from engines.types import Audio
from studio.ears.boundaries import place_phones
from studio.ears.comparison import compare
from studio.ears.dictionary import pronounce
from studio.ears.listening import transcribe
from studio.ears.models import Models
from studio.ears.phones import distance, matches
from studio.ears.placing import align
from studio.ears.sound import PASSAGE_MAX_S, passages
from studio.ears.vocabulary import Comparison
from studio.script.checks.wording import typed_words

NATURAL = Path(__file__).parents[3] / "assets" / "voices" / "natural"
MODELS = Models()


def clip(name: str) -> tuple[Audio, str]:
    samples, rate = soundfile.read(NATURAL / f"{name}.flac", dtype="float32")
    return Audio(samples, rate), (NATURAL / f"{name}.txt").read_text("utf-8").strip()


def heard(audio: Audio, text: str) -> Comparison:
    return compare(MODELS.recogniser, audio, typed_words(text))


def without(audio: Audio, start_s: float, end_s: float) -> Audio:
    start, end = (round(at_s * audio.sample_rate) for at_s in (start_s, end_s))
    return Audio(np.concatenate([audio.samples[:start], audio.samples[end:]]), audio.sample_rate)


@pytest.mark.parametrize("name", ["natural-03", "natural-06"])
def test_a_line_that_is_said_is_complete(name: str) -> None:
    found = heard(*clip(name))
    assert found.complete and len(found.kept) == len(found.words)


def test_a_word_that_is_cut_out_is_missing() -> None:
    audio, text = clip("natural-03")
    word = heard(audio, text).words[8].word
    found = heard(without(audio, word.start_s, word.end_s), text)
    assert word.word == "hour" and 8 in {*found.missing, *found.misheard}


def test_another_word_in_the_place_of_a_word_is_misheard() -> None:
    audio, text = clip("natural-03")
    found = heard(audio, text.replace("station", "cathedral"))
    assert [found.words[place].word.word for place in found.misheard] == ["cathedral"]


def test_words_that_the_line_lacks_are_added() -> None:
    audio, text = clip("natural-03")
    found = heard(audio, text.replace(" almost an hour", ""))
    assert found.added and not found.missing


def test_names_numbers_and_compounds_are_compared_by_sound() -> None:
    audio, text = clip("natural-03")
    written = text.replace("almost an hour", "almostt an our").replace("station", "stayshun")
    assert heard(audio, written).complete


def test_a_transcript_has_capitals_punctuation_and_times() -> None:
    audio, text = clip("natural-03")
    found = transcribe(MODELS, audio)
    assert found.text.replace(",", "") == text.replace(",", "")
    starts = [word.start_s for word in found.words]
    assert starts == sorted(starts) and starts[0] >= 0 and found.words[-1].end_s <= audio.duration_s + 0.001


def test_long_audio_is_heard_in_passages() -> None:
    audio, text = clip("natural-03")
    long = Audio(np.tile(np.pad(audio.samples, (0, audio.sample_rate // 2)), 7), audio.sample_rate)
    assert long.duration_s > PASSAGE_MAX_S and len(passages(long)) > 1
    words = align(MODELS, long, typed_words(" ".join([text] * 7)))
    firsts = [word.start_s for word in words[:: len(text.split())]]
    period = audio.duration_s + 0.5
    assert np.abs(np.array(firsts) - firsts[0] - period * np.arange(7)).max() < 0.1


def test_equal_sounds_have_no_distance_whatever_their_spelling() -> None:
    assert distance(pronounce("through"), pronounce("threw")) == 0
    assert pronounce("chickens") == ("CH", "IH", "K", "AH", "N", "Z")


def test_split_and_joined_words_are_matched_together() -> None:
    found = matches([pronounce("lighthouse"), pronounce("now")], [pronounce(w) for w in ("light", "house", "now")])
    assert [(one.start, one.end, one.heard_start, one.heard_end) for one in found] == [(0, 1, 0, 2), (1, 2, 2, 3)]


def test_phones_fill_their_word_in_order() -> None:
    phones = place_phones(("S", "AY", "T"), 1.0, 1.5)
    assert (phones[0].start_s, phones[-1].end_s) == (1.0, 1.5)
    assert all(one.end_s == two.start_s for one, two in pairwise(phones))
