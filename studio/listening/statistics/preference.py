"""Preference between two arms."""

from dataclasses import dataclass

from studio.listening.statistics.power import p_value, votes_needed
from studio.listening.tally import CONFIDENCE, clopper_pearson


@dataclass(frozen=True, slots=True, kw_only=True)
class Preference:
    """The result of the votes on two arms, seen from the first arm."""

    wins: int
    losses: int
    ties: int
    share: float | None  # wins among wins and losses; None without a win or a loss
    interval: tuple[float, float]  # exact, at least 95 %
    p: float  # exact, two-sided, against a share of 0.5
    votes_needed: int | None  # more votes until the preference is decided; None: more than 5,000 votes

    @property
    def decided(self) -> bool:
        """Return True if p is below 5 %; the interval then excludes 0.5."""
        return self.p < 1 - CONFIDENCE


def preference(wins: int, losses: int, ties: int) -> Preference:
    """Test whether listeners prefer one of two arms.

    Ties are left out of the share, the interval and p (the sign test), because a tie says nothing about which arm is better.
    `votes_needed` counts ties: if half of the votes are ties, the number is twice as large.

    The interval is Clopper and Pearson's, which covers the true share in at least 95 % of sessions: in 96 % with 100 to 400
    votes, in 97 to 98 % with 20 to 40 votes (20 % of them ties). The mid-p and Wilson intervals are closer to 95 %, but can
    disagree with the exact p: an interval could exclude 0.5 although the preference is not decided.

    p holds for a test after a fixed number of votes. A session that ends as soon as p is below 5 % is wrong more often.
    """
    decided = wins + losses
    return Preference(
        wins=wins,
        losses=losses,
        ties=ties,
        share=wins / decided if decided else None,
        interval=clopper_pearson(wins, decided),
        p=p_value(wins, decided, sides=2),
        votes_needed=votes_needed(wins, losses, ties, sides=2),
    )
