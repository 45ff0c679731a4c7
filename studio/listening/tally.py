"""What votes add up to, for each two arms, and how sure that is."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from studio.listening.trial import Arm, Trial

CONFIDENCE = 0.95


@dataclass(frozen=True, slots=True, kw_only=True)
class Tally:
    """Votes between two arms, as the first one sees them."""

    first: Arm
    second: Arm
    wins: int
    losses: int
    ties: int

    @property
    def interval(self) -> tuple[float, float]:
        """Where the share of listeners' preferences for the first arm lies, ties left out: exact, 95 %."""
        return clopper_pearson(self.wins, self.wins + self.losses)


def tally(trials: Iterable[Trial]) -> Sequence[Tally]:
    """One for each two arms that met in sealed trials; the most voted first."""
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
    """How often a take won, tied and lost in sealed trials."""
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
    """The exact two-sided binomial interval of a share (Clopper and Pearson, 1934); (0, 1) where nothing was counted."""
    from scipy.special import betaincinv  # a third of scipy.stats' time to import, which says the same

    tail = (1 - CONFIDENCE) / 2
    low = float(betaincinv(successes, count - successes + 1, tail)) if successes else 0.0
    high = float(betaincinv(successes + 1, count - successes, 1 - tail)) if successes < count else 1.0
    return low, high
