"""What is heard of a voice, and how: lines, pairings with references, outside ears."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from training.corpus import flite
from training.corpus.heldout import heldout
from training.corpus.spelling import say_digits, words
from training.evaluation import recognizer
from training.evaluation.edit_distance import edits

Clip = NDArray[np.float32]
RATE_HZ = 24_000
Speak = Callable[[str, str], Clip]  # name of a reference, line -> samples at 24 kHz


@dataclass(frozen=True, slots=True)
class Trial:
    kind: str  # open, closed, digits or human
    reference: str
    line: str


def is_flite(reference: str) -> bool:
    voices = {speaker["name"]: speaker["voice"] for speaker in heldout()["speakers"]}
    return voices.get(reference) in flite.VOICES


def plan(every: int = 1) -> list[Trial]:
    """Every line once, by the references in turn; closed sets and digits by flite-like ones, which the recogniser hears.

    Of `every` lines one is kept, another in each round of the references, so that all of them speak.
    """
    content = heldout()
    names = [speaker["name"] for speaker in content["speakers"]]
    clear = [name for name in names if is_flite(name)]
    digits = [say_digits(digits) for digits in content["digits"]]
    parts = (
        ("open", names, content["open"]),
        ("closed", clear, content["closed"]),
        ("digits", clear, digits),
        ("human", ["human"], content["closed"]),
    )
    return [
        Trial(kind, speakers[number % len(speakers)], line)
        for kind, speakers, lines in parts
        for number, line in enumerate(lines)
        if (number + number // len(names)) % every == 0
    ]


@dataclass(slots=True)
class Heard:
    """One take as the outside ears took it."""

    trial: Trial
    wrong: int  # words
    count: int
    whole: bool  # first and last word there, quiet at the end
    nearest: str = ""  # of the references, the one that sounds most like it; asked of open lines


def listen(trial: Trial, speak: Speak, prints: dict[str, NDArray[np.float32]]) -> Heard:
    clip = speak(trial.reference, trial.line)
    wanted = words(trial.line)
    if trial.kind == "open":
        found = recognizer.hear(clip)
    elif trial.kind == "digits":
        found = recognizer.hear_digits(clip)
    else:
        found = recognizer.hear_choice(clip, heldout()["closed"])
    whole = recognizer.has_ends(clip, trial.line) and ends_quietly(clip)
    near = recognizer.nearest(clip, prints) if trial.kind == "open" else ""
    return Heard(trial, edits(wanted, found), len(wanted), whole, near)


def ends_quietly(clip: Clip) -> bool:
    """Whether the last 50 ms are 30 dB below the line."""
    tail, level = clip[-RATE_HZ // 20 :], float(np.sqrt(np.mean(clip**2)))
    return float(np.sqrt(np.mean(tail**2))) < level * 10**-1.5
