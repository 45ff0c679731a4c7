"""Audio is decoded within limits, measured, shaped and encoded."""

import io
import subprocess
import tracemalloc
from pathlib import Path

import imageio_ffmpeg
import numpy as np
import pytest
import soundfile

from engines.audio import (
    FORMATS,
    cross_fade,
    decode,
    decode_channels,
    encode,
    fade,
    loudness_lufs,
    normalise,
    paced_s,
    peak_dbfs,
    resample,
    resampled_length,
    silences,
    speech_span,
    trim,
)
from engines.errors import BadAudio, BadSetting
from engines.types import Audio

RATE = 24_000


def tone(length_s: float, rate: int = RATE, level: float = 0.3, hz: float = 220.0) -> np.ndarray:
    return (level * np.sin(2 * np.pi * hz * np.arange(round(length_s * rate)) / rate)).astype(np.float32)


def hush(length_s: float, rate: int = RATE) -> np.ndarray:
    return np.zeros(round(length_s * rate), np.float32)


def written(path: Path, samples: np.ndarray, rate: int = RATE, subtype: str | None = None) -> Path:
    soundfile.write(path, samples, rate, subtype=subtype)
    return path


def with_total_samples(flac: bytes, frames: int) -> bytes:
    """Return the same FLAC with another length in its STREAMINFO (36 bits); 0 = unknown."""
    changed = bytearray(flac)
    changed[21] = (changed[21] & 0xF0) | (frames >> 32)
    changed[22:26] = (frames & 0xFFFFFFFF).to_bytes(4, "big")
    return bytes(changed)


