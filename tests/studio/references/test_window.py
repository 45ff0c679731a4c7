"""Windows of a clip, and the words said in them."""

import re
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engines.audio import decode
from engines.errors import BadAudio
from engines.types import Audio
from studio.ears.listening import transcribe
from studio.ears.models import Models
from studio.references.window import Window, cut, propose, split_transcript

RATE = 16_000
RECORDINGS = Path(__file__).parents[3] / "assets" / "voices" / "heldout"
STORY = "The quick brown fox jumps over the lazy dog. She sells sea shells by the shore. We went home late, and slept."


def tone(length_s: float) -> np.ndarray:
    return (0.3 * np.sin(2 * np.pi * 200 * np.arange(round(length_s * RATE)) / RATE)).astype(np.float32)


def hush(length_s: float) -> np.ndarray:
    return np.zeros(round(length_s * RATE), np.float32)


def sentences(*lengths_s: float, gap_s: float = 0.5) -> Audio:
    parts = [part for length_s in lengths_s for part in (tone(length_s), hush(gap_s))]
    return Audio(np.concatenate([hush(0.3), *parts]), RATE)


def test_windows_begin_and_end_in_silence_and_fit():
    audio = sentences(3, 4, 5, 2, 6)
    windows = propose(audio, max_s=12, min_s=3)
    assert windows
    for window in windows:
        assert 3 <= window.length_s <= 12
        part = cut(audio, window)
        assert not part.samples[:1_000].any() and not part.samples[-1_000:].any()


def test_the_best_window_holds_most_speech():
    best = propose(sentences(2, 1, 5, 5, 1), max_s=12)[0]
    assert best.length_s > 10.5 and best.start_s > 2


def test_a_long_gap_is_avoided():
    audio = Audio(np.concatenate([tone(2), hush(4), tone(2), hush(0.3), tone(3), hush(0.3)]), RATE)
    assert propose(audio)[0].start_s > 5.5


def test_clipped_speech_is_avoided():
    audio = Audio(np.concatenate([np.sign(tone(6)), hush(0.5), tone(4), hush(0.5)]).astype(np.float32), RATE)
    assert propose(audio, max_s=7)[0].start_s > 6


def test_speech_without_silences_still_gets_windows():
    for window in propose(Audio(tone(30), RATE)):
        assert 3 <= window.length_s <= 12 and 0 <= window.start_s < window.end_s <= 30


def test_a_short_and_a_silent_clip_get_a_window():
    assert propose(Audio(tone(2), RATE)) == [Window(0.0, 2.0)]
    assert propose(Audio(hush(20), RATE))[0].length_s <= 12


@settings(max_examples=100, deadline=None, database=None)
@given(st.lists(st.tuples(st.floats(0.05, 4), st.floats(0.0, 2)), min_size=1, max_size=8), st.integers(3, 15))
def test_every_proposal_can_be_cut(parts, max_s):
    audio = Audio(np.concatenate([part for a, b in parts for part in (tone(a), hush(b))]), RATE)
    for window in propose(audio, max_s=max_s, min_s=2):
        assert len(cut(audio, window).samples) > 0
        assert window.length_s <= max_s + 0.3


def test_a_cut_is_exact_to_the_sample():
    audio = Audio(np.arange(RATE, dtype=np.float32), RATE)
    samples = cut(audio, Window(100 / RATE, 1_234 / RATE)).samples
    assert samples[0] == 100 and samples[-1] == 1_233 and len(samples) == 1_134
    assert len(cut(audio, Window(0.0, audio.duration_s)).samples) == RATE


@pytest.mark.parametrize(
    "window", [Window(-0.1, 1), Window(0.5, 0.5), Window(0.5, 9), Window(0.6, 0.5), Window(0, float("nan"))]
)
def test_a_window_off_the_clip_is_refused(window):
    with pytest.raises(BadAudio, match="select a part of the clip"):
        cut(Audio(tone(1), RATE), window)


def test_a_cut_between_sentences_splits_the_transcript_there():
    audio = sentences(2.6, 2.2, 2.2)  # near, not exactly, the share of syllables
    assert split_transcript(STORY, audio, Window(0.0, 3.1)) == "The quick brown fox jumps over the lazy dog."
    assert split_transcript(STORY, audio, Window(3.2, 5.8)) == "She sells sea shells by the shore."


@settings(max_examples=50, deadline=None, database=None)
@given(st.lists(st.floats(0, 8.6), max_size=4))
def test_adjoining_windows_share_every_word_between_them(places):
    audio = sentences(2.6, 2.2, 2.2)
    edges = [0.0, *sorted(places), audio.duration_s]
    pieces = [split_transcript(STORY, audio, Window(a, b)) for a, b in pairwise(edges)]
    assert " ".join(piece for piece in pieces if piece) == STORY


def test_the_whole_clip_has_the_whole_transcript_and_nothing_has_nothing():
    audio = sentences(2, 2)
    assert split_transcript(STORY, audio, Window(0, audio.duration_s)) == STORY
    assert split_transcript("", audio, Window(0, 2)) == ""


def test_the_words_split_off_are_those_a_recogniser_hears_in_the_window():
    spoken = [RECORDINGS / f"{name}.flac" for name in ("kal-light", "rms-deep", "awb-plain")]
    clips = [decode(path, max_duration_s=60) for path in spoken]
    story = " ".join(path.with_suffix(".txt").read_text().strip() for path in spoken)
    gap = np.zeros(clips[0].sample_rate // 2, np.float32)
    audio = Audio(np.concatenate([part for clip in clips for part in (clip.samples, gap)]), clips[0].sample_rate)
    window = propose(audio, max_s=6, min_s=2)[0]
    written = set(re.findall(r"[a-z']+", split_transcript(story, audio, window).lower()))
    heard = set(re.findall(r"[a-z']+", transcribe(Models(), cut(audio, window)).text.lower()))
    assert len(written & heard) >= 0.7 * len(written) > 0


def test_silence_transcribes_to_nothing_much():
    assert len(transcribe(Models(), Audio(hush(2), RATE)).words) <= 2
