"""Segments are joined to one audio without loss, repetition or steps, with exact gaps and pauses."""

import numpy as np
import pytest

from engines.f5.assembly import LEAD_S, SEAM_S, TAIL_S, Joiner, Piece
from engines.types import Samples

RATE = 24_000
ROOM = 1e-4  # a constant far below speech, so that a gap in the joined audio is visible
AROUND_S = 0.3  # of this constant before and after the words of a waveform
HZ = 220.0


def samples(seconds: float) -> int:
    return round(seconds * RATE)


def wave(seed: int, seconds: float = 0.4) -> Samples:
    """Return unique noise with sharp edges, with the constant around it."""
    words = np.random.default_rng(seed).uniform(0.1, 0.2, samples(seconds))
    words[::2] *= -1
    whole = np.full(samples(seconds + 2 * AROUND_S), ROOM)
    whole[samples(AROUND_S) : samples(AROUND_S + seconds)] = words
    return whole.astype(np.float32)


def words(whole: Samples) -> Samples:
    return whole[samples(AROUND_S) : len(whole) - samples(AROUND_S)]


def joined(*pieces: tuple[Piece, Samples]) -> Samples:
    joiner = Joiner(RATE)
    return np.concatenate([joiner.add(piece, each) for piece, each in pieces])


def starts(sound: Samples, said: Samples) -> list[int]:
    """Return the positions of exactly these samples in the audio."""
    first = np.flatnonzero(sound[: len(sound) - len(said) + 1] == said[0])
    return [int(at) for at in first if np.array_equal(sound[at : at + len(said)], said)]


@pytest.mark.parametrize("ending", ["sentence", "clause", "word"])
def test_every_word_is_present_once_and_whole_with_its_natural_gap(ending: str) -> None:
    one, other, last = wave(1), wave(2), wave(3)
    sound = joined((Piece("a", ending=ending), one), (Piece("b", ending=ending), other), (Piece("c"), last))
    gap = samples(TAIL_S[ending]) + samples(LEAD_S) - samples(SEAM_S)
    step = len(words(one)) + gap
    assert [starts(sound, words(each)) for each in (one, other, last)] == [
        [samples(LEAD_S)],
        [samples(LEAD_S) + step],
        [samples(LEAD_S) + 2 * step],
    ]
    assert len(sound) == samples(LEAD_S) + 2 * step + len(words(last)) + samples(TAIL_S["end"])


@pytest.mark.parametrize("ending", ["sentence", "clause", "word"])
def test_the_background_continues_through_a_seam(ending: str) -> None:
    sound = joined((Piece("a", ending=ending), wave(1)), (Piece("b"), wave(2)))
    gap = sound[samples(LEAD_S) + samples(0.4) :][: samples(TAIL_S[ending]) + samples(LEAD_S) - samples(SEAM_S)]
    assert gap.min() > 0.8 * ROOM and gap.max() < 1.01 * ROOM


def test_a_seam_makes_no_step() -> None:
    """Use tones with opposite phases instead of the constant: the seam must not change faster than the tones."""
    at = np.arange(len(wave(1))) / RATE
    tones = [(ROOM * np.sin(2 * np.pi * HZ * at + phase)).astype(np.float32) for phase in (0.0, np.pi)]
    for tone, seed in zip(tones, (1, 2), strict=True):
        tone[samples(AROUND_S) : -samples(AROUND_S)] = words(wave(seed))
    sound = joined((Piece("a", ending="clause"), tones[0]), (Piece("b"), tones[1]))
    gap = sound[samples(LEAD_S) + samples(0.4) :][: samples(TAIL_S["clause"]) + samples(LEAD_S) - samples(SEAM_S)]
    assert np.abs(np.diff(gap)).max() < 1.5 * 2 * np.pi * HZ / RATE * ROOM


@pytest.mark.parametrize("pause_s", [0.05, 0.8, 1.2345])
def test_a_pause_is_exact_to_the_sample_and_digital_silence(pause_s: float) -> None:
    one, other = wave(1), wave(2)
    before, after = Piece("a", pause_after_s=pause_s), Piece("b", pause_before_s=pause_s)
    sound = joined((before, one), (after, other))
    spoken = np.flatnonzero(sound)
    gap = int(np.diff(spoken).max()) - 1
    assert gap == samples(pause_s)
    assert len(sound) == samples(LEAD_S) + 2 * len(words(one)) + samples(pause_s) + samples(TAIL_S["end"])


def test_words_at_an_exact_pause_begin_and_end_without_a_step() -> None:
    sound = joined((Piece("a", pause_after_s=0.5), wave(1)), (Piece("b", pause_before_s=0.5), wave(2)))
    edge = samples(LEAD_S) + samples(0.4)
    around = np.abs(np.concatenate((sound[edge - 3 : edge], sound[edge + samples(0.5) :][:3])))
    assert 0 < around.max() < 0.002


def test_a_segment_of_silence_is_a_pause() -> None:
    silence = joined((Piece("", pause_after_s=0.5), np.empty(0, np.float32)))
    assert len(silence) == samples(0.5) and not silence.any()


def test_a_waveform_without_a_tail_gets_one() -> None:
    cut = wave(1)[: samples(AROUND_S + 0.4)]
    sound = joined((Piece("a"), cut))
    assert len(sound) == samples(LEAD_S) + samples(0.4) + samples(TAIL_S["end"])
    assert not sound[samples(LEAD_S) + samples(0.4) :].any()