@pytest.fixture(scope="module")
def hour(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("hour") / "hour.flac"
    with soundfile.SoundFile(path, "w", 8_000, 1, format="FLAC") as file:
        for _ in range(60):
            file.write(hush(60, 8_000))
    return path


def refused(path: Path, words: str, max_duration_s: float = 120.0) -> None:
    with pytest.raises(BadAudio, match=words):
        decode(path, max_duration_s=max_duration_s)


# Decoding.


def test_channels_are_counted_and_the_loudest_is_returned_with_the_mix(tmp_path):
    found = decode_channels(written(tmp_path / "a.flac", np.stack([tone(2), -tone(2)], 1)), max_duration_s=3)
    assert (found.channels, np.abs(found.mix.samples).max()) == (2, 0)
    assert np.abs(found.loudest.samples - tone(2)).max() < 2**-15
    alone = decode_channels(written(tmp_path / "b.flac", tone(2)), max_duration_s=3)
    assert alone.channels == 1 and np.array_equal(alone.mix.samples, alone.loudest.samples)


def test_float_wav_decodes_to_identical_samples(tmp_path):
    samples = np.random.default_rng(0).uniform(-1, 1, RATE).astype(np.float32)
    audio = decode(written(tmp_path / "a.wav", samples, subtype="FLOAT"), max_duration_s=2)
    assert audio.sample_rate == RATE and np.array_equal(audio.samples, samples)


def test_eight_channels_become_their_mean(tmp_path):
    channels = np.random.default_rng(0).uniform(-0.5, 0.5, (RATE, 8)).astype(np.float32)
    audio = decode(written(tmp_path / "a.wav", channels, subtype="FLOAT"), max_duration_s=2)
    np.testing.assert_allclose(audio.samples, channels.mean(1), atol=1e-6)


def test_the_loudest_channel_is_taken_whole(tmp_path):
    channels = np.stack([tone(1, level=0.01), tone(1, level=0.4, hz=330), hush(1)], 1)
    audio = decode(written(tmp_path / "a.wav", channels, subtype="FLOAT"), max_duration_s=2, channel="loudest")
    assert np.array_equal(audio.samples, channels[:, 1])


@pytest.mark.parametrize("kind", ["m4a", "webm", "aac"])
def test_formats_libsndfile_lacks_decode_through_ffmpeg(tmp_path, kind):
    source, target = written(tmp_path / "a.wav", tone(2, 48_000), 48_000), tmp_path / f"a.{kind}"
    subprocess.run([imageio_ffmpeg.get_ffmpeg_exe(), "-v", "error", "-i", source, target], check=True)
    audio = decode(target, max_duration_s=5)
    assert audio.duration_s == pytest.approx(2.0, abs=0.06)
    assert 20 * np.log10(np.sqrt(2) * audio.samples[9_600:-9_600].std() / 0.3) == pytest.approx(0, abs=1)
    assert decode_channels(target, max_duration_s=5).channels == 1 and audio.sample_rate == 48_000
    refused(target, "at most 1 s", max_duration_s=1.0)


def test_a_video_without_sound_and_a_cut_off_m4a_are_refused(tmp_path):
    ffmpeg = imageio_ffmpeg.get_ffmpeg_exe()
    silent_film = tmp_path / "film.mp4"
    subprocess.run([ffmpeg, "-v", "error", "-f", "lavfi", "-i", "color=d=1:s=64x64", silent_film], check=True)
    refused(silent_film, "not audio that the studio can read")
    subprocess.run([ffmpeg, "-v", "error", "-i", written(tmp_path / "a.wav", tone(2)), tmp_path / "a.m4a"], check=True)
    cut = tmp_path / "cut.m4a"
    cut.write_bytes((tmp_path / "a.m4a").read_bytes()[:9_000])
    refused(cut, "cut off")


def test_a_playlist_cannot_make_ffmpeg_open_another_file(tmp_path):
    secret = written(tmp_path / "secret.wav", tone(2))
    for name, text in {
        "a.m3u8": f"#EXTM3U\n#EXT-X-TARGETDURATION:2\n#EXTINF:2,\n{secret}\n#EXT-X-ENDLIST\n",
        "a.webm": f"ffconcat version 1.0\nfile {secret}\n",
    }.items():
        (tmp_path / name).write_text(text)
        refused(tmp_path / name, "not audio")


def test_a_file_that_is_not_sound_is_refused(tmp_path):
    (tmp_path / "a.wav").write_bytes(b"<html>not found</html>" * 50)
    (tmp_path / "b.raw").write_bytes(bytes(5_000))
    refused(tmp_path / "a.wav", "not audio that the studio can read")
    refused(tmp_path / "b.raw", "not audio that the studio can read")
    (tmp_path / "c.wav").touch()
    refused(tmp_path / "c.wav", "empty or missing")
    refused(tmp_path / "nowhere.wav", "empty or missing")


def test_zero_frames_are_refused(tmp_path):
    refused(written(tmp_path / "a.wav", hush(0)), "has no audio")


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_nan_and_infinity_are_refused(tmp_path, value):
    samples = tone(4)
    samples[-7] = value
    refused(written(tmp_path / "a.wav", samples, subtype="FLOAT"), "NaN")


def test_samples_far_beyond_full_scale_are_refused(tmp_path):
    refused(written(tmp_path / "a.wav", tone(1, level=20_000), subtype="FLOAT"), "times full scale")


@pytest.mark.parametrize("kind", ["wav", "flac", "mp3"])
def test_a_cut_off_file_is_refused(tmp_path, kind):
    noisy = Audio((tone(4) + np.random.default_rng(0).normal(0, 0.05, 4 * RATE)).astype(np.float32), RATE)
    whole = encode(noisy, kind)
    path = tmp_path / f"a.{kind}"
    path.write_bytes(whole[: len(whole) // 2])
    refused(path, "cut off")


def test_an_hour_is_refused_by_its_header_with_the_limit(hour):
    refused(hour, "60 min; cut it to at most 120 s")


def test_a_bomb_stops_at_the_limit_with_constant_memory(hour, tmp_path):
    bomb = tmp_path / "bomb.flac"
    bomb.write_bytes(with_total_samples(hour.read_bytes(), 0))  # 115 MB of float32 in 90 kB, with unknown length
    tracemalloc.start()
    refused(bomb, "longer than 30 s", max_duration_s=30.0)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 8 * 2**20


def test_a_header_with_a_short_length_does_not_raise_the_limit(hour, tmp_path):
    liar = tmp_path / "liar.flac"
    liar.write_bytes(with_total_samples(hour.read_bytes(), 16_000))
    refused(liar, "longer than 30 s", max_duration_s=30)


def test_an_absurd_sample_rate_does_not_raise_the_limit(tmp_path):
    path = written(tmp_path / "a.wav", tone(1))
    data = bytearray(path.read_bytes())
    data[24:28] = (2_000_000_000).to_bytes(4, "little")
    path.write_bytes(data)
    refused(path, "the sample rate is")


# Measuring.


def test_loudness_of_the_standards_reference_tone():
    # BS.1770-4: a 997 Hz sine at 0 dBFS in one channel measures -3.01 LKFS.
    assert loudness_lufs(Audio(tone(3, 48_000, 1.0, 997.0), 48_000)) == pytest.approx(-3.01, abs=0.1)


def test_a_short_sound_has_a_loudness_and_silence_a_finite_one():
    assert -20 < loudness_lufs(Audio(tone(0.1), RATE)) < -5
    assert loudness_lufs(Audio(hush(1), RATE)) == peak_dbfs(hush(1)) == -120


def test_normalise_reaches_the_loudness_unless_the_peak_would_exceed_the_ceiling():
    voice = Audio(tone(2, level=0.05), RATE)
    assert loudness_lufs(normalise(voice, -20)) == pytest.approx(-20, abs=0.05)
    peaky = voice.samples.copy()
    peaky[1_000] = 0.9
    assert peak_dbfs(normalise(Audio(peaky, RATE), -20).samples) == pytest.approx(-1, abs=0.01)
    assert not normalise(Audio(hush(1), RATE), -20).samples.any()


# Speech.


@pytest.mark.parametrize("rate", [16_000, 22_050, 24_000, 44_100])
@pytest.mark.parametrize("noise", [0.0, 0.001])
def test_edges_of_speech_are_found_to_six_milliseconds(rate, noise):
    samples = np.concatenate([hush(0.7, rate), tone(1.3, rate), hush(0.4, rate), tone(0.6, rate), hush(0.9, rate)])
    samples = samples + np.random.default_rng(1).normal(0, noise, len(samples)) + 0.02
    start, end = speech_span(samples.astype(np.float32), rate)
    assert start / rate == pytest.approx(0.7, abs=0.006)
    assert end / rate == pytest.approx(3.0, abs=0.006)


def test_a_click_and_silence_are_not_speech():
    assert speech_span(hush(1), RATE) == (0, 0) == speech_span(hush(0), RATE)
    samples = np.concatenate([hush(1), tone(1), hush(1)])
    samples[6_002:6_020] = 0.5
    assert speech_span(samples, RATE)[0] / RATE == pytest.approx(1.0, abs=0.006)


def test_silences_lists_every_gap_and_both_ends():
    parts = [hush(0.3), tone(1), hush(0.5), tone(1), hush(0.1), tone(1)]
    gaps = [(gap.start_s, gap.end_s) for gap in silences(Audio(np.concatenate(parts), RATE))]
    np.testing.assert_allclose(gaps, [(0, 0.3), (1.3, 1.8)], atol=0.006)


def test_pauses_count_for_the_pace_up_to_half_a_second_and_edges_up_to_less():
    parts = [hush(1), tone(1), hush(0.4), tone(1), hush(2), tone(1), hush(0.25)]
    assert paced_s(Audio(np.concatenate(parts), RATE)) == pytest.approx(0.3 + 3 + 0.4 + 0.5 + 0.25, abs=0.012)


# Shaping.


def test_trim_leaves_the_margin_and_keeps_a_silent_clip():
    audio = Audio(np.concatenate([hush(1), tone(1), hush(1)]), RATE)
    assert trim(audio, 0.05).duration_s == pytest.approx(1.1, abs=0.012)
    silent = Audio(hush(1), RATE)
    assert trim(silent) is silent


def test_resampling_keeps_length_and_tone():
    audio = resample(Audio(tone(1, 44_100), 44_100), RATE)
    assert len(audio.samples) == RATE and audio.samples.dtype == np.float32
    np.testing.assert_allclose(audio.samples[500:-500], tone(1)[500:-500], atol=1e-3)


def test_a_cross_fade_of_one_sound_with_itself_changes_nothing():
    np.testing.assert_allclose(cross_fade(tone(0.1), tone(0.1)), tone(0.1), atol=1e-6)
    ones, zeros = np.ones(100, np.float32), np.zeros(100, np.float32)
    seam = cross_fade(ones, zeros)
    assert seam[0] > 0.99 and seam[-1] < 0.01 and (np.diff(seam) < 0).all()


def test_fades_touch_only_the_edges():
    shaped = fade(np.ones(RATE, np.float32), RATE, in_s=0.01, out_s=0.02)
    assert shaped[0] < 0.01 and shaped[-1] < 0.01
    assert (shaped[240:-480] == 1).all() and shaped[239] < 1 and shaped[-480] < 1


# Encoding.


@pytest.mark.parametrize("format", ["wav", "flac", "mp3", "opus"])
@pytest.mark.parametrize("rate", [24_000, 44_100, 96_000])
def test_encoded_audio_decodes_to_the_same_audio(format, rate, tmp_path):
    path = tmp_path / f"a.{format}"
    path.write_bytes(encode(Audio(tone(1, rate), rate), format))
    audio = decode(path, max_duration_s=3)
    assert audio.duration_s == pytest.approx(1.0, abs=0.06)
    assert np.abs(audio.samples).max() == pytest.approx(0.3, abs=0.03)


def test_flac_keeps_24_bits():
    coded = encode(Audio(tone(1), RATE), "flac")
    samples, _ = soundfile.read(io.BytesIO(coded), dtype="float32")
    assert np.abs(samples - tone(1)).max() < 2**-23


def test_loud_samples_clip_and_never_wrap_around():
    for format in FORMATS[:2]:
        samples, _ = soundfile.read(io.BytesIO(encode(Audio(tone(1, level=3.0), RATE), format)))
        assert (samples[tone(1, level=3.0) > 1] > 0.99).all()
    assert np.frombuffer(encode(Audio(np.float32([2.0, -2.0]), RATE), "pcm"), "<i2").tolist() == [32767, -32767]


def test_an_unknown_format_is_refused():
    with pytest.raises(BadSetting, match="wav, flac, mp3"):
        encode(Audio(tone(1), RATE), "wma")


@pytest.mark.parametrize("rate", [8_000, 11_025, 16_000, 22_050, 24_000, 44_100, 48_000, 96_000, 12_345])
def test_the_length_after_resampling_is_known_before(rate):
    for frames in (1, 7, rate // 3, rate + 1, 2 * rate - 13):
        sound = Audio(np.zeros(frames, np.float32), rate)
        assert resampled_length(sound, 24_000) == len(resample(sound, 24_000).samples)
