"""The plan of a corpus of natural speech: speakers, lines and symbols. With a plan, speaking needs no espeak-ng."""

import gzip
import json
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from training.corpus.kokoro.phonemes import tokens_of
from training.corpus.kokoro.speakers import HELD_OUT
from training.corpus.sentences import Sentences
from training.corpus.synthesis import tasks

LINE_S = 3.9  # approximate mean length


@dataclass(frozen=True, slots=True)
class PlannedLine:
    speaker: int
    text: str
    tokens: tuple[int, ...]


def make_plan(sentences: Sentences, seed: int, hours: float, lines: int) -> list[PlannedLine]:
    """Plan `lines` lines for each speaker. The first numbers of speakers are reserved for evaluation."""
    speakers = int(hours * 3600 / LINE_S / lines)
    return [
        PlannedLine(HELD_OUT + speaker, text, tuple(tokens_of(text)))
        for _, speaker, texts in islice(tasks(sentences, seed, lines), speakers)
        for text in texts
    ]


def write_plan(plan: list[PlannedLine], path: Path) -> None:
    rows = [[line.speaker, line.text, *line.tokens] for line in plan]
    path.write_bytes(gzip.compress(json.dumps(rows).encode(), 9, mtime=0))


def read_plan(path: Path) -> list[PlannedLine]:
    rows = json.loads(gzip.decompress(path.read_bytes()))
    return [PlannedLine(speaker, text, tuple(tokens)) for speaker, text, *tokens in rows]
