"""References: clips are kept, checked and repaired."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import soundfile

from engines.audio import decode, loudness_lufs, resample
from engines.errors import BadAudio, BadText
from engines.types import Audio
from studio.ears.quality.clipping import full_scale
from studio.ears.quality.levels import measure_levels, rumble_and_bandwidth
from studio.references.clip import Source
from studio.references.library import ClipStore, UnknownClip
from studio.references.repairs import repair, starts_at_s
from studio.references.report import Check, failures, report
from studio.references.window import Window, reference_of

RATE = 24_000
LINE = "The gate is open now, so run and do not look back at the night."  # 15 syllables


def voice(length_s: float, rate: int = RATE, seed: int = 0, level: float = 0.3) -> np.ndarray:
    """Syllables of a buzzing, hissing 120 Hz source, four a second with short stops, full bandwidth."""
    rng = np.random.default_rng(seed)
    at = np.arange(round(length_s * rate)) / rate
    buzz = sum(np.sin(2 * np.pi * 120 * k * at + k) / k for k in range(1, int(rate * 0.45 / 120)))
    sound = (buzz + 0.3 * rng.normal(size=len(at))) * (0.05 + np.abs(np.sin(2 * np.pi * 2 * at)))
    return (level * sound / np.abs(sound).max()).astype(np.float32)


def room(length_s: float, level: float = 1e-4, seed: int = 1) -> np.ndarray:
    return np.random.default_rng(seed).normal(0, level, round(length_s * RATE)).astype(np.float32)


def clip(*parts: np.ndarray) -> Audio:
    return Audio(np.concatenate(parts).astype(np.float32), RATE)


def good() -> Audio:
    return clip(room(0.2), voice(4), room(0.2))


def check(audio: Audio, name: str, source: Source | None = None, transcript: str = LINE) -> Check:
    return report(audio, source or Source(sample_rate=RATE), transcript).of(name)


def saved(path: Path, samples: np.ndarray, rate: int = RATE, subtype: str = "FLOAT") -> Path:
    soundfile.write(path, samples, rate, subtype=subtype)
    return path


@pytest.fixture
def store(tmp_path) -> ClipStore:
    return ClipStore(tmp_path / "data")


# The store.


def test_what_is_kept_comes_back_to_the_bit(store, tmp_path):
    stereo = np.stack([voice(2), voice(2, seed=3)], 1)
    kept = store.add(saved(tmp_path / "a.wav", stereo), "../up\x00loads/My voice.wav")
    again = store.get(kept.id)
    assert np.array_equal(again.audio.samples, kept.audio.samples)
    assert kept.id == again.audio.digest and again.name == kept.name == "My voice.wav"
    assert again.source == kept.source and kept.source.channels == 2
    assert store.original(kept.id).read_bytes() == (tmp_path / "a.wav").read_bytes()


def test_the_same_sound_is_kept_once_and_nothing_is_left_staged(store, tmp_path):
    path = saved(tmp_path / "a.wav", voice(2))
    assert store.add(path, "a.wav").id == store.add(path, "b.wav").id
    assert len(list((tmp_path / "data" / "clips").iterdir())) == 1


def test_reads_create_nothing(store, tmp_path):
    assert store.samples() == []
    for id in ("0" * 64, "../../etc", "", "A" * 64):
        with pytest.raises(UnknownClip):
            store.get(id)
    assert not (tmp_path / "data").exists()


def test_a_refused_file_leaves_no_trace(store, tmp_path):
    with pytest.raises(BadAudio):
        store.add(saved(tmp_path / "a.wav", voice(0.1)), "a.wav")
    assert not (tmp_path / "data").exists()


def test_a_clip_changed_on_disk_is_refused(store, tmp_path):
    kept = store.add(saved(tmp_path / "a.wav", voice(2)), "a.wav")
    saved(tmp_path / "data" / "clips" / kept.id / "audio.wav", voice(2, seed=9))
    with pytest.raises(BadAudio, match="upload the clip again"):
        store.get(kept.id)


def test_two_processes_may_publish_the_same_clip_at_once(tmp_path):
    path = saved(tmp_path / "a.wav", voice(20))
    code = "import sys, pathlib as p; from studio.references.library import ClipStore as C; "
    code += "print(C(p.Path(sys.argv[1])).add(p.Path(sys.argv[2]), 'a').id)"
    root = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[3])}
    run = [sys.executable, "-c", code, str(tmp_path / "data"), str(path)]
    both = [subprocess.Popen(run, stdout=subprocess.PIPE, env=root) for _ in range(2)]
    ids = {process.communicate(timeout=300)[0] for process in both}
    assert len(ids) == 1 and [process.returncode for process in both] == [0, 0]
    assert len(list((tmp_path / "data" / "clips").iterdir())) == 1


def test_the_engine_gets_exactly_the_window_and_its_transcript(store, tmp_path):
    kept = store.add(saved(tmp_path / "a.wav", voice(5)), "a.wav")
    reference = reference_of(kept.audio, Window(1.0, 3.5), "as edited")
    assert np.array_equal(reference.audio.samples, kept.audio.samples[RATE : RATE * 7 // 2])
    assert reference.transcript == "as edited"
    with pytest.raises(BadText, match="no transcript"):
        reference_of(kept.audio, Window(1.0, 3.5), "  ")


def test_shipped_samples_are_wavs_with_a_transcript_beside_them(tmp_path):
    saved(tmp_path / "anna.wav", voice(3))
    saved(tmp_path / "mute.wav", voice(3))
    (tmp_path / "anna.txt").write_text(f"{LINE}\n")
    assert [(s.name, s.transcript) for s in ClipStore(tmp_path / "data", tmp_path).samples()] == [("anna", LINE)]


def test_a_mended_clip_is_kept_without_an_original(store):
    kept = store.add_audio(good(), "mended.wav")
    assert store.get(kept.id).audio.duration_s == pytest.approx(4.4) and store.original(kept.id) is None


# Bad uploads.


@pytest.mark.parametrize("length_s", [0.1, 0.99])
def test_a_clip_under_a_second_is_refused_naming_the_limit(store, tmp_path, length_s):
    with pytest.raises(BadAudio, match=f"{length_s:.2f} s long, but a voice needs at least 1 s"):
        store.add(saved(tmp_path / "a.wav", voice(length_s)), "a.wav")


def test_an_hour_is_refused_naming_the_limit(store, tmp_path):
    path = tmp_path / "a.flac"
    with soundfile.SoundFile(path, "w", 8_000, 1, format="FLAC") as file:
        for _ in range(60):
            file.write(np.zeros(480_000, np.float32))
    with pytest.raises(BadAudio, match=r"60 min.*120 s"):
        store.add(path, "a.flac")


def test_two_minutes_are_taken(store, tmp_path):
    path = saved(tmp_path / "a.flac", np.tile(voice(10, 16_000), 12), 16_000, "PCM_16")
    assert store.add(path, "a").audio.duration_s == 120


def test_eight_channels_with_one_voice_are_taken_and_the_loudest_is_offered(store, tmp_path):
    channels = np.zeros((4 * RATE, 8), np.float32)
    channels[:, 5] = voice(4)
    kept = store.add(saved(tmp_path / "a.wav", channels), "a.wav")
    found = check(kept.audio, "channels", kept.source)
    assert (found.state, found.repair) == ("warn", "mono") and "8 channels" in found.message
    mended = repair(kept.audio, "mono", original=store.original(kept.id))
    assert np.array_equal(mended.samples, channels[:, 5])


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_values_that_are_not_numbers_are_refused(store, tmp_path, value):
    samples = voice(2)
    samples[99] = value
    with pytest.raises(BadAudio, match="NaN"):
        store.add(saved(tmp_path / "a.wav", samples), "a.wav")
    with pytest.raises(BadAudio, match="NaN"):
        store.add_audio(Audio(samples, RATE), "a.wav")


def test_text_named_as_sound_is_refused(store, tmp_path):
    (tmp_path / "a.mp3").write_text("not a sound " * 400)
    with pytest.raises(BadAudio, match="not audio"):
        store.add(tmp_path / "a.mp3", "a.mp3")


# The report.


def test_a_good_reference_passes_every_check():
    card = report(good(), Source(sample_rate=RATE), LINE)
    assert card.state == "ok", [c for c in card.checks if c.state != "ok"]
    assert len({c.name for c in card.checks}) == len(card.checks) == 12


def test_a_silent_clip_fails():
    for audio in (clip(np.zeros(3 * RATE)), clip(room(3))):
        card = report(audio, Source(sample_rate=RATE), LINE)
        assert card.state == "fail" and "No voice" in card.of("level").message


def test_of_channels_that_cancel_each_other_one_is_offered():
    cancelled = clip(np.zeros(3 * RATE))
    assert report(cancelled, Source(sample_rate=RATE, channels=2, mix_loss_db=90), LINE).of("channels").repair == "mono"
    assert "channels" not in [c.name for c in report(cancelled, Source(sample_rate=RATE, channels=2), LINE).checks]


def test_clipping_is_found_counted_and_has_no_mend():
    loud = Audio(np.clip(good().samples * 12, -1, 1), RATE)
    found = check(loud, "clipping")
    assert found.state == "fail" and found.repair is None and "in a row" in found.message
    lone = good()
    lone.samples[RATE] = 1.0
    assert check(lone, "clipping").state == "ok"


def test_no_chain_of_mends_hides_clipping(store, tmp_path):
    recorded = np.concatenate([room(2), np.clip(voice(4) * 12, -1, 1), room(1)])
    found = store.add(saved(tmp_path / "a.wav", recorded), "a.wav")
    for name in ("high_pass", "normalise", "trim", "denoise"):
        better = repair(found.audio, name)
        found = store.add_audio(better, name, parent=found, start_s=starts_at_s(found.audio, name))
    whole = Window(0.0, found.audio.duration_s)
    assert not full_scale(found.audio.samples).any()
    unrepaired = store.unrepaired(found, whole)
    start = round(found.source.start_s * RATE)
    assert start == pytest.approx(1.8 * RATE, abs=0.05 * RATE)
    assert np.array_equal(unrepaired.samples, recorded[start : start + len(better.samples)])
    card = report(found.audio, found.source, LINE, unrepaired)
    assert card.of("clipping").state == "fail" and "recorded clipped" in card.of("clipping").message


def test_a_mended_clip_remembers_its_channels_and_can_still_be_taken_from_one(store, tmp_path):
    channels = np.stack([voice(4), -0.9 * voice(4)], 1)
    kept = store.add(saved(tmp_path / "a.wav", channels), "a.wav")
    louder = store.add_audio(repair(kept.audio, "normalise"), "louder", parent=kept)
    assert check(louder.audio, "channels", louder.source).repair == "mono"
    assert np.array_equal(repair(louder.audio, "mono", original=store.original(louder.id)).samples, channels[:, 0])


def test_a_mended_clip_outlives_the_clip_it_was_mended_from(store, tmp_path):
    kept = store.add(saved(tmp_path / "a.wav", np.clip(voice(4) * 12, -1, 1)), "a.wav")
    quieter = store.add_audio(repair(kept.audio, "normalise"), "quieter", parent=kept)
    store.remove(kept.id)
    assert store.unrepaired(quieter, Window(0.0, 4.0)).digest == kept.id


@pytest.mark.parametrize(("length_s", "state"), [(0.5, "fail"), (2, "warn"), (5, "ok"), (20, "warn")])
def test_duration(length_s, state):
    assert check(clip(voice(length_s)), "duration").state == state


def test_a_quiet_clip_is_mended_by_normalise():
    quiet = Audio(good().samples * np.float32(0.02), RATE)
    assert check(quiet, "level").repair == "normalise"
    assert loudness_lufs(repair(quiet, "normalise")) == pytest.approx(-20, abs=0.5)
    assert check(repair(quiet, "normalise"), "level").state == "ok"


def test_noise_is_mended_by_denoise():
    voiced = clip(np.zeros(RATE // 2), voice(4), np.zeros(RATE // 2)).samples
    noisy = Audio(voiced + room(5, 0.01), RATE)
    assert (check(noisy, "noise").state, check(noisy, "noise").repair) == ("warn", "denoise")
    cleaned = repair(noisy, "denoise")
    before, after = measure_levels(noisy), measure_levels(cleaned)
    assert after.noise_db < before.noise_db - 10
    assert after.speech_db == pytest.approx(before.speech_db, abs=3)
    assert check(cleaned, "noise").state == "ok"


def test_silence_at_the_edges_is_mended_by_trim_and_a_gap_is_not():
    edges = clip(room(2), voice(4), room(1))
    assert "2.0 s of silence before and 1.0 s after" in check(edges, "silence").message
    assert check(repair(edges, "trim"), "silence").state == "ok"
    gap = check(clip(voice(2), room(1.5), voice(2)), "silence")
    assert (gap.state, gap.repair) == ("warn", None) and "pause of 1.5 s" in gap.message


def test_offset_and_rumble_are_mended_by_high_pass():
    at = np.arange(len(good().samples)) / RATE
    for spoilt in (good().samples + 0.05, good().samples + 0.2 * np.sin(2 * np.pi * 40 * at)):
        audio = Audio(spoilt.astype(np.float32), RATE)
        assert check(audio, "rumble").repair == "high_pass"
        mended = repair(audio, "high_pass")
        assert check(mended, "rumble").state == "ok"
        assert abs(mended.samples.mean()) < 1e-4 and rumble_and_bandwidth(mended, ())[0] < -25
        assert len(mended.samples) == len(audio.samples)


def test_a_tone_or_a_dropout_is_named_and_does_not_refuse_the_clip():
    tone = good().samples + 0.01 * np.cos(np.pi * np.arange(len(good().samples)))
    card = report(Audio(tone.astype(np.float32), RATE), Source(sample_rate=RATE), LINE)
    assert card.of("tones").state == "warn" and "A constant tone at 12.0 kHz" in card.of("tones").message
    assert "Choose another part" in card.of("tones").message
    gap = good()
    gap.samples[round(1.1 * RATE) : round(1.115 * RATE)] = 0.0
    found = check(gap, "clicks")
    assert found.state == "warn" and "stops for 15 ms at 1.10 s" in found.message


def test_a_telephone_voice_in_a_wide_file_is_seen():
    narrow = resample(resample(good(), 7_000), 44_100)
    found = check(narrow, "sample rate", Source(sample_rate=44_100))
    assert found.state == "warn" and "44.1 kHz" in found.message and "telephone" in found.message


def test_a_higher_sample_rate_is_advised_only_for_a_recording_with_a_low_one():
    narrow = repair(good(), "high_pass")
    narrow = resample(resample(narrow, 7_000), RATE)
    muffled = check(narrow, "sample rate", Source(sample_rate=RATE)).message
    slow = check(narrow, "sample rate", Source(sample_rate=8_000)).message
    assert "sample rate of 16 kHz or more" in slow and "16 kHz" not in muffled
    assert "the sample rate is not the cause" in muffled


def test_rumble_that_is_louder_than_the_voice_is_called_so():
    at = np.arange(len(good().samples)) / RATE
    said = [
        check(Audio((good().samples + level * np.sin(2 * np.pi * 40 * at)).astype(np.float32), RATE), "rumble").message
        for level in (0.05, 0.5)
    ]
    assert "dB quieter than the voice" in said[0] and "dB louder than the voice" in said[1]


def test_opposite_channels_that_cancel_are_seen(store, tmp_path):
    stereo = np.stack([voice(4), -0.9 * voice(4)], 1)
    kept = store.add(saved(tmp_path / "a.wav", stereo), "a.wav")
    assert check(kept.audio, "channels", kept.source).repair == "mono"
    plain = store.add(saved(tmp_path / "b.wav", np.stack([voice(4), voice(4)], 1)), "b.wav")
    assert check(plain.audio, "channels", plain.source).state == "ok"


def test_a_transcript_far_too_long_or_short_for_the_clip_fails():
    assert check(good(), "speech rate", transcript=LINE * 5).state == "fail"
    assert "Delete" in check(good(), "speech rate", transcript=LINE * 5).message
    assert check(good(), "speech rate", transcript="Go").state == "fail"


@pytest.mark.parametrize(("transcript", "said"), [("Hello.", "1 word."), (LINE, f"{len(LINE.split())} words.")])
def test_a_single_word_is_counted_as_one(transcript, said):
    assert check(good(), "transcript", transcript=transcript).message == said


def test_a_missing_transcript_fails():
    assert check(good(), "transcript", transcript=" ").state == "fail"


@pytest.mark.parametrize(
    ("spoil", "transcript", "count"),
    [
        (lambda samples: samples, LINE, 0),
        (lambda samples: samples[: RATE // 2], LINE, 2),
        (lambda samples: samples * 0, LINE, 1),
        (lambda samples: np.clip(samples * 12, -1, 1), LINE, 1),
        (lambda samples: samples + room(len(samples) / RATE, 0.1), LINE, 1),
        (lambda samples: resample(resample(Audio(samples, RATE), 3_000), RATE).samples, LINE, 1),
        (lambda samples: samples + 0.3 * np.cos(2 * np.pi * 5_000 * np.arange(len(samples)) / RATE), LINE, 1),
        (lambda samples: samples + 0.2, LINE, 0),
        (lambda samples: samples, "", 1),
        (lambda samples: samples, LINE * 5, 1),
    ],
    ids=["good", "short", "silent", "clipped", "noisy", "dull", "tone", "offset", "no transcript", "long transcript"],
)
def test_failures_are_the_messages_of_all_failed_checks_of_the_report(spoil, transcript, count):
    audio, source = Audio(np.asarray(spoil(good().samples), np.float32), RATE), Source(sample_rate=RATE)
    checks = report(audio, source, transcript).checks
    found = failures(audio, source, transcript)
    assert found == [check.message for check in checks if check.state == "fail"]
    assert len(found) == count


def test_every_finding_says_what_to_do_in_two_sentences_at_most():
    spoilt = Audio(np.clip(np.concatenate([room(2), 20 * voice(14)]) + 0.1, -1, 1).astype(np.float32), RATE)
    for found in report(spoilt, Source(sample_rate=RATE, channels=2, mix_loss_db=9), "").checks:
        assert found.message.endswith(".") and found.message.count(". ") <= 1, found


def test_unknown_mends_and_lost_originals_are_refused():
    with pytest.raises(BadAudio, match="unknown repair declip"):
        repair(good(), "declip")
    with pytest.raises(BadAudio, match="no longer exists"):
        repair(good(), "mono")


def test_the_studio_checks_clips_without_torch():
    code = "import sys, studio.references.library, studio.references.report, studio.references.repairs, "
    code += "studio.ears.ears; sys.exit('torch' in sys.modules or 'gradio' in sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True, cwd=Path(__file__).parents[3])


def test_decoding_the_kept_original_gives_the_kept_clip(store, tmp_path):
    kept = store.add(saved(tmp_path / "a.wav", voice(2)), "a.wav")
    assert decode(store.original(kept.id), max_duration_s=9).digest == kept.id
