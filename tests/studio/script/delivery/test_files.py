"""Delivered files have the rate, bits, edges, loudness and peaks that were asked for, measured by other means than ours."""

import io
import threading
import weakref
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyloudnorm
import pytest
import soundfile
from scipy.signal import resample_poly

from engines.errors import BadInput, Cancelled
from engines.types import Audio, Progress
from studio.script.delivery import PRESETS, DeliveredLine, Preset, deliver, zipped
from studio.script.delivery.levels import energies, together_lufs
from studio.script.delivery.ogg import vorbis_bytes
from studio.script.delivery.peaks import limited, true_peak_dbtp
from studio.script.delivery.shaping import quantised, shaped
from tests.studio.script.delivery.takes import RATE, delivered, line, spoken

QUIET = Preset(sidecars=(), handoffs=())
AUDIBLE = 10 ** (-60 / 20)


def read(path: Path) -> np.ndarray:
    return soundfile.read(path, dtype="float64")[0]


def silences_ms(samples: np.ndarray, rate: int) -> tuple[float, float]:
    """Before the first audible sample, and after the last."""
    heard = np.flatnonzero(np.abs(samples) > AUDIBLE)
    return 1000 * heard[0] / rate, 1000 * (len(samples) - 1 - heard[-1]) / rate


def true_peak_db(samples: np.ndarray) -> float:
    return 20 * np.log10(np.abs(resample_poly(np.pad(samples, 200), 4, 1)).max())


def lufs(samples: np.ndarray, rate: int) -> float:
    return pyloudnorm.Meter(rate).integrated_loudness(samples)


def test_a_hundred_files_are_as_the_preset_says(tmp_path: Path) -> None:
    """Three characters, each from a whisper to a shout."""
    lines = [line(f"L{n:03}", sound=n, level=0.02 * 1.04**n, character=f"C{n % 3}", words=()) for n in range(100)]
    report = delivered(lines, tmp_path / "out", QUIET)
    assert [file.path for file in report.files] == [f"C{n % 3}/L{n:03}_01.wav" for n in range(100)]
    for file in report.files:
        info = soundfile.info(tmp_path / "out" / file.path)
        assert (info.samplerate, info.subtype, info.channels) == (48_000, "PCM_24", 1)
        samples = read(tmp_path / "out" / file.path)
        head_ms, tail_ms = silences_ms(samples, 48_000)
        assert abs(head_ms - 50) <= 10 and abs(tail_ms - 100) <= 10
        assert true_peak_db(samples) < -1
    for name in ("C0", "C1", "C2"):
        own = [file for file in report.files if file.line.character == name]
        together = np.concatenate([read(tmp_path / "out" / file.path) for file in own])
        assert abs(lufs(together, 48_000) - -23) <= 0.5 or all(file.flags for file in own)
        assert len({file.gain_db for file in own}) == 1


def test_a_whisper_stays_as_far_below_a_shout_as_it_was_spoken(tmp_path: Path) -> None:
    report = delivered([line("shout", level=0.4), line("whisper", level=0.04)], tmp_path / "out", QUIET)
    shout, whisper = (file.loudness_lufs for file in report.files)
    assert shout - whisper == pytest.approx(20, abs=0.5)  # their noise is not 20 dB apart


def test_each_file_has_the_loudness_where_that_was_chosen(tmp_path: Path) -> None:
    lines = [line("shout", level=0.4), line("whisper", level=0.04)]
    report = delivered(lines, tmp_path / "out", replace(QUIET, loudness="file"))
    for file in report.files:
        assert lufs(read(tmp_path / "out" / file.path), 48_000) == pytest.approx(-23, abs=0.5) and not file.flags


def test_loudness_of_several_files_is_that_of_all_in_a_row() -> None:
    takes = [spoken(n, length_s=0.3 + 0.2 * n, level=0.05 * 2**n, rate=48_000) for n in range(4)]
    row = np.concatenate([take.samples for take in takes]).astype(np.float64)
    assert together_lufs([energies(take) for take in takes]) == pytest.approx(lufs(row, 48_000), abs=0.15)


def test_a_peak_over_the_ceiling_is_limited_and_flagged(tmp_path: Path) -> None:
    lines = [line("shout", level=0.9), line("aside", level=0.3)]
    report = delivered(lines, tmp_path / "out", replace(QUIET, target_lufs=-9.0))
    shout, aside = report.files
    assert "limited" in shout.flags[0].message and true_peak_db(read(tmp_path / "out" / shout.path)) < -1
    assert shout.gain_db == aside.gain_db > 0


def test_or_the_character_is_made_softer_and_that_is_flagged(tmp_path: Path) -> None:
    lines = [line("shout", level=0.9), line("aside", level=0.1)]
    report = delivered(lines, tmp_path / "out", replace(QUIET, target_lufs=-9.0, over_peak="lower"))
    for file in report.files:
        assert not any("limited" in flag.message for flag in file.flags)
        assert any("together is" in flag.message for flag in file.flags)
        assert true_peak_db(read(tmp_path / "out" / file.path)) < -1


