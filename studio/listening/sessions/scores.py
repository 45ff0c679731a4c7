"""Summarise the automatic checks of an arm's takes: words, faults of the audio, predicted MOS and likeness."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from studio.history import StoredTake


@dataclass(frozen=True, slots=True, kw_only=True)
class ArmScores:
    """Counts of one arm's takes, and mean scores. A mean is None if no take has the score."""

    heard: int  # takes whose words were compared with the line
    lost: int  # takes with a missing, misheard or added word
    faulty: int  # takes with a serious fault of the audio, such as a tone or clipping
    mos: float | None  # mean predicted MOS, 1 to 5
    likeness: float | None  # mean likeness of the voice to the reference, at most 1


def scores_of_takes(takes: Iterable[StoredTake | None]) -> ArmScores:
    """Summarise the takes; takes that are not made or not heard do not count."""
    heard = [take.heard for take in takes if take is not None and take.heard is not None]
    compared = [one["complete"] for one in heard if one["complete"] is not None]
    return ArmScores(
        heard=len(compared),
        lost=compared.count(False),
        faulty=sum(any(fault["severity"] == "fail" for fault in one["faults"]) for one in heard),
        mos=_mean(heard, "mos"),
        likeness=_mean(heard, "likeness"),
    )


def _mean(heard: Sequence[Mapping[str, Any]], name: str) -> float | None:
    values = [one[name] for one in heard if one.get(name) is not None]
    return round(fmean(values), 3) if values else None
