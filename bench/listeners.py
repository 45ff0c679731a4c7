"""Listeners of a codec language model: one, many offline ones, and live ones, who hear a line before they ask for the next."""

import logging
import statistics
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, cast

import numpy as np
import torch

from bench.machine import device_profile, wait
from bench.s1_parity import TRANSCRIPT
from bench.s1_timing import fresh, peak_gb, take
from engines.base import Checkpoint, EngineJob, Finished, Spoke
from engines.codec_lm import plan as planning
from engines.codec_lm.active_request import ActiveRequest, GroupAudio
from engines.codec_lm.batch import CodecLmBatch
from engines.codec_lm.engine import CodecLmEngine
from engines.codec_lm.frames import Codes
from engines.registry import EngineOptions, Spec
from engines.runtime.quantization import Kind
from engines.s1.spec import SPEC
from engines.types import Audio, Reference, Request

WORDS = ("welcome", "summoner", "your", "win", "rate", "shows", "the", "enemy", "has", "taken", "a", "dragon", "again")
LINE_WORDS = 18
PROFILE_STEPS = 50
BATCH_LOG = logging.getLogger("engines.codec_lm.batch")


@contextmanager
def ended(mean_s: float = 4.6) -> Iterator[None]:
    """Cut lines to about `mean_s` per 70 characters, and hide warnings: random weights never end a line."""
    usual, level = (planning.ROOM_S, planning.SLOWEST_CHARACTERS_PER_S), BATCH_LOG.level
    planning.ROOM_S, planning.SLOWEST_CHARACTERS_PER_S = 0.5, 70 / (mean_s - 0.5)
    BATCH_LOG.setLevel(logging.ERROR)
    try:
        yield
    finally:
        planning.ROOM_S, planning.SLOWEST_CHARACTERS_PER_S = usual
        BATCH_LOG.setLevel(level)


class Stage:
    """The engine of one checkpoint, and a voice."""

    def __init__(
        self,
        checkpoint: Checkpoint,
        device: torch.device,
        rows: int,
        tiny: bool,
        spec: Spec = SPEC,
        quantize: Kind = "none",
    ) -> None:
        self.checkpoint, self.device, self.rows, self.tiny = checkpoint, device, rows, tiny
        self.spec, self.quantize = spec, quantize

    @cached_property
    def engine(self) -> CodecLmEngine:
        engine = self.spec.make(EngineOptions(name=self.device.type, max_batch=self.rows, quantize=self.quantize))
        for _ in engine.load(self.checkpoint):
            pass
        return cast(CodecLmEngine, engine)

    @property
    def model(self) -> Any:
        return self.engine.runtime.model

    @cached_property
    def reference(self) -> Reference:
        samples = 0.1 * np.random.default_rng(0).standard_normal(5 * 24_000)
        return Reference(Audio(samples.astype(np.float32), 24_000), TRANSCRIPT)

    def warm(self) -> dict[str, Any]:
        """Warm the engine; return times and memory."""
        started, slowest, last = time.perf_counter(), 0.0, time.perf_counter()
        for _ in self.engine.warm():
            slowest, last = max(slowest, time.perf_counter() - last), time.perf_counter()
        wait()
        compiled = self.engine.runtime.batch.audio_queue.streams.compiled
        figures = {"warm_s": round(time.perf_counter() - started, 1), "slowest_item_s": round(slowest, 2)}
        take(self.engine, [self.request(0)])
        notes = {"note": self.engine.info.note, "codec_note": compiled.note if compiled else "not compiled"}
        return figures | notes | {"memory_gb": round(self.engine.memory_bytes / 1e9, 2), "peak_gb": peak_gb()}

    def request(self, seed: int) -> Request:
        """Return a request for a unique line."""
        words = np.random.default_rng(seed).choice(WORDS, 2 if self.tiny else LINE_WORDS)
        return Request(text=" ".join(words) + ".", reference=self.reference, seed=seed, engine=self.spec.name)


@dataclass(slots=True)
class Hearing:
    """A line as its listener hears it."""

    asked_at: float
    first_at: float = 0.0
    ends_at: float = 0.0  # time at which the audio so far ends
    dry_s: float = 0.0
    ended: bool = False

    def hear(self, now: float, seconds: float) -> None:
        """Add new audio with a length of `seconds`."""
        if not self.first_at:
            self.first_at = self.ends_at = now
        self.dry_s += max(0.0, now - self.ends_at)
        self.ends_at = max(self.ends_at, now) + seconds


