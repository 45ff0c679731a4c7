"""The figures of a voice: compute them from measurements, and store them in the checkpoint's folder."""

import dataclasses
import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from training.evaluation.measurement import Measurement

NAME = "figures.json"


@dataclass(frozen=True, slots=True)
class Figure:
    voice: float
    on: str  # number of measurements; for a time, also the speed of the machine
    own: float | None = None  # the figure of the synthesizers' own audio


def mean(values: Iterable[float]) -> float:
    """Return the mean; NaN without values."""
    kept = list(values)
    return float(np.mean(kept)) if kept else float("nan")


def of(kind: str) -> Callable[[Measurement], bool]:
    return lambda row: row.line.kind == kind


def word_error(rows: Sequence[Measurement]) -> float:
    return sum(row.wrong for row in rows) / sum(row.count for row in rows)


def right(rows: Sequence[Measurement]) -> float:
    return mean(row.wrong == 0 for row in rows)


# By name: the condition for takes that count, and the function that computes the figure from them.
MEASURES: dict[str, tuple[Callable[[Measurement], bool], Callable[[Sequence[Measurement]], float]]] = {
    "open_wer": (of("open"), word_error),
    "digits_wer": (of("digits"), word_error),
    "closed_right": (of("closed"), right),
    "human_right": (of("human"), right),
    "own_nearest": (
        lambda row: row.nearest != "",
        lambda rows: mean(row.nearest == row.line.reference for row in rows),
    ),
    "whole": (lambda row: True, lambda rows: mean(row.whole for row in rows)),
}


def figures(measured: Sequence[Measurement], own: Sequence[Measurement]) -> dict[str, Figure]:
    """Return shares and word error rates of a voice, and those of the synthesizers' audio for the same lines."""
    found = {}
    for name, (counts, value) in MEASURES.items():
        rows, same = ([row for row in some if counts(row)] for some in (measured, own))
        if rows:
            found[name] = Figure(value(rows), _stands_on(rows, same), value(same) if same else None)
    return found


def _stands_on(rows: Sequence[Measurement], own: Sequence[Measurement]) -> str:
    references = len({row.line.reference for row in rows})
    less = f"; own audio {len(own)} lines" if own and len(own) != len(rows) else ""
    return f"{len(rows)} lines, {references} reference{'s' if references > 1 else ''}{less}"


def read(folder: Path) -> dict[str, Figure]:
    path = folder / NAME
    kept = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    return {name: Figure(**figure) for name, figure in kept.items()}


def update(folder: Path, found: dict[str, Figure]) -> dict[str, Figure]:
    """Replace figures by name in the file, and return all figures."""
    known = read(folder) | found
    content = {name: dataclasses.asdict(figure) for name, figure in sorted(known.items())}
    (folder / NAME).write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
    return known
