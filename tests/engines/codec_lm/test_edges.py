"""The edges of a group's streamed audio: complete words and correct silences for any packet sizes."""

import numpy as np
import pytest

from engines.codec_lm.edges import LEAD_S, TAIL_S, Edges
from engines.types import Samples

RATES = [24_000, 44_100]
LEVEL = 0.1
ROOM = LEVEL / 1_000  # 60 dB below the voice
BEFORE_S, WORD_S, GAP_S, AFTER_S = 0.5, 0.3, 0.4, 0.45


def frames(seconds: float, rate: int) -> int:
    """Return the samples of this duration in whole 5 ms frames, the unit of the trimming."""
    return round(seconds / 0.005) * round(0.005 * rate)


def wave(rate: int) -> Samples:
    """Return two words of noise with a background."""
    chance = np.random.default_rng(0)
    parts = [ROOM, LEVEL, ROOM, LEVEL, ROOM]
    lengths = [frames(seconds, rate) for seconds in (BEFORE_S, WORD_S, GAP_S, WORD_S, AFTER_S)]
    return np.concatenate([chance.normal(0, level, n) for level, n in zip(parts, lengths, strict=True)]).astype("f4")


def words(rate: int) -> slice:
    start = frames(BEFORE_S, rate)
    return slice(start, start + 2 * frames(WORD_S, rate) + frames(GAP_S, rate))


def streamed(whole: Samples, rate: int, packet: int, exact_start: bool, exact_end: bool) -> Samples:
    edges = Edges(rate, LEVEL, exact_start)
    packets = [edges.add(whole[at : at + packet]) for at in range(0, len(whole), packet)]
    return np.concatenate([*packets, edges.end(exact_end)])


@pytest.mark.parametrize("rate", RATES)
@pytest.mark.parametrize("packet", [97, 1_024, 6_144, 1_000_000])
def test_words_are_complete_with_the_silence_of_natural_edges(rate: int, packet: int) -> None:
    whole = wave(rate)
    sound = streamed(whole, rate, packet, exact_start=False, exact_end=False)
    said, lead, tail = words(rate), frames(LEAD_S, rate), round(TAIL_S * rate)
    np.testing.assert_array_equal(sound[: len(sound) - tail], whole[said.start - lead : said.stop])
    assert np.abs(sound[-tail:]).max() < 6 * ROOM
    assert abs(sound[-1]) < ROOM / 10


@pytest.mark.parametrize("rate", RATES)
@pytest.mark.parametrize("packet", [97, 6_144])
def test_at_exact_pauses_only_the_words_remain(rate: int, packet: int) -> None:
    whole = wave(rate)
    sound = streamed(whole, rate, packet, exact_start=True, exact_end=True)
    np.testing.assert_array_equal(sound, whole[words(rate)])


def test_speech_is_delivered_before_the_group_ends() -> None:
    whole = wave(24_000)
    edges = Edges(24_000, LEVEL, exact_start=False)
    early = [len(edges.add(packet)) for packet in np.split(whole, 12)]
    assert sum(early[:6]) >= frames(WORD_S, 24_000)


def test_a_group_without_a_word_is_silent() -> None:
    room = np.random.default_rng(1).normal(0, ROOM, 48_000).astype(np.float32)
    assert not len(streamed(room, 24_000, 1_024, exact_start=False, exact_end=False))


def test_a_group_without_a_tail_gets_one() -> None:
    whole = wave(24_000)[: words(24_000).stop]
    sound = streamed(whole, 24_000, 1_024, exact_start=True, exact_end=False)
    assert len(sound) == words(24_000).stop - words(24_000).start + round(TAIL_S * 24_000)
    assert not sound[-round(TAIL_S * 24_000) :].any()