@dataclass(slots=True)
class Crowd:
    """Listeners of an engine, each with at most one line at a time."""

    stage: Stage
    count: int
    lines: list[Hearing] = field(default_factory=list)
    hearing: dict[str, Hearing] = field(default_factory=dict)  # by job id
    turns: list[float] = field(default_factory=list)  # time at which each listener requests the next line
    sound_s: float = 0.0

    def attend(self, seconds: float) -> None:
        """Let all listeners request and hear lines for `seconds`, then hear the open lines to their end."""
        started = time.perf_counter()
        usual_s = 1.0 if self.stage.tiny else 6.0
        self.turns = [started + usual_s * number / self.count for number in range(self.count)]
        while (now := time.perf_counter()) < started + seconds or self.hearing:
            if now < started + seconds:
                self._ask(now)
            if self.hearing:
                self._step()

    def _ask(self, now: float) -> None:
        engine = self.stage.engine
        due = [turn for turn in self.turns if turn <= now][: engine.info.rows - len(engine.runtime.batch.requests)]
        for turn in due:
            self.turns.remove(turn)
            line, id = Hearing(turn), str(len(self.lines))
            self.stage.engine.admit(EngineJob(id, self.stage.request(1000 * self.count + len(self.lines))))
            self.lines.append(line)
            self.hearing[id] = line

    def _step(self) -> None:
        for event in self.stage.engine.step():
            now = time.perf_counter()
            if isinstance(event, Spoke):
                self.hearing[event.job_id].hear(now, event.audio.duration_s)
                self.sound_s += event.audio.duration_s
            elif isinstance(event, Finished):
                line = self.hearing.pop(event.job_id)
                line.ended = True
                self.turns.append(max(now, line.ends_at))


def live(stage: Stage, count: int, seconds: float) -> dict[str, Any]:
    """Measure first audio and stalls. The first lines of the listeners are spread over the length of a line."""
    crowd = Crowd(stage, count)
    fresh()
    started = time.perf_counter()
    crowd.attend(0.5 if stage.tiny else seconds)
    spent_s = time.perf_counter() - started
    firsts = sorted(1000 * (line.first_at - line.asked_at) for line in crowd.lines if line.first_at)
    return {
        "lines": len(crowd.lines),
        "ttfa_ms_p50": round(statistics.median(firsts), 1),
        "ttfa_ms_p95": round(firsts[int(0.95 * (len(firsts) - 1))], 1),
        "ran_dry": sum(line.dry_s > 0.005 for line in crowd.lines),
        "longest_dry_ms": round(1000 * max(line.dry_s for line in crowd.lines), 1),
        "sound_s_s": round(crowd.sound_s / spent_s, 1),
        "memory_gb": round(stage.engine.memory_bytes / 1e9, 2),  # rows stay allocated while requests run
        "peak_gb": peak_gb(),
    }


def alone(stage: Stage) -> dict[str, Any]:
    """Measure first audio of one take after another, with a cached voice."""
    firsts = [1000 * take(stage.engine, [stage.request(seed)])[0] for seed in range(3 if stage.tiny else 12)]
    return {"ttfa_ms_p50": round(statistics.median(firsts), 1), "ttfa_ms_most": round(max(firsts), 1)}


def offline(stage: Stage, rows: int) -> dict[str, Any]:
    """Speak as many lines together as there are rows. Return seconds of audio per second, with the codec."""
    times = [take(stage.engine, [stage.request(100 * run + row) for row in range(rows)]) for run in range(3)]
    return {
        "rows": rows,
        "sound_s_s": [round(sound_s / total_s, 1) for _, total_s, sound_s in times],
        "last_ttfa_ms": [round(1000 * first_s, 1) for first_s, _, _ in times],
    }


def mixed(stage: Stage, count: int) -> dict[str, Any]:
    """Return how many lines have equal codes with overlapping kernels. The lines have random lengths and settings."""
    from engines.codec_lm import fused_layers

    drawn: list[dict[str, list[bytes]]] = []
    take_frame, overlap = CodecLmBatch._take, fused_layers.OVERLAP

    def keep(batch: CodecLmBatch, request: ActiveRequest, sound: GroupAudio, codes: Codes) -> None:
        drawn[-1].setdefault(request.job.id, []).append(codes.tobytes())
        take_frame(batch, request, sound, codes)

    CodecLmBatch._take = keep  # type: ignore[method-assign]
    try:
        for fused_layers.OVERLAP in (False, True):
            drawn.append({})
            each = Stage(stage.checkpoint, stage.device, stage.rows, stage.tiny, stage.spec)
            each.warm()
            drawn[-1].clear()
            for first in range(0, count, stage.rows):
                rng = np.random.default_rng(first)
                lines = [" ".join(rng.choice(WORDS, rng.integers(1, 30))) for _ in range(stage.rows)]
                chosen = {"temperature": rng.uniform(0.5, 1.0), "top_p": rng.uniform(0.5, 0.95)}
                asked = [
                    replace(each.request(first + row), text=text, settings=chosen) for row, text in enumerate(lines)
                ]
                take(each.engine, asked, first)
            each.engine.close()
    finally:
        CodecLmBatch._take, fused_layers.OVERLAP = take_frame, overlap  # type: ignore[method-assign]
    serial, overlapping = drawn
    return {"lines": len(serial), "same": sum(overlapping[id] == frames for id, frames in serial.items())}


def profile(stage: Stage, rows: int) -> dict[str, Any]:
    """Profile fifty steps with this number of rows."""
    engine = stage.engine
    for row in range(rows):
        engine.admit(EngineJob(f"profiled {row}", stage.request(row)))
    for _ in range(4 if stage.tiny else 12):
        engine.step()
    steps = 2 if stage.tiny else PROFILE_STEPS
    found = device_profile(lambda: [engine.step() for _ in range(steps)], steps)
    for row in range(rows):
        engine.drop(f"profiled {row}")
    return found
