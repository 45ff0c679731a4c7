"""The quality report finds planted faults, and finds none in good clips."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import soundfile

from bench.planting import FAULTS
from engines.audio import loudness_lufs, resample
from engines.types import Audio
from studio.ears.quality import heard_lufs, measure
from studio.ears.quality.opinion import predict_mos

ROOT = Path(__file__).parents[4]
VOICES = ROOT / "assets" / "voices"
CLIPS = ("known/natural-10", "known/natural-14", "known/natural-16", "natural/natural-02", "references/edgar")


def clip(name: str) -> Audio:
    samples, rate = soundfile.read(VOICES / f"{name}.flac", dtype="float32")
    return Audio(samples, rate)


def with_sine(audio: Audio, frequency_hz: float, amplitude: float) -> Audio:
    at = np.arange(len(audio.samples)) / audio.sample_rate
    sine = amplitude * np.cos(2 * np.pi * frequency_hz * at)
    return Audio((audio.samples + sine).astype(np.float32), audio.sample_rate)


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_of_middle_strength_is_found_in_every_clip(fault: str) -> None:
    plant, strengths, _ = FAULTS[fault]
    random = np.random.default_rng(1)
    for number, name in enumerate(CLIPS):
        spoilt, is_found = plant(clip(name), strengths[1], number, random)
        report = measure(spoilt)
        assert is_found(report), name
        assert report.of(fault).severity != "none", name


@pytest.mark.parametrize("name", CLIPS)
def test_a_good_clip_has_no_fault(name: str) -> None:
    assert measure(clip(name)).faults == ()


def test_a_tone_at_the_nyquist_frequency_whose_phase_changes_is_found() -> None:
    """Use the tone of a vocoder whose highest frequency bin was not trained."""
    voice = clip("natural/natural-02")
    frames = np.random.default_rng(2).normal(size=len(voice.samples) // 1024 + 2)
    changing = np.interp(np.arange(len(voice.samples)) / 1024, np.arange(len(frames)), frames)
    alternating = np.cos(np.pi * np.arange(len(voice.samples))) * changing
    found = measure(Audio((voice.samples + 0.03 * alternating).astype(np.float32), voice.sample_rate)).of("tone")
    assert found.severity == "fail" and found.value == pytest.approx(12_000, abs=120)
    assert found.message.startswith("A constant tone at 1") and found.unit == "Hz"


def test_a_tone_is_told_from_hum_by_its_frequency() -> None:
    tone = measure(with_sine(clip("natural/natural-02"), 1234.0, 0.01))
    assert [round(one.frequency_hz) for one in tone.tones] == [1234] and tone.hum is None
    hum = measure(with_sine(clip("natural/natural-02"), 60.0, 0.01))
    assert hum.tones == () and hum.hum is not None and hum.hum.mains_hz == 60.0


def test_a_tone_that_nobody_hears_does_not_count_as_loud() -> None:
    voice = clip("natural/natural-02")
    spoilt = with_sine(voice, 12_000.0, 0.1)
    assert loudness_lufs(spoilt) > loudness_lufs(voice) + 1.0
    assert heard_lufs(spoilt) == pytest.approx(loudness_lufs(voice), abs=0.2)
    assert heard_lufs(voice) == loudness_lufs(voice)


def test_a_tone_that_everybody_hears_counts_as_loud() -> None:
    spoilt = with_sine(clip("natural/natural-02"), 1234.0, 0.1)
    assert heard_lufs(spoilt) == loudness_lufs(spoilt)


def test_a_tone_does_not_widen_the_bandwidth() -> None:
    narrow = resample(resample(clip("natural/natural-02"), 8_000), 24_000)
    report = measure(with_sine(narrow, 11_000.0, 0.01))
    assert report.bandwidth_hz < 4_300 and report.of("bandwidth").severity == "doubt"


def test_clipping_is_found_after_the_level_was_reduced() -> None:
    voice = clip("natural/natural-02")
    limit = float(np.quantile(np.abs(voice.samples), 0.995))
    flat = measure(Audio(np.clip(voice.samples, -limit, limit) * np.float32(0.3), voice.sample_rate))
    assert not flat.clipping.at_full_scale and "limited (flat peaks)" in flat.of("clipping").message


def test_a_pause_is_no_dropout() -> None:
    voice = clip("natural/natural-02").samples
    audio = Audio(np.concatenate([voice[:48_000], np.zeros(12_000, np.float32), voice[48_000:]]), 24_000)
    assert measure(audio).dropouts == ()


@pytest.mark.parametrize("length", [0, 1, 700, 2_400, 24_000])
@pytest.mark.parametrize("value", [0.0, 1.0, -0.3])
def test_constant_samples_of_any_length_are_measured(length: int, value: float) -> None:
    report = measure(Audio(np.full(length, value, np.float32), 24_000))
    assert len({finding.name for finding in report.findings}) == len(report.findings) == 8


@pytest.mark.parametrize("use", ["take", "reference"])
def test_each_fault_says_what_to_do(use: str) -> None:
    random = np.random.default_rng(3)
    for fault, (plant, strengths, _) in FAULTS.items():
        spoilt, _ = plant(clip("natural/natural-02"), strengths[2], 1, random)
        message = measure(spoilt, "take" if use == "take" else "reference").of(fault).message
        assert message.endswith(".") and message.count(". ") == 1, message


def test_the_opinion_is_predicted_on_request_only() -> None:
    good = clip("known/natural-10")
    assert measure(good).mos is None
    assert measure(good, with_mos=True).mos == predict_mos(good)
    assert 4.0 < (predict_mos(good) or 0.0) < 5.0


def test_measuring_loads_no_torch() -> None:
    code = "import sys, numpy as np; from engines.types import Audio; from studio.ears.quality import measure; "
    code += "measure(Audio(np.ones(9000, np.float32), 24000)); sys.exit('torch' in sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True, cwd=ROOT)
