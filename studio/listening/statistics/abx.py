"""ABX tests of whether a listener hears a difference."""

from dataclasses import dataclass

from studio.listening.statistics.power import p_value, votes_needed
from studio.listening.tally import CONFIDENCE, clopper_pearson


@dataclass(frozen=True, slots=True, kw_only=True)
class AbxResult:
    """The result of ABX trials."""

    correct: int
    count: int
    share: float | None  # correct answers among all; None without an answer
    interval: tuple[float, float]  # exact, at least 95 %, two-sided
    p: float  # exact, one-sided: the probability of at least as many correct answers by guessing
    votes_needed: (
        int | None
    )  # more answers until the difference is proven; None: more than 5,000, or no better than guessing

    @property
    def decided(self) -> bool:
        """Return True if p is below 5 %: the difference is audible."""
        return self.p < 1 - CONFIDENCE


def abx(correct: int, count: int) -> AbxResult:
    """Test whether answers to ABX trials are better than guessing."""
    return AbxResult(
        correct=correct,
        count=count,
        share=correct / count if count else None,
        interval=clopper_pearson(correct, count),
        p=p_value(correct, count, sides=1),
        votes_needed=votes_needed(correct, count - correct, sides=1),
    )
