"""What is expected of a take, and what came of looking at it."""

from dataclasses import dataclass

from engines.types import Audio
from studio.script.script import TakeCheck


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Expected:
    """What a take should be."""

    text: str  # as the engine was given it
    written: str = ""  # before the lexicon was applied; "" = the same
    reference: Audio | None = None  # whose voice it should be; None = not compared
    estimate_s: float | None = None  # how long it was thought to last


@dataclass(frozen=True, slots=True)
class Checked:
    """Every check of a take, in the order they are shown, and one figure to compare takes of one line by."""

    checks: tuple[TakeCheck, ...]
    score: float  # 0 to 1, higher is better
