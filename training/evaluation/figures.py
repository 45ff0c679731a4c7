"""The figures of a voice: how each follows from what was heard, and the file beside the checkpoint that keeps them."""

import dataclasses
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from training.evaluation import recognizer
from training.evaluation.measurement import Heard, is_flite

NAME = "figures.json"


@dataclass(frozen=True, slots=True)
class Figure:
    voice: float
    on: str  # how much it stands on; for a time, also how fast the machine was
    own: float | None = None  # the same of the synthesizers' own audio


def of(kind: str) -> Callable[[Heard], bool]:
    return lambda row: row.trial.kind == kind


def word_error(rows: Sequence[Heard]) -> float:
    return sum(row.wrong for row in rows) / sum(row.count for row in rows)


def right(rows: Sequence[Heard]) -> float:
    return recognizer.mean(row.wrong == 0 for row in rows)


# name -> (the takes it stands on, what is made of them)
MEASURES: dict[str, tuple[Callable[[Heard], bool], Callable[[Sequence[Heard]], float]]] = {
    "open_wer": (of("open"), word_error),
    "open_wer_flite": (lambda row: row.trial.kind == "open" and is_flite(row.trial.reference), word_error),
    "digits_wer": (of("digits"), word_error),
    "closed_right": (of("closed"), right),
    "human_right": (of("human"), right),
    "own_nearest": (
        lambda row: row.nearest != "",
        lambda rows: recognizer.mean(row.nearest == row.trial.reference for row in rows),
    ),
    "whole": (lambda row: True, lambda rows: recognizer.mean(row.whole for row in rows)),
}


def figures(heard: Sequence[Heard], own: Sequence[Heard]) -> dict[str, Figure]:
    """Shares and word error rates of a voice, beside those of the synthesizers' own audio of the same lines."""
    found = {}
    for name, (counts, value) in MEASURES.items():
        rows, same = ([row for row in some if counts(row)] for some in (heard, own))
        if rows:
            found[name] = Figure(value(rows), _stands_on(rows, same), value(same) if same else None)
    return found


def _stands_on(rows: Sequence[Heard], own: Sequence[Heard]) -> str:
    references = len({row.trial.reference for row in rows})
    less = f"; own audio {len(own)} lines" if own and len(own) != len(rows) else ""
    return f"{len(rows)} lines, {references} reference{'s' if references > 1 else ''}{less}"


def read(folder: Path) -> dict[str, Figure]:
    path = folder / NAME
    kept = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    return {name: Figure(**figure) for name, figure in kept.items()}


def update(folder: Path, found: dict[str, Figure]) -> dict[str, Figure]:
    """These figures in place of earlier ones of the same names; returns all."""
    known = read(folder) | found
    content = {name: dataclasses.asdict(figure) for name, figure in sorted(known.items())}
    (folder / NAME).write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
    return known
