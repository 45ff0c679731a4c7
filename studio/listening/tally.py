"""Results of votes for each pair of arms, with confidence intervals."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from studio.listening.trial import Arm, Trial

CONFIDENCE = 0.95


@dataclass(frozen=True, slots=True, kw_only=True)
class Tally:
    """Votes on two arms, seen from the first arm."""

    first: Arm
    second: Arm
    wins: int
    losses: int
    ties: int

    @property
    def interval(self) -> tuple[float, float]:
        """Return the exact 95 % interval of the share of preferences for the first arm, without ties."""
        return clopper_pearson(self.wins, self.wins + self.losses)


def tally(trials: Iterable[Trial]) -> Sequence[Tally]:
    """Return the results for each pair of arms in sealed trials; the pair with the most votes comes first."""
    counts: dict[tuple[Arm, Arm], list[int]] = {}
    for trial in trials:
        if trial.choice is None or not trial.sealed_at or not trial.counts:
            continue
        arms = trial.a.contender.arm, trial.b.contender.arm
        first, second = sorted(arms, key=repr)
        won = {"a": arms[0], "b": arms[1], "tie": None}[trial.choice]
        place = 0 if won == first else 1 if won == second else 2
        counts.setdefault((first, second), [0, 0, 0])[place] += 1
    tallies = [
        Tally(first=first, second=second, wins=wins, losses=losses, ties=ties)
        for (first, second), (wins, losses, ties) in counts.items()
    ]
    return sorted(tallies, key=lambda one: -(one.wins + one.losses + one.ties))


def record(trials: Iterable[Trial], take_id: str) -> tuple[int, int, int]:
    """Return the number of sealed trials that a take won, tied and lost."""
    won = tied = lost = 0
    for trial in trials:
        side = next(
            (name for name, side in zip("ab", trial.sides, strict=True) if side.contender.take_id == take_id), None
        )
        if side and trial.choice and trial.sealed_at and not trial.repeats:
            won, tied, lost = (
                won + (trial.choice == side),
                tied + (trial.choice == "tie"),
                lost + (trial.choice not in (side, "tie")),
            )
    return won, tied, lost


def clopper_pearson(successes: int, count: int) -> tuple[float, float]:
    """Return the exact two-sided binomial interval of a share (Clopper and Pearson, 1934); (0, 1) if `count` is 0."""
    from scipy.special import betaincinv  # imports in a third of the time of scipy.stats, with the same result

    tail = (1 - CONFIDENCE) / 2
    low = float(betaincinv(successes, count - successes + 1, tail)) if successes else 0.0
    high = float(betaincinv(successes + 1, count - successes, 1 - tail)) if successes < count else 1.0
    return low, high
