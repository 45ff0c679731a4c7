"""F5's input from a reference does not depend on the clip's rate, level and silences."""

import string

import numpy as np
import pytest
import soxr
import torch

from engines.f5.mel import BANDS, HOP, SAMPLE_RATE
from engines.f5.references import TAIL_S, F5Reference, F5ReferenceCache
from engines.types import Audio, Reference
from tests.engines.f5.conftest import VOICES, reference

CHARACTERS = frozenset(string.ascii_lowercase + " ',.?!-:;")


@pytest.fixture(scope="module")
def references() -> F5ReferenceCache:
    return F5ReferenceCache(CHARACTERS, torch.device("cpu"))


def at_rate(voice: Reference, rate: int) -> Reference:
    samples = soxr.resample(voice.audio.samples, voice.audio.sample_rate, rate)
    return Reference(Audio(samples.astype(np.float32), rate), voice.transcript)


def with_silence(voice: Reference, at_s: float, seconds: float) -> Reference:
    samples, rate = voice.audio.samples, voice.audio.sample_rate
    at, silence = round(at_s * rate), np.zeros(round(seconds * rate), np.float32)
    return Reference(Audio(np.concatenate((samples[:at], silence, samples[at:])), rate), voice.transcript)


def bands_below(hz: float) -> int:
    """Return the number of mel bands that end below a frequency."""
    top = 2595 * np.log10(1 + SAMPLE_RATE / 2 / 700)
    ends_hz = 700 * (10 ** (np.linspace(0, top, BANDS + 2)[2:] / 2595) - 1)
    return int((ends_hz < hz).sum())


def difference(one: F5Reference, other: F5Reference, bands: int = BANDS) -> float:
    """Return the mean difference of the log-mels over voiced frames."""
    loud = one.mel.mean(1) > one.mel.mean(1).max() - 4
    return float((one.mel - other.mel)[loud, :bands].abs().mean())


@pytest.mark.parametrize("rate", [8_000, 16_000, 22_050, 44_100, 48_000, 96_000])
def test_a_clip_at_another_rate_gives_the_same_reference(
    references: F5ReferenceCache, amber: Reference, rate: int
) -> None:
    native, other = references.prepare(amber), references.prepare(at_rate(amber, rate))
    assert len(other.mel) == len(native.mel) == int((amber.audio.duration_s + TAIL_S) * SAMPLE_RATE / HOP) + 1
    assert other.paced_frames == pytest.approx(native.paced_frames, abs=1)
    assert difference(native, other, bands_below(0.45 * min(rate, SAMPLE_RATE))) < 0.01


@pytest.mark.parametrize("level_db", [-20.0, -40.0])
def test_a_quieter_clip_gives_the_same_reference_and_its_gain(
    references: F5ReferenceCache, amber: Reference, level_db: float
) -> None:
    factor = 10 ** (level_db / 20)
    quiet = Reference(Audio((amber.audio.samples * factor).astype(np.float32), SAMPLE_RATE), amber.transcript)
    native, other = references.prepare(amber), references.prepare(quiet)
    assert difference(native, other) < 0.01
    assert other.gain == pytest.approx(native.gain * factor, rel=1e-3)


@pytest.mark.parametrize("name", [path.stem for path in sorted((VOICES / "references").glob("*.flac"))])
def test_a_shipped_reference_has_hardly_any_frames_that_do_not_count_for_its_pace(
    references: F5ReferenceCache, name: str
) -> None:
    prepared = references.prepare(reference(VOICES / "references" / f"{name}.flac"))
    assert 0.98 * len(prepared.mel) <= prepared.paced_frames <= len(prepared.mel)


@pytest.mark.parametrize("at_s", [0.0, 1.48, 5.3])  # before, within and after the speech
def test_the_length_of_a_silence_does_not_change_the_pace(
    references: F5ReferenceCache, amber: Reference, at_s: float
) -> None:
    native, one, three = (references.prepare(with_silence(amber, at_s, seconds)) for seconds in (0.0, 1.0, 3.0))
    assert len(three.mel) - len(one.mel) == pytest.approx(2 * SAMPLE_RATE / HOP, abs=1)
    assert three.paced_frames == pytest.approx(one.paced_frames, abs=2)
    assert native.paced_frames <= one.paced_frames < 1.06 * native.paced_frames


def test_no_band_is_below_the_checkpoints_floor() -> None:
    voice = at_rate(reference(VOICES / "references" / "amber.flac"), 16_000)
    heard, floored = (
        F5ReferenceCache(CHARACTERS, torch.device("cpu"), *floor).prepare(voice).mel for floor in ((), (-3.3,))
    )
    assert heard[:, -1].median() < -11
    assert torch.equal(floored, heard.clamp(min=-3.3))
