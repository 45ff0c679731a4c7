"""The engine with the embedded checkpoint: reproducible takes, exact pauses, constant memory, quick cancellation."""

from typing import Literal

import numpy as np
import psutil
import pytest
import torch

from engines.audio import rms_dbfs, silences
from engines.errors import BadAudio, BadSetting, BadText, UnsupportedText
from engines.f5.engine import F5Engine
from engines.registry import EngineOptions
from engines.types import Audio, Reference, SchedulerEvent
from tests.engines.f5.conftest import F5Speaker, finish
from tests.waiting import until

PATIENCE_S = 300.0
LINE = "the bridge is out, take the long way round."


def test_the_same_request_gives_the_same_audio_also_after_a_restart(speaker: F5Speaker, amber: Reference) -> None:
    first, again = speaker.say(LINE, amber), speaker.say(LINE, amber)
    assert np.array_equal(first.audio.samples, again.audio.samples)
    fresh = F5Speaker()
    restarted = fresh.say(LINE, amber)
    fresh.manager.close(5.0)
    assert np.array_equal(first.audio.samples, restarted.audio.samples)


@pytest.mark.parametrize(("asked", "dtype"), [("auto", torch.bfloat16), ("float32", torch.float32)])
def test_a_cpu_that_is_faster_in_bfloat16_uses_it_unless_float32_is_set(
    monkeypatch: pytest.MonkeyPatch, asked: Literal["auto", "float32"], dtype: torch.dtype
) -> None:
    monkeypatch.setattr("engines.f5.engine.fastest_cpu_dtype", lambda: torch.bfloat16)
    assert F5Engine(EngineOptions(name="cpu", cpu_precision=asked))._placement.dtype == dtype


def test_another_seed_gives_another_take(speaker: F5Speaker, amber: Reference) -> None:
    one, other = (speaker.say(LINE, amber, seed=seed).audio.samples for seed in (1, 2))
    shared = min(len(one), len(other))
    assert np.abs(one[:shared] - other[:shared]).max() > 0.01


def test_a_take_is_the_same_alone_and_in_a_batch(speaker: F5Speaker, amber: Reference) -> None:
    alone = speaker.say(LINE, amber).audio.samples
    company = speaker.start("a longer line by somebody else, who came a little earlier than you did.", amber, seed=3)
    together = finish(speaker.start(LINE, amber)).audio.samples
    finish(company)
    assert len(together) == len(alone)
    assert np.linalg.norm(together - alone) / np.linalg.norm(alone) < 1e-3


def test_pauses_are_exact_to_20_ms_at_ten_places(speaker: F5Speaker, amber: Reference) -> None:
    wanted = [0.3 + 0.15 * number for number in range(10)]
    words = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven"]
    text = " ".join(f"number {word} [pause:{pause:.2f}s]" for word, pause in zip(words, wanted, strict=False))
    audio = speaker.say(f"{text} number eleven.", amber, steps=2).audio
    zero = np.concatenate(([0], (audio.samples == 0).astype(np.int8), [0]))
    edges = np.flatnonzero(np.diff(zero)).reshape(-1, 2)
    exact = [(end - start) / audio.sample_rate for start, end in edges if end - start > 0.25 * audio.sample_rate]
    heard = [span.length_s for span in silences(audio, 0.25) if span.start_s > 0 and span.end_s < audio.duration_s]
    assert exact == pytest.approx(wanted, abs=0.02)
    assert heard == pytest.approx(wanted, abs=0.02)


def test_a_text_may_start_and_end_with_a_pause(speaker: F5Speaker, amber: Reference) -> None:
    audio = speaker.say(f"[pause:500ms] {LINE} [pause:0.7s]", amber, steps=2).audio
    spoken = np.flatnonzero(audio.samples)
    assert spoken[0] / audio.sample_rate == pytest.approx(0.5, abs=0.02)
    assert audio.duration_s - spoken[-1] / audio.sample_rate == pytest.approx(0.7, abs=0.02)


@pytest.mark.long
def test_a_long_text_is_spoken_with_constant_memory(speaker: F5Speaker, amber: Reference) -> None:
    text = " ".join(f"This is sentence number {n}, and it says a little more than nothing." for n in range(1, 16))
    ticket = speaker.start(text, amber, steps=2)
    ticket.read(60)
    early = psutil.Process().memory_info().rss
    take = finish(ticket)
    assert take.audio.duration_s > 30
    assert psutil.Process().memory_info().rss - early < 100e6


