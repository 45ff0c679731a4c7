"""The timbre correction of streamed audio does not depend on packet sizes."""

import json
import shutil
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
import soundfile
import torch

from engines.base import Checkpoint
from engines.registry import EngineOptions
from engines.s1 import timbre as subject
from engines.s1.engine import make_engine
from engines.s1.model import S1Model
from engines.s1.timbre import AHEAD, TimbreStream, VoiceTimbre, VoiceTimbres, spectra
from engines.timbre import MIN_LOUD_FRAMES, KnownVoices, Timbre, levelled, loud_frames, power_of, smooth
from engines.types import Audio, Reference, Samples
from tests.engines.speaking import spoken
from training.references import VOICES

RATE = 24_000


def read(name: str) -> Samples:
    samples, rate = soundfile.read(VOICES / f"{name}.flac", dtype="float32")
    assert rate == RATE
    return samples


@pytest.fixture(scope="module")
def speech() -> Samples:
    return read("references/amber")


def mean(samples: Samples) -> torch.Tensor:
    """Return the (100,) mean of loud frames, without its level."""
    mel = spectra(RATE).mel_of(torch.from_numpy(samples))
    return levelled(smooth(mel)[loud_frames(mel)].mean(0))


@pytest.fixture(scope="module")
def voice(speech: Samples) -> VoiceTimbre:
    """Return the timbre of an unseen voice, with the speech as its copy."""
    mel = spectra(RATE).mel_of(torch.from_numpy(read("heldout/rms-deep")))
    timbre = Timbre.of(mel)
    assert timbre is not None
    return VoiceTimbre(timbre, mean(speech), power_of(mel).max())


def through(stream: TimbreStream, samples: Samples, packets: Sequence[int]) -> Samples:
    """Correct the samples in packets of these sizes, repeated."""
    made, at, number = [], 0, 0
    while at < len(samples):
        made.append(stream.add(samples[at : at + packets[number % len(packets)]]))
        at, number = at + packets[number % len(packets)], number + 1
    return np.concatenate([*made, stream.end()])


def test_audio_without_correction_stays_unchanged(
    speech: Samples, voice: VoiceTimbre, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(subject, "MEAN_FACTOR", 0.0)
    made = through(TimbreStream(voice, 0.0, RATE), speech, [3_072])
    assert len(made) == len(speech)
    assert np.abs(made - speech).max() < 1e-5


@pytest.mark.parametrize("packets", [[1_024], [3_072, 6_144], [7, 5_000, 1]])
def test_packets_change_nothing(speech: Samples, voice: VoiceTimbre, packets: list[int]) -> None:
    whole = through(TimbreStream(voice, 0.6, RATE), speech, [len(speech)])
    cut = through(TimbreStream(voice, 0.6, RATE), speech, packets)
    assert len(cut) == len(speech)
    assert np.abs(cut - whole).max() < 1e-4
    assert np.abs(whole - speech).max() > 0.01


def test_the_first_packet_is_ready_except_for_the_look_ahead(speech: Samples, voice: VoiceTimbre) -> None:
    tables = spectra(RATE)
    ready = TimbreStream(voice, 0.6, RATE).add(speech[:3_072])
    assert 3_072 - len(ready) == tables.held + AHEAD * tables.hop == 1_792


def test_the_mean_envelope_becomes_that_of_the_reference(speech: Samples, voice: VoiceTimbre) -> None:
    made = mean(through(TimbreStream(voice, 0.6, RATE), speech, [6_144]))
    before, after = ((found - voice.timbre.mean).norm() for found in (mean(speech), made))
    assert after < 0.6 * before


def test_audio_after_an_end_starts_again_with_the_learned_mean(speech: Samples, voice: VoiceTimbre) -> None:
    stream = TimbreStream(voice, 0.6, RATE)
    first, again = through(stream, speech, [6_144]), through(stream, speech, [6_144])
    assert len(first) == len(again) == len(speech)
    early = slice(RATE // 2)
    assert np.abs(first[early] - again[early]).max() > 1e-3
    assert mean(first) == pytest.approx(mean(again), abs=0.3)


def test_silence_and_audio_shorter_than_a_frame_pass(voice: VoiceTimbre) -> None:
    for samples in (np.zeros(0, np.float32), np.zeros(10, np.float32), np.zeros(5_000, np.float32)):
        made = through(TimbreStream(voice, 0.6, RATE), samples, [1_024])
        assert len(made) == len(samples)
        assert not made.any()


def given(model: S1Model, samples: Samples, digest: str = "a") -> tuple[Audio, torch.Tensor, str]:
    config = model.codec.config
    resampled = torch.from_numpy(np.repeat(samples, 2)[: 20 * config.hop])
    return Audio(samples, config.sample_rate), model.encoder.encode(resampled), digest


def test_a_timbre_is_computed_once_and_known_or_short_voices_have_none(model: S1Model, speech: Samples) -> None:
    with torch.inference_mode():
        timbres, heard = VoiceTimbres(model.codec, 0.6, None), given(model, speech)
        one, other = timbres.stream(*heard), timbres.stream(*heard)
        assert one is not None and other is not None
        assert one is not other
        assert one._voice is other._voice
        assert VoiceTimbres(model.codec, 0.0, None).stream(*heard) is None
        short = speech[: (MIN_LOUD_FRAMES - 8) * 256]
        assert timbres.stream(*given(model, short, "b")) is None
        known = KnownVoices.read(VOICES / "s1" / "checkpoint")
        assert VoiceTimbres(model.codec, 0.6, known).stream(*given(model, read("references/basil"), "c")) is None


@pytest.mark.long
def test_a_checkpoint_with_timbre_correction_applies_it_reproducibly(tmp_path: Path) -> None:
    words = (VOICES / "heldout" / "espeak-man.txt").read_text().strip()
    voice = Reference(Audio(read("heldout/espeak-man"), RATE), words)
    shipped = Reference(
        Audio(read("references/amber"), RATE), (VOICES / "references" / "amber.txt").read_text().strip()
    )
    takes = {}
    for share in (None, 0.0):
        folder = tmp_path / str(share)
        shutil.copytree(VOICES / "s1" / "checkpoint", folder)
        path = folder / "generation_config.json"
        defaults = json.loads(path.read_text())
        assert defaults["timbre"] > 0
        if share is not None:
            path.write_text(json.dumps(defaults | {"timbre": share}))
        engine = make_engine(EngineOptions(name="cpu", cache_dir=str(tmp_path / "cache")))
        for _ in engine.load(Checkpoint(str(folder))):
            pass
        takes[share] = spoken(engine, voice), spoken(engine, shipped)
        assert np.array_equal(takes[share][0], spoken(engine, voice))
    wanted = mean(voice.audio.samples)
    matching, plain = ((mean(takes[share][0]) - wanted).norm() for share in (None, 0.0))
    assert matching < 0.8 * plain
    assert np.array_equal(takes[None][1], takes[0.0][1])  # a known voice
