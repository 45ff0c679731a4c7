"""Count the takes of an arm in which the ears found lost words or faults of the audio."""

from collections.abc import Iterable
from dataclasses import dataclass

from studio.history import StoredTake


@dataclass(frozen=True, slots=True, kw_only=True)
class ArmScores:
    """Numbers of takes of one arm."""

    heard: int  # takes whose words were compared with the line
    lost: int  # takes with a missing, misheard or added word
    faulty: int  # takes with a serious fault of the audio, such as a tone or clipping


def scores_of_takes(takes: Iterable[StoredTake | None]) -> ArmScores:
    """Count; takes that are not made or not heard do not count."""
    heard = [take.heard for take in takes if take is not None and take.heard is not None]
    compared = [one["complete"] for one in heard if one["complete"] is not None]
    return ArmScores(
        heard=len(compared),
        lost=compared.count(False),
        faulty=sum(any(fault["severity"] == "fail" for fault in one["faults"]) for one in heard),
    )