def test_a_peak_between_samples_is_found_and_limited() -> None:
    """A tone at a quarter of the rate whose samples all lie 3 dB below its crest."""
    tone = np.sin(np.pi / 2 * np.arange(4_800) + np.pi / 4).astype(np.float32) * np.float32(0.99)
    audio = Audio(tone * np.hanning(4_800).astype(np.float32) ** 0.2, 48_000)
    assert true_peak_dbtp(audio) == pytest.approx(-0.1, abs=0.05)
    assert true_peak_db(limited(audio, -1.0).samples.astype(np.float64)) <= -0.97


def test_what_lies_below_the_ceiling_is_not_touched() -> None:
    audio = spoken(1)
    assert limited(audio, -1.0) is audio


def test_dither_is_triangular_and_leaves_silence_silent() -> None:
    for level in (0.25, 0.5, 1.0):  # in steps of 16 bits
        constant = np.full(200_000, level / 2**15, np.float32)
        steps = quantised(Audio(np.concatenate((constant, np.zeros(1_000, np.float32))), RATE), 16, seed=7)
        assert not steps[200_000:].any()
        errors = steps[:200_000] - level
        assert errors.mean() == pytest.approx(0, abs=0.01)  # so that nothing of the sound remains in the error,
        assert errors.var() == pytest.approx(0.25, abs=0.01)  # 1/6 of the dither and 1/12 of rounding, at every level


def test_two_takes_are_dithered_differently_and_one_always_alike() -> None:
    first, again, other = (shaped(spoken(seed), QUIET).seed for seed in (1, 1, 2))
    assert first == again != other


def test_fades_leave_the_speech_as_it_is() -> None:
    take = spoken(1, rate=48_000)
    made = shaped(take, replace(QUIET, fade_in_ms=40.0, fade_out_ms=40.0))
    start, length = round(0.13 * 48_000), round(0.6 * 48_000)
    at = start + round(made.shift_s * 48_000)
    assert np.array_equal(made.audio.samples[at : at + length], take.samples[start : start + length])
    assert not made.audio.samples[: at - round(0.045 * 48_000)].any()


@pytest.mark.parametrize("head_ms", [0.0, 12.0, 333.0])
def test_edges_are_exact_to_a_frame(head_ms: float, tmp_path: Path) -> None:
    report = delivered([line()], tmp_path / "out", replace(QUIET, head_ms=head_ms, tail_ms=2 * head_ms))
    found = silences_ms(read(tmp_path / "out" / report.files[0].path), 48_000)
    assert found == pytest.approx((head_ms, 2 * head_ms), abs=10)


def test_a_take_without_speech_is_delivered_and_flagged(tmp_path: Path) -> None:
    silent = Audio(np.zeros(RATE, np.float32), RATE)
    report = delivered([line(audio=lambda: silent, words=())], tmp_path / "out")
    assert "silent" in report.files[0].flags[0].message
    assert soundfile.info(tmp_path / "out" / report.files[0].path).frames == 48_000


def test_one_take_is_in_memory_at_a_time(tmp_path: Path) -> None:
    seen: list[weakref.ref[np.ndarray]] = []

    def audio() -> Audio:
        assert not any(other() is not None for other in seen)
        take = spoken(len(seen))
        seen.append(weakref.ref(take.samples))
        return take

    delivered([line(f"L{n}", audio=audio) for n in range(3)], tmp_path / "out", QUIET)
    assert len(seen) == 6


@pytest.mark.parametrize("name", PRESETS)
def test_the_same_takes_give_the_same_bytes(name: str, tmp_path: Path) -> None:
    lines = [line("L1"), line("L2", sound=2)]
    for run in ("first", "second"):
        delivered(lines, tmp_path / run, PRESETS[name])
        zipped(tmp_path / run, tmp_path / f"{run}.zip")
    assert (tmp_path / "first.zip").read_bytes() == (tmp_path / "second.zip").read_bytes()


def test_ogg_files_have_a_number_of_their_own_no_more_and_are_read() -> None:
    ogg = vorbis_bytes(spoken(1))
    pages = [part[14 - 4 : 18 - 4] for part in ogg.split(b"OggS")[1:]]
    assert set(pages) == {b"\1\0\0\0"}
    samples, rate = soundfile.read(io.BytesIO(ogg))
    assert rate == RATE and np.corrcoef(samples, spoken(1).samples)[0, 1] > 0.9


def test_a_stopped_delivery_ends_soon(tmp_path: Path) -> None:
    stop = threading.Event()
    asked: list[str] = []

    def audio() -> Audio:
        asked.append("once")
        stop.set()
        return spoken(1)

    with pytest.raises(Cancelled):
        deliver([line("L1", audio=audio), line("L2", audio=audio)], QUIET, tmp_path / "out", ignore, stop)
    assert len(asked) == 1


def ignore(progress: Progress) -> None:
    pass


def test_progress_grows_to_its_end(tmp_path: Path) -> None:
    answer: list[float] = []
    lines: list[DeliveredLine] = [line("L1"), line("L2", sound=2)]
    deliver(lines, QUIET, tmp_path / "out", lambda progress: answer.append(progress.fraction), threading.Event())
    assert answer == sorted(answer) and answer[0] == 0 and answer[-1] == 1 and len(answer) == 5


def test_a_folder_with_something_in_it_is_refused(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    with pytest.raises(BadInput, match="not empty"):
        delivered([line()], tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]


def test_nothing_to_deliver_is_said(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="nothing to deliver"):
        delivered([], tmp_path / "out")
    assert not (tmp_path / "out").exists()
