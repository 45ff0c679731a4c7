"""The sounds of a trial are equal in loudness, onset, band, length and format."""

import io
from collections.abc import Mapping

import numpy as np
import pytest
import soundfile

from engines.types import Audio
from studio.ears.quality import heard_lufs
from studio.listening.loudness_match import true_peak_dbtp
from studio.listening.sessions.listeners import QUIET
from studio.listening.sessions.sounds import LEAD_S, TrialSounds
from studio.listening.sessions.trials import SessionSide, SessionTrial
from tests.studio.house import speechlike

RATES = (16_000, 22_050, 24_000, 44_100, 48_000)


def served(sounds: Mapping[int, Audio], *treatments: str) -> list[Audio]:
    """What a browser gets for one trial whose sides are these arms."""
    sides = tuple(
        SessionSide(arm, treatment) for arm, treatment in zip(sounds, [*treatments, *[""] * len(sounds)], strict=False)
    )
    trial = SessionTrial(kind="trial", line=0, sides=sides)
    files = TrialSounds(lambda id, line, side: sounds[side.arm]).files("s", trial)
    assert len({len(file) for file in files}) == 1 and len({file[:44] for file in files}) == 1
    return [Audio(*soundfile.read(io.BytesIO(file), dtype="float32")) for file in files]


def random_take(draw: np.random.Generator) -> Audio:
    """A take of 1 to 6 s with silence before it, quiet, usual or clipped."""
    rate = int(draw.choice(RATES))
    seconds, before_s = draw.uniform(1.0, 6.0), draw.uniform(0.0, 0.8)
    speech = speechlike(seconds * rate / 24_000, int(draw.integers(1_000)))[: int(seconds * rate)]
    loud = speech * np.float32(10 ** (draw.uniform(-40, 30) / 20))
    samples = np.concatenate([np.zeros(int(before_s * rate)), np.clip(loud, -1.0, 1.0)])
    return Audio(samples.astype(np.float32), rate)


def loudness(audio: Audio) -> float:
    """Loudness as heard, without the end that was added."""
    levels = np.abs(audio.samples)
    end = int(np.flatnonzero(levels > QUIET * levels.max()).max()) + 1
    return heard_lufs(Audio(audio.samples[:end], audio.sample_rate))


def begin_s(audio: Audio) -> float:
    """The first moment that is within 40 dB of the peak."""
    loud = np.abs(audio.samples) > 0.01 * np.abs(audio.samples).max()
    return float(np.argmax(loud)) / audio.sample_rate


@pytest.mark.parametrize("seed", range(50))
def test_both_sides_are_equally_loud_and_begin_at_the_same_moment(seed: int) -> None:
    draw = np.random.default_rng(seed)
    a, b = served({0: random_take(draw), 1: random_take(draw)})
    assert abs(loudness(a) - loudness(b)) <= 0.1
    assert abs(begin_s(a) - begin_s(b)) <= 0.005 and abs(begin_s(a) - LEAD_S) <= 0.01
    assert max(true_peak_dbtp(a), true_peak_dbtp(b)) <= -1.0 + 0.05


def test_no_side_has_a_wider_band() -> None:
    draw = np.random.default_rng(5)
    wide = Audio((0.1 * draw.standard_normal(96_000)).astype(np.float32), 48_000)
    narrow = Audio((0.1 * draw.standard_normal(48_000)).astype(np.float32), 24_000)
    for side in served({0: wide, 1: narrow}):
        spectrum = np.abs(np.fft.rfft(side.samples)) ** 2
        hertz = np.fft.rfftfreq(len(side.samples), 1 / side.sample_rate)
        assert side.sample_rate == 24_000
        assert spectrum[hertz > 11_500].sum() < 1e-6 * spectrum.sum()


def test_the_anchor_has_no_sound_above_its_limit_and_the_damaged_side_is_noisy() -> None:
    voice = Audio(speechlike(3.0), 24_000)
    anchor, damaged, whole = served({0: voice, 1: voice, 2: voice}, "anchor", "damaged")
    power = [np.abs(np.fft.rfft(side.samples)) ** 2 for side in (anchor, damaged, whole)]
    hertz = np.fft.rfftfreq(len(whole.samples), 1 / 24_000)
    high = [one[hertz > 4_500].sum() / one.sum() for one in power]
    assert high[0] < 1e-3 < high[2]
    gaps = [side.samples[24_000:26_000].std() / side.samples.std() for side in (damaged, whole)]
    assert gaps[0] > 0.3


def test_a_silent_take_is_served_as_silence() -> None:
    silent, voice = served({0: Audio(np.zeros(24_000, np.float32), 24_000), 1: Audio(speechlike(2.0), 24_000)})
    assert not silent.samples.any() and voice.samples.any()
