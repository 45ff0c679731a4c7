"""Time frames and speech of S1, ours and upstream's, while no other process uses the GPU."""

import gc
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import torch

from bench import s1_checkpoints, s1_upstream
from bench.machine import wait
from bench.s1_parity import TRANSCRIPT, codes_of
from engines.base import Checkpoint, EngineJob, Event, Finished, Spoke
from engines.codec_lm.decode_state import Sampling
from engines.codec_lm.engine import CodecLmEngine
from engines.codec_lm.prefill import Prompt
from engines.codec_lm.prompts import Turn
from engines.registry import EngineOptions
from engines.s1.engine import make_engine
from engines.s1.frame_step import make_decoder
from engines.s1.model import S1Model
from engines.s1.network import POSITIONS
from engines.s1.prompt import embed
from engines.types import Audio, Reference, Request

TEXT = "welcome to the rift, summoner. your win rate shows dedication, and the enemy has taken the dragon."
REPEATS = 5
TAKES = 9
Alone = Callable[[], Any]  # a context that holds the lock of the GPU


def peak_gb() -> float:
    return round(torch.cuda.max_memory_allocated() / 1e9, 3) if torch.cuda.is_available() else 0.0


def fresh() -> None:
    gc.collect()
    if torch.cuda.is_available():
        torch.cuda.empty_cache()
        torch.cuda.reset_peak_memory_stats()


def median_s(work: Callable[[], object], alone: Alone, repeats: int = REPEATS) -> float:
    times = []
    for _ in range(repeats):
        with alone():
            wait()
            started = time.perf_counter()
            work()
            wait()
            times.append(time.perf_counter() - started)
    return statistics.median(times)


@torch.inference_mode()
def frames(model: S1Model, rows: int, compile: bool, count: int, alone: Alone) -> dict[str, Any]:
    """Measure frames per second of all rows together, with and without the prompts of the rows."""
    fresh()
    decoder = make_decoder(model.network, rows, POSITIONS, cached=model.cached, compile=compile)
    turns = [Turn(TRANSCRIPT, codes_of(model, 108)), Turn(TEXT)]
    prompt = embed(model.network, model.tokenizer, turns, at_start=True)
    started = time.perf_counter()
    decoder.warm(rows)
    for _ in decoder.prefiller.warm():
        pass
    wait()
    warm_s = time.perf_counter() - started

    def begin() -> None:
        decoder.prefiller.prefill([Prompt(slot, prompt[:-1], 0) for slot in range(rows)])
        for slot in range(rows):
            sampling = Sampling(seed=slot, temperature=0.7, top_p=0.7, repetition_penalty=1.2)
            decoder.state.start_row(slot, prompt[-1], len(prompt) - 1, sampling)

    def speak() -> None:
        late = None
        for number in range(count):
            drawn = decoder.step(rows, len(prompt) - 1 + number)
            if late is not None:
                late.value()
            late = drawn

    begin()
    speak()
    begin_s = median_s(begin, alone)
    times = []
    for _ in range(REPEATS):
        begin()
        times.append(median_s(speak, alone, 1))
    speak_s = statistics.median(times)
    return {
        "frames_s": round(rows * count / speak_s, 1),
        "frames_s_with_prompt": round(rows * count / (speak_s + begin_s), 1),
        "prompt_ms": round(1000 * begin_s, 2),
        "spread": round((max(times) - min(times)) / speak_s, 3),
        "warm_s": round(warm_s, 1),
        "note": decoder.compiled.note if decoder.compiled else "",
        "peak_gb": peak_gb(),
    }


@torch.inference_mode()
def upstream(folder: Path, device: str, compile: bool, count: int, alone: Alone) -> dict[str, Any]:
    """Time fish-speech's inference: as it is, compiled, and compiled with caches that stay between requests."""
    from fish_speech.models.text2semantic import inference

    fresh()
    dtype = torch.bfloat16 if device == "cuda" else torch.float32
    with s1_checkpoints.undrawn():
        model, decode = inference.init_model(folder, device, dtype, compile=compile)
    generator = torch.Generator().manual_seed(1)
    sizes = [4096, *[1024] * (model.config.num_codebooks - 1)]
    codes = torch.stack(
        [torch.randint(min(size, model.config.codebook_size), (108,), generator=generator) for size in sizes]
    )
    prompt = s1_upstream.prompt(model, TEXT, TRANSCRIPT, codes).to(device)

    def speak() -> None:
        drawn.append(s1_upstream.speak(model, decode, prompt, count))

    drawn: list[int] = []
    started = time.perf_counter()
    s1_upstream.speak(model, decode, prompt, 8)
    wait()
    figures: dict[str, Any] = {"compile_s": round(time.perf_counter() - started, 1)}
    repeats = REPEATS if compile else 2
    speak()
    figures["frames_s_with_prompt"] = round(count / median_s(speak, alone, repeats), 1)
    if compile:
        model.setup_caches = lambda *args, **kwargs: None
        speak()
        figures["frames_s_with_prompt_caches_kept"] = round(count / median_s(speak, alone, repeats), 1)
    return figures | {"peak_gb": peak_gb(), "frames_drawn": sorted(set(drawn))}


def engine(folder: Path, device: EngineOptions, text: str, alone: Alone, encoder: str = "auto") -> dict[str, Any]:
    """Measure time to first audio and compute seconds per second of audio, for one row and for all rows."""
    fresh()
    made = make_engine(device)
    started = time.perf_counter()
    for _ in made.load(Checkpoint(str(folder), {"encoder": encoder})):
        pass
    loaded_s = time.perf_counter() - started
    for _ in made.warm():
        pass
    wait()
    figures: dict[str, Any] = {
        "load_s": round(loaded_s, 1),
        "warm_s": round(time.perf_counter() - started - loaded_s, 1),
    }
    rate = made.info.sample_rate
    samples = (0.1 * np.random.default_rng(0).standard_normal(5 * rate)).astype(np.float32)
    reference = Reference(Audio(samples, rate), TRANSCRIPT)
    take(made, [Request(text=text, reference=reference, seed=0, engine="s1")])
    for width in sorted({1, made.info.rows}):
        asked = [Request(text=text, reference=reference, seed=seed, engine="s1") for seed in range(width)]
        with alone():
            times = [take(made, asked) for _ in range(TAKES)]
        figures[f"batch_{width}"] = {
            "ttfa_ms": round(1000 * statistics.median(first for first, _, _ in times), 1),
            "audio_s": round(times[0][2], 1),
            "rtf": round(statistics.median(total / audio_s for _, total, audio_s in times), 5),
        }
    figures |= {"memory_gb": round(made.memory_bytes / 1e9, 3), "peak_gb": peak_gb(), "compiled": made.info.compiled}
    made.close()
    return figures


def take(engine: CodecLmEngine, requests: list[Request], first_id: int = 0) -> tuple[float, float, float]:
    """Speak requests together. Return seconds to the last request's first audio, seconds to the end, and seconds of audio."""
    waiting = {str(first_id + number) for number in range(len(requests))}
    silent, first, audio_s = set(waiting), 0.0, 0.0
    started = time.perf_counter()
    for number, request in enumerate(requests, first_id):
        engine.admit(EngineJob(str(number), request))
    while waiting:
        events: list[Event] = list(engine.step())
        for event in events:
            if isinstance(event, Spoke):
                audio_s += event.audio.duration_s
                if event.job_id in silent:
                    silent.remove(event.job_id)
                    first = time.perf_counter() - started
            elif isinstance(event, Finished):
                waiting.remove(event.job_id)
    return first, time.perf_counter() - started, audio_s
