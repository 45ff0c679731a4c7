"""Agreement between listeners."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence

from studio.listening.statistics.answers import PairVote, Rating

Unit = tuple[str, ...]  # what several listeners judge: a line with a pair of arms, or a line with an arm


def agreement(answers: Iterable[PairVote] | Iterable[Rating]) -> float | None:
    """Return Krippendorff's alpha: 1 for full agreement, about 0 for answers at random, below 0 for systematic disagreement.

    Comparisons are nominal values of a line and a pair of arms. Ratings are values of a line and an arm on an interval scale.
    The first answer of a listener counts. Units with a single answer are ignored.

    Returns:
        None if no two listeners judged the same unit, or if all answers are equal.

    Source: K. Krippendorff, "Computing Krippendorff's Alpha-Reliability" (2011). The package `krippendorff` is not used,
    because its licence (GPL 3) does not fit the licence of this project.
    """
    comparisons: dict[Unit, dict[str, float]] = {}
    ratings: dict[Unit, dict[str, float]] = {}
    for answer in answers:
        if isinstance(answer, Rating):
            ratings.setdefault((answer.line, answer.arm), {}).setdefault(answer.listener, answer.score)
        else:
            unit = (answer.line, *sorted((answer.first, answer.second)))
            comparisons.setdefault(unit, {}).setdefault(answer.listener, _value(answer))
    return _alpha(ratings, _interval) if ratings else _alpha(comparisons, _nominal)


def _value(comparison: PairVote) -> float:
    """Return 1 if the arm that sorts first wins, -1 if the other arm wins, 0 for a tie."""
    value = {"first": 1.0, "second": -1.0, "tie": 0.0}[comparison.outcome]
    return value if comparison.first < comparison.second else -value


def _alpha(units: Mapping[Unit, Mapping[str, float]], distance: Callable[[Sequence[float]], float]) -> float | None:
    judged = [list(values.values()) for values in units.values() if len(values) > 1]
    every = [value for values in judged for value in values]
    expected = distance(every) / (len(every) - 1) if every else 0.0
    if not expected:
        return None
    observed = sum(distance(values) / (len(values) - 1) for values in judged)
    return 1 - observed / expected


def _nominal(values: Sequence[float]) -> float:
    """Return the number of ordered pairs of different values."""
    return float(len(values) ** 2 - sum(count**2 for count in Counter(values).values()))


def _interval(values: Sequence[float]) -> float:
    """Return the sum of squared differences over all ordered pairs; exactly 0 for equal values."""
    moved = [value - values[0] for value in values]
    return 2 * (len(moved) * sum(value**2 for value in moved) - sum(moved) ** 2)
