"""Whether few lines bear out what a voice's card claims of many."""

from collections.abc import Sequence

from training.evaluation import figures
from training.references import checkpoint

CHANCE = 1  # of ten lines, one may go wrong beyond the card's share: so few are one sample of it


def borne_out(engine: str, name: str, outcomes: Sequence[bool]) -> bool:
    """Of these lines, as many are right as the figure of that name says."""
    claimed = figures.read(checkpoint(engine))[name].voice
    return sum(outcomes) >= claimed * len(outcomes) - CHANCE