def test_audio_comes_long_before_the_end_of_a_long_line(speaker: F5Speaker, amber: Reference) -> None:
    events = heard(speaker)
    ticket = speaker.start("Come here. " + LINE * 3, amber, steps=2)
    finish(ticket)
    kinds = [event.kind for event in events]
    assert kinds[: kinds.index("first_audio")].count("stepped") == 2  # of the first segment only
    assert kinds.count("stepped") >= 4


def test_cancel_stops_the_device_within_one_step(speaker: F5Speaker, amber: Reference) -> None:
    events = heard(speaker)
    speaker.say("Come here.", amber, steps=2)
    wanted = steps(events)
    ticket = speaker.start(LINE * 4, amber)
    until(lambda: steps(events) > wanted, PATIENCE_S)
    ticket.cancel()
    seen = steps(events)
    until(lambda: any(event.kind == "cancelled" for event in events), PATIENCE_S)
    speaker.say("Come here.", amber, steps=2)
    assert wanted <= steps(events) - seen <= wanted + 1  # the step that ran at the cancel may end after its request


def heard(speaker: F5Speaker) -> list[SchedulerEvent]:
    """Collect the scheduler's events from now on."""
    events: list[SchedulerEvent] = []
    speaker.manager.listen(events.append)
    return events


def steps(events: list[SchedulerEvent]) -> int:
    return [event.kind for event in events].count("stepped")


def test_speed_makes_it_shorter(speaker: F5Speaker, amber: Reference) -> None:
    slow, fast = (speaker.say(LINE, amber, speed=speed, steps=2).audio.duration_s for speed in (0.8, 1.4))
    assert fast < slow * 0.75


def test_a_quiet_reference_gives_the_same_take_at_its_level(speaker: F5Speaker, amber: Reference) -> None:
    line = "all the lights went out at once."  # its last sounds are far below its vowels
    quiet = Reference(Audio(amber.audio.samples / np.float32(10), amber.audio.sample_rate), amber.transcript)
    usual, lowered = (speaker.say(line, voice, steps=5).audio for voice in (amber, quiet))
    assert lowered.duration_s == pytest.approx(usual.duration_s, abs=0.02)
    assert rms_dbfs(lowered.samples) == pytest.approx(rms_dbfs(usual.samples) - 20, abs=0.2)
    assert rms_dbfs(lowered.samples) == pytest.approx(rms_dbfs(quiet.audio.samples), abs=4)


@pytest.mark.parametrize(
    ("text", "settings", "error", "words"),
    [
        ("   ", {}, BadText, "type a line"),
        ("!!!", {}, BadText, "no words"),
        ("Привет", {}, UnsupportedText, "Cyrillic"),
        ("x" * 1_000_000, {}, BadText, "characters"),
        (LINE, {"steps": 0}, BadSetting, "steps must be"),
        (LINE, {"speed": 9.0}, BadSetting, "speed must be"),
        (LINE, {"guidance": -1.0}, BadSetting, "guidance must be"),
        ("[pause:99s] hello", {}, BadText, "pause"),
    ],
)
def test_an_invalid_request_is_refused_with_a_message(
    speaker: F5Speaker, amber: Reference, text: str, settings: dict[str, float], error: type[Exception], words: str
) -> None:
    with pytest.raises(error, match=words):
        speaker.say(text, amber, **settings)


def test_an_invalid_reference_is_refused_with_a_message(speaker: F5Speaker, amber: Reference) -> None:
    long = Reference(Audio(np.ones(24_000 * 13, np.float32), 24_000), "a")
    silent = Reference(Audio(np.zeros(48_000, np.float32), 24_000), "a")
    for voice, words in ((long, "select at most"), (silent, "silent")):
        with pytest.raises(BadAudio, match=words):
            speaker.say(LINE, voice)
    with pytest.raises(BadText, match="transcript"):
        speaker.say(LINE, Reference(amber.audio, "Привет"))
    slow = Reference(
        Audio(np.tile(amber.audio.samples, 4)[: 11 * amber.audio.sample_rate], amber.audio.sample_rate), "yes."
    )
    with pytest.raises(BadText, match="complete the transcript"):
        speaker.say("some words to be said. " * 10, slow)
