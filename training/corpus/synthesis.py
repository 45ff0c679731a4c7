"""Speak the sentences with many synthetic speakers, and write a corpus folder."""

import logging
import multiprocessing
import random
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import count, islice
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from training.corpus.recordings import write_index
from training.corpus.sentences import Sentences
from training.corpus.speakers import draw_speaker, render
from training.references import RATE_HZ

log = logging.getLogger(__name__)
# Utterances of each speaker: enough to join them in pairs; with more, the same hours would have fewer speakers.
UTTERANCES = 12
SHORTEST_SPEAKER_S = 25.0  # minimum length of all lines of a speaker
SHORTEST_S, LONGEST_S = 0.5, 9.0  # "no." is 0.6 s long, with the silence around it
PACE = 0.07  # deviation of the logarithm of a line's pace from its speaker's, so that lengths stay uncertain
JOINED = {"gloss", "example", "tale", "words", "everyday", "game", "numbers"}
# A line of these kinds below ENOUGH characters is joined to the next, with JOIN_CHANCE.
ENOUGH, JOIN_CHANCE = 55, 0.75
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
class CorpusOptions:
    out: Path
    hours: float
    seed: int
    workers: int
    seconds: float  # seconds of work, after which the corpus ends early


@dataclass(frozen=True, slots=True)
class SpeakerAudio:
    """The utterances of a speaker, one after another."""

    audio: NDArray[np.int16]
    lengths: list[int]
    texts: list[str]


@dataclass(slots=True)
class Index:
    """The index of the utterances that were written so far."""

    lengths: list[int] = field(default_factory=list)
    speakers: list[int] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)

    def add(self, speaker: int, part: SpeakerAudio) -> None:
        self.lengths += part.lengths
        self.speakers += [speaker] * len(part.lengths)
        self.texts += part.texts


Task = tuple[int, int, list[str]]  # seed, speaker, lines
Speak = Callable[[Task], tuple[int, SpeakerAudio]]


def tasks(sentences: Sentences, seed: int, utterances: int = UTTERANCES) -> Iterator[Task]:
    """Yield an endless sequence of speakers, each with lines.

    A sentence is repeated only after all others of its kind were used. Corpora with different seeds begin with different
    sentences.
    """
    rng = random.Random(seed)
    sentences = {kind: rng.sample(lines, len(lines)) for kind, lines in sentences.items()}
    kinds, used = [kind for kind in SHARES if sentences.get(kind)], dict.fromkeys(SHARES, 0)
    for speaker in count():
        lines = []
        for kind in rng.choices(kinds, [SHARES[kind] for kind in kinds], k=utterances):
            line = ""
            while not line or (kind in JOINED and len(line) < ENOUGH and rng.random() < JOIN_CHANCE):
                line = f"{line} {sentences[kind][used[kind] % len(sentences[kind])]}".strip()
                used[kind] += 1
            lines.append(line)
        yield seed, speaker, lines


def synthesize(task: Task) -> tuple[int, SpeakerAudio]:
    """Return the number and the lines of a speaker. Lines that are too short or too long are left out."""
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
    joined = np.concatenate(pieces) if pieces else np.zeros(0, np.int16)
    return number, SpeakerAudio(joined, [len(piece) for piece in pieces], texts)


def write_corpus(options: CorpusOptions, sentences: Sentences, speak: Speak = synthesize) -> None:
    """Write the corpus folder. Every speaker depends only on seed and number, not on the number of workers.

    Synthesizers are foreign code: a speaker whose synthesizer fails is left out. Workers are forks of this process and
    share its loaded data.
    """
    options.out.mkdir(parents=True, exist_ok=True)
    started, index = time.monotonic(), Index()
    with (
        multiprocessing.get_context("fork").Pool(options.workers) as pool,
        (options.out / "audio.i16").open("wb") as file,
    ):
        most = int(options.hours * 3600 / SHORTEST_SPEAKER_S) + options.workers
        rows = islice(tasks(sentences, options.seed), most)
        spoken = pool.imap_unordered(speak, rows)
        with suppress(StopIteration, multiprocessing.TimeoutError):
            while _hours(index) < options.hours:
                speaker, part = spoken.next(max(0.0, started + options.seconds - time.monotonic()))
                file.write(part.audio.tobytes())
                index.add(speaker, part)
        pool.terminate()
    write_index(options.out, index.lengths, index.speakers, index.texts)
    spent_s, hours = time.monotonic() - started, _hours(index)
    log.info(
        "%.2f h by %d speakers in %.0f s: %.0f times real time",
        hours,
        len({*index.speakers}),
        spent_s,
        hours * 3600 / spent_s,
    )


def _hours(index: Index) -> float:
    return sum(index.lengths) / RATE_HZ / 3600
