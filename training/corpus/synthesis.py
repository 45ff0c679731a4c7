"""Speak the sentences with many made-up speakers, as one flat file of 24 kHz samples.

A folder holds `audio.i16` (mono int16), `index.npz` (offsets, lengths in samples, speakers) and `texts.json`.
"""

import json
import logging
import multiprocessing
import random
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from training.corpus.sentences import Sentences
from training.corpus.speakers import RATE_HZ, draw_speaker, render, warm

log = logging.getLogger(__name__)
UTTERANCES = 22  # of each speaker
SHORTEST_S, LONGEST_S = 0.5, 9.0  # "no." with its lead and tail is 0.6 s long
PACE = 0.07  # deviation of a line's pace from its speaker's, as a logarithm: how long a line is must not be certain
JOINED = {"gloss", "example", "tale", "words", "everyday", "game", "numbers"}
ENOUGH, JOIN_CHANCE = 55, 0.75  # characters below which a line of those kinds gets another
SHARES = {
    "gloss": 0.08,
    "example": 0.17,
    "tale": 0.01,
    "words": 0.18,
    "everyday": 0.18,
    "game": 0.08,
    "numbers": 0.08,
    "digits": 0.08,
    "short": 0.07,
    "word": 0.07,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    out: Path
    hours: float
    seed: int
    workers: int
    seconds: float  # of work, after which what there is counts as the corpus


@dataclass(frozen=True, slots=True)
class Part:
    """What one speaker said."""

    audio: NDArray[np.int16]
    lengths: list[int]
    texts: list[str]


Task = tuple[int, int, list[str]]  # seed, speaker, lines


def tasks(sentences: Sentences, seed: int) -> Iterator[Task]:
    """An endless row of speakers and what each is to say; a sentence comes back only when its kind is used up."""
    rng = random.Random(seed)
    kinds, used = [kind for kind in SHARES if sentences.get(kind)], dict.fromkeys(SHARES, 0)
    for speaker in range(10**9):
        lines = []
        for kind in rng.choices(kinds, [SHARES[kind] for kind in kinds], k=UTTERANCES):
            line = ""
            while not line or (kind in JOINED and len(line) < ENOUGH and rng.random() < JOIN_CHANCE):
                line = f"{line} {sentences[kind][used[kind] % len(sentences[kind])]}".strip()
                used[kind] += 1
            lines.append(line)
        yield seed, speaker, lines


def speak(task: Task) -> Part:
    seed, number, lines = task
    rng = np.random.default_rng((seed, number))
    speaker = draw_speaker(rng)
    pieces, texts = [], []
    for line in lines:
        pace = float(np.exp(rng.normal(0, PACE)))
        audio = render(replace(speaker, stretch=speaker.stretch * pace), line, rng)
        if SHORTEST_S <= len(audio) / RATE_HZ <= LONGEST_S:
            pieces.append(audio)
            texts.append(line)
    audio = np.concatenate(pieces) if pieces else np.zeros(0, np.int16)
    return Part(audio, [len(piece) for piece in pieces], texts)


def make(plan: Plan, sentences: Sentences) -> None:
    """Write the corpus folder; every speaker depends on seed and number alone, however many workers there are."""
    plan.out.mkdir(parents=True, exist_ok=True)
    started, wanted = time.monotonic(), plan.hours * 3600 * RATE_HZ
    lengths: list[int] = []
    speakers: list[int] = []
    texts: list[str] = []
    total = 0
    warm()  # before the fork, so that the workers share what it loads
    with multiprocessing.get_context("fork").Pool(plan.workers) as pool, (plan.out / "audio.i16").open("wb") as file:
        rows = _limited(tasks(sentences, plan.seed), plan, int(wanted / RATE_HZ / 60) + plan.workers)
        for speaker, part in enumerate(pool.imap(speak, rows, chunksize=2)):
            file.write(part.audio.tobytes())
            lengths += part.lengths
            texts += part.texts
            speakers += [speaker] * len(part.lengths)
            total += len(part.audio)
            if total >= wanted or time.monotonic() - started > plan.seconds:
                break
        pool.terminate()
    _write_index(plan.out, lengths, speakers, texts)
    spent = time.monotonic() - started
    seconds = total / RATE_HZ
    log.info(
        "%.2f h by %d speakers in %.0f s: %.0f times real time",
        seconds / 3600,
        speakers[-1] + 1,
        spent,
        seconds / spent,
    )


def _limited(rows: Iterator[Task], plan: Plan, most: int) -> Iterator[Task]:
    return (row for row, _ in zip(rows, range(most), strict=False))


def _write_index(out: Path, lengths: list[int], speakers: list[int], texts: list[str]) -> None:
    sizes = np.array(lengths, np.int64)
    offsets = np.concatenate((np.zeros(1, np.int64), np.cumsum(sizes)[:-1]))
    np.savez(out / "index.npz", offsets=offsets, lengths=sizes, speakers=np.array(speakers, np.int32))
    (out / "texts.json").write_text(json.dumps(texts), encoding="utf-8")
