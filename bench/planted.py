"""Plant faults in takes: words that are missing, replaced, repeated or added."""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from engines.types import Audio, Samples
from studio.ears.comparison import FUNCTION, compare
from studio.ears.recogniser import Recogniser
from studio.ears.vocabulary import Comparison
from studio.script.checks.wording import typed_words

Kind = Literal["missing", "replaced", "repeated", "added"]
QUIET = 0.5  # maximum level at the edges of a word that may be cut, relative to the take
NEAR_S = 0.0125
LETTERS_MIN, LEAST_S = 4, 0.15  # minimum letters and length of a word that may be cut
SEED = 7


@dataclass(frozen=True, slots=True, eq=False)
class Fault:
    """A take with a fault at one of its words."""

    name: str
    kind: Kind
    place: int
    audio: Audio
    text: str


@dataclass(frozen=True, slots=True)
class Cut:
    """A word whose edges are quiet."""

    place: int
    start: int  # samples
    end: int


def planted(recogniser: Recogniser, takes: Sequence[tuple[str, Audio, str]]) -> Iterator[Fault]:
    """Yield faults in complete takes: up to two missing, two replaced, one repeated and one added word in each."""
    chosen = random.Random(SEED)
    pool: list[Samples] = []
    for name, audio, text in takes:
        heard = compare(recogniser, audio, typed_words(text))
        cuts = cuttable(audio, heard)
        chosen.shuffle(cuts)
        for cut, kind in zip(cuts, ("missing", "replaced", "repeated", "added", "missing", "replaced"), strict=False):
            other = chosen.choice(pool) if pool else None
            if kind in ("missing", "repeated") or other is not None:
                yield Fault(name, kind, cut.place, _with(audio, cut, kind, other), text)
        pool += [audio.samples[cut.start : cut.end] for cut in cuts]


def cuttable(audio: Audio, heard: Comparison) -> list[Cut]:
    """Return the content words that are heard and whose edges are quiet."""
    level = float(np.sqrt(np.mean(audio.samples**2))) + 1e-9
    found = []
    for place, finding in enumerate(heard.words):
        word = finding.word
        start, end = (round(at_s * audio.sample_rate) for at_s in (word.start_s, word.end_s))
        plain = len(word.word) >= LETTERS_MIN and word.word.lower() not in FUNCTION and finding.verdict == "kept"
        quiet = all(_level(audio, at) < QUIET * level for at in (start, end))
        if plain and quiet and word.end_s - word.start_s >= LEAST_S:
            found.append(Cut(place, start, end))
    return found


def _level(audio: Audio, at: int) -> float:
    near = round(NEAR_S * audio.sample_rate)
    part = audio.samples[max(0, at - near) : at + near]
    return float(np.sqrt(np.mean(part**2))) if len(part) else 0.0


def _with(audio: Audio, cut: Cut, kind: Kind, other: Samples | None) -> Audio:
    samples = audio.samples
    word = samples[cut.start : cut.end]
    inside = {"missing": [], "replaced": [other], "repeated": [word, word], "added": [other, word]}[kind]
    parts = [samples[: cut.start], *(part for part in inside if part is not None), samples[cut.end :]]
    return Audio(np.concatenate(parts).astype(np.float32), audio.sample_rate)
