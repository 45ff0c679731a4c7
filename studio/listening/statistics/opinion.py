"""Mean opinion scores."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean, stdev

from studio.listening.statistics.answers import Rating
from studio.listening.tally import CONFIDENCE


@dataclass(frozen=True, slots=True, kw_only=True)
class Opinion:
    """The mean score of one arm."""

    mean: float
    interval: tuple[float, float] | None  # 95 %; None for a single value; may exceed the ends of the scale
    ratings: int
    listeners: int


def opinion(ratings: Iterable[Rating]) -> dict[str, Opinion]:
    """Return the mean score of each arm, with an interval from Student's t.

    With several listeners, the values are the mean scores of the listeners, so that each listener has the same weight and the
    interval holds for further listeners. With one listener, the values are the ratings.
    """
    arms: dict[str, dict[str, list[float]]] = {}
    for rating in ratings:
        arms.setdefault(rating.arm, {}).setdefault(rating.listener, []).append(rating.score)
    return {arm: _opinion(list(scores.values())) for arm, scores in arms.items()}


def _opinion(listeners: Sequence[Sequence[float]]) -> Opinion:
    values = [fmean(scores) for scores in listeners] if len(listeners) > 1 else listeners[0]
    return Opinion(
        mean=fmean(values),
        interval=_interval(values),
        ratings=sum(map(len, listeners)),
        listeners=len(listeners),
    )


def _interval(values: Sequence[float]) -> tuple[float, float] | None:
    from scipy.special import stdtrit

    if len(values) < 2:
        return None
    mean, quantile = fmean(values), float(stdtrit(len(values) - 1, 1 - (1 - CONFIDENCE) / 2))
    half = quantile * stdev(values) / len(values) ** 0.5
    return mean - half, mean + half
