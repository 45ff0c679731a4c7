"""The two sides of a trial are equal in everything but themselves."""

import io

import numpy as np
import pyloudnorm
import pytest
import soundfile

from engines.types import Audio
from studio.listening.loudness_match import matched, wav
from tests.studio.listening.takes import sound


def served(one: Audio, other: Audio) -> list[tuple[np.ndarray, int]]:
    """What a browser would decode, up to the silence that was added, in which there is nothing to measure."""
    decoded = [soundfile.read(io.BytesIO(wav(side))) for side in matched(one, other)]
    return [
        (samples[: int(take.duration_s * rate)], rate)
        for take, (samples, rate) in zip((one, other), decoded, strict=True)
    ]


PAIRS = {
    "one 20 dB louder": (sound(gain=1.0), sound(gain=0.1, seed=1)),
    "two rates": (sound(rate=44_100, gain=0.5), sound(rate=24_000, seed=1)),
    "beyond full scale": (sound(gain=30.0), sound(gain=8.0, seed=1)),
    "a quiet one with a loud click": (
        Audio(np.concatenate([sound().samples * 0.1, [np.float32(0.99)]]).astype(np.float32), 24_000),
        sound(gain=2.0, seed=1),
    ),
    "short": (sound(0.5), sound(0.7, gain=0.2, seed=1)),
}


@pytest.mark.parametrize("name", PAIRS)
def test_both_sides_are_equally_loud_and_clip_nowhere(name: str) -> None:
    (one, rate), (other, other_rate) = served(*PAIRS[name])
    assert rate == other_rate
    block_s = min(0.4, len(one) / rate, len(other) / rate)
    meter = pyloudnorm.Meter(rate, block_size=block_s)
    assert abs(meter.integrated_loudness(one) - meter.integrated_loudness(other)) <= 0.1
    assert max(np.abs(one).max(), np.abs(other).max()) < 1.0


@pytest.mark.parametrize("name", PAIRS)
def test_neither_side_is_turned_up(name: str) -> None:
    for before, (after, _) in zip(PAIRS[name], served(*PAIRS[name]), strict=True):
        assert np.sqrt(np.mean(after**2)) <= np.sqrt(np.mean(before.samples**2)) * 1.001


def test_a_silent_take_does_not_silence_the_other() -> None:
    silence = Audio(np.zeros(24_000, np.float32), 24_000)
    (one, _), (other, _) = served(silence, sound())
    assert np.abs(one).max() == 0.0
    np.testing.assert_allclose(other, sound().samples, atol=1e-6)


def test_the_files_differ_in_nothing_but_samples() -> None:
    one, other = (wav(side) for side in matched(sound(2.0, rate=44_100), sound(3.0, seed=1)))
    assert one[36:40] == b"data"
    assert one[:44] == other[:44]
    assert len(one) == len(other)


@pytest.mark.parametrize(("one_s", "other_s", "both_s"), [(2.0, 3.0, 3.5), (2.7, 1.0, 3.0), (0.2, 0.3, 0.5)])
def test_both_end_in_silence_past_the_longer_one(one_s: float, other_s: float, both_s: float) -> None:
    for side in matched(sound(one_s, rate=44_100), sound(other_s, seed=1)):
        assert side.duration_s == both_s
        assert side.samples[-1] == 0.0
