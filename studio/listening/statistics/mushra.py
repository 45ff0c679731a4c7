"""MUSHRA tests (ITU-R BS.1534-3)."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from statistics import fmean

from studio.listening.statistics.answers import Rating
from studio.listening.statistics.opinion import Opinion, opinion
from studio.listening.tally import CONFIDENCE

GOOD = 90.0  # the least score of a recognised reference, and the highest score of a recognised anchor
TOLERATED = 0.15  # share of trials with a wrong score that BS.1534-3 tolerates
LEAST_LISTENERS = 6  # the signed-rank test of fewer values cannot reach 5 %


@dataclass(frozen=True, slots=True, kw_only=True)
class Contrast:
    """The difference between the scores of two arms."""

    first: str
    second: str
    difference: float  # mean score of the first arm minus the second arm
    pairs: int  # pairs of values in the test
    p: float  # Wilcoxon's signed-rank test, two-sided
    adjusted_p: float  # after Holm's correction for all contrasts of the session

    @property
    def decided(self) -> bool:
        """Return True if the adjusted p is below 5 %."""
        return self.adjusted_p < 1 - CONFIDENCE


@dataclass(frozen=True, slots=True, kw_only=True)
class MushraResult:
    """Scores after the post-screening of listeners."""

    excluded: Mapping[str, str]  # listener: reason
    opinions: Mapping[str, Opinion]  # by arm, with the reference and the anchor
    contrasts: Sequence[Contrast]  # all pairs of arms except the reference and the anchor


def mushra(ratings: Iterable[Rating], reference: str, anchor: str | None) -> MushraResult:
    """Return mean scores and contrasts without the listeners whom the post-screening of BS.1534-3 excludes.

    A listener is excluded who rates the hidden reference below 90, or the anchor above 90, in more than 15 % of trials.

    The signed-rank test compares mean scores of listeners if at least 6 listeners rated both arms. Otherwise, the test
    compares the ratings of each listener and line, and its p holds for these listeners only. `anchor` is None in a test
    without an anchor.
    """
    every = list(ratings)
    excluded = _excluded(every, reference, anchor)
    kept = [rating for rating in every if rating.listener not in excluded]
    arms = sorted({rating.arm for rating in kept} - {reference, anchor})
    return MushraResult(excluded=excluded, opinions=opinion(kept), contrasts=_contrasts(kept, arms))


def _excluded(ratings: Sequence[Rating], reference: str, anchor: str | None) -> dict[str, str]:
    references: dict[str, list[float]] = {}
    anchors: dict[str, list[float]] = {}
    for rating in ratings:
        for arm, scores in ((reference, references), (anchor, anchors)):
            if rating.arm == arm:
                scores.setdefault(rating.listener, []).append(rating.score)
    reasons: dict[str, str] = {}
    for listener in dict.fromkeys(rating.listener for rating in ratings):
        low = [score < GOOD for score in references.get(listener, [])]
        high = [score > GOOD for score in anchors.get(listener, [])]
        if sum(low) > TOLERATED * len(low):
            reasons[listener] = f"Rated the hidden reference below {GOOD:g} in {sum(low)} of {len(low)} trials."
        elif sum(high) > TOLERATED * len(high):
            reasons[listener] = f"Rated the anchor above {GOOD:g} in {sum(high)} of {len(high)} trials."
    return reasons


def _contrasts(ratings: Sequence[Rating], arms: Sequence[str]) -> list[Contrast]:
    scores: dict[str, dict[tuple[str, str], list[float]]] = {arm: {} for arm in arms}
    for rating in ratings:
        if rating.arm in scores:
            scores[rating.arm].setdefault((rating.listener, rating.line), []).append(rating.score)
    means = {arm: {trial: fmean(values) for trial, values in trials.items()} for arm, trials in scores.items()}
    found = {(a, b): values for a, b in combinations(arms, 2) if (values := _differences(means[a], means[b]))}
    ps = {pair: _signed_rank(values) for pair, values in found.items()}
    adjusted = _holm(ps)
    return [
        Contrast(
            first=pair[0],
            second=pair[1],
            difference=fmean(values),
            pairs=len(values),
            p=ps[pair],
            adjusted_p=adjusted[pair],
        )
        for pair, values in found.items()
    ]


def _differences(first: Mapping[tuple[str, str], float], second: Mapping[tuple[str, str], float]) -> list[float]:
    """Return differences of scores by listener and line, averaged over the lines if there are enough listeners."""
    listeners: dict[str, list[float]] = {}
    for trial in first.keys() & second.keys():
        listeners.setdefault(trial[0], []).append(first[trial] - second[trial])
    if len(listeners) >= LEAST_LISTENERS:
        return [fmean(values) for values in listeners.values()]
    return [value for values in listeners.values() for value in values]


def _signed_rank(differences: Sequence[float]) -> float:
    """Return the two-sided p of Wilcoxon's signed-rank test without differences of 0; 1 if all differences are 0."""
    from scipy.stats import wilcoxon

    rounded = [round(value, 9) for value in differences]  # else equal differences of fractions get unequal ranks
    moved = [value for value in rounded if value]
    return float(wilcoxon(moved).pvalue) if moved else 1.0


def _holm(ps: Mapping[tuple[str, str], float]) -> dict[tuple[str, str], float]:
    """Return p values after the step-down correction of S. Holm, Scandinavian Journal of Statistics 6 (1979)."""
    adjusted: dict[tuple[str, str], float] = {}
    highest = 0.0
    for place, pair in enumerate(sorted(ps, key=lambda pair: ps[pair])):
        highest = max(highest, min(1.0, (len(ps) - place) * ps[pair]))
        adjusted[pair] = highest
    return adjusted
