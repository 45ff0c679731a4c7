"""The lines of the evaluation with their references, and measurements of their takes."""

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from training.corpus.heldout import heldout
from training.corpus.spelling import spell_digits, words
from training.evaluation import recognizer
from training.evaluation.edit_distance import edits
from training.evaluation.speaker_encoder import Embedding, embed, nearest
from training.references import RATE_HZ, Clip, ReferenceClips

log = logging.getLogger(__name__)
Speak = Callable[[str, str], Clip]  # takes the name of a reference and a line, and returns a clip


@dataclass(frozen=True, slots=True)
class EvaluationLine:
    kind: str  # open, closed, digits or human
    reference: str
    text: str


@dataclass(frozen=True, slots=True)
class Measurement:
    """The measurement of a take."""

    line: EvaluationLine
    wrong: int  # number of wrong words
    count: int
    whole: bool  # True if the first and the last word are spoken and the end is quiet
    nearest: str = ""  # the reference that is most similar to the take; measured for open lines


def evaluation_lines(every: int = 1) -> list[EvaluationLine]:
    """Return each line at most once, with the references in turn.

    One line in `every` is kept, at another place in each round of the references, so that all are measured.
    """
    content = heldout()
    names = [speaker["name"] for speaker in content["speakers"]]
    digits = [spell_digits(digits) for digits in content["digits"]]
    parts = (
        ("open", names, content["open"]),
        ("closed", names, content["closed"]),
        ("digits", names, digits),
        ("human", ["human"], content["closed"]),
    )
    return [
        EvaluationLine(kind, speakers[number % len(speakers)], line)
        for kind, speakers, lines in parts
        for number, line in enumerate(lines)
        if (number + number // len(names)) % every == 0
    ]


def measure_lines(lines: Sequence[EvaluationLine], speak: Speak, known: ReferenceClips) -> list[Measurement]:
    """Speak and measure every line whose reference is known."""
    embeddings = {name: embed(clip) for name, (clip, _) in known.items() if name != "human"}
    measured = []
    for line in lines:
        if line.reference in known:
            measured.append(measure(line, speak(line.reference, line.text), embeddings))
            log.info("%s %s: %d of %d wrong", line.kind, line.reference, measured[-1].wrong, measured[-1].count)
    return measured


def measure(line: EvaluationLine, clip: Clip, embeddings: Mapping[str, Embedding]) -> Measurement:
    """Measure a take; `embeddings` are the embeddings of the references by name."""
    wanted = words(line.text)
    if line.kind == "open":
        found = recognizer.recognize(clip)
    elif line.kind == "digits":
        found = recognizer.recognize_digits(clip)
    else:
        found = recognizer.recognize_choice(clip, heldout()["closed"])
    whole = recognizer.has_ends(clip, line.text) and ends_quietly(clip)
    near = nearest(clip, embeddings) if line.kind == "open" else ""
    return Measurement(line, edits(wanted, found), len(wanted), whole, near)


def ends_quietly(clip: Clip) -> bool:
    """Return True if the last 50 ms are over 30 dB below the line's level."""
    tail, level = clip[-RATE_HZ // 20 :], float(np.sqrt(np.mean(clip**2)))
    return float(np.sqrt(np.mean(tail**2))) < level * 10**-1.5
