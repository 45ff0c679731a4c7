"""The expected properties of a take, and the result of its checks."""

from dataclasses import dataclass

from engines.types import Audio
from studio.languages import ENGLISH
from studio.script.format.script import TakeCheck


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Expected:
    """The expected properties of a take."""

    text: str  # text that the engine got
    written: str = ""  # text before the lexicon was applied; "" if the lexicon changed nothing
    reference: Audio | None = None  # audio of the expected voice; None if the voice is not checked
    estimate_s: float | None = None  # estimated length
    language: str = ENGLISH  # of the text; a BCP 47 tag


@dataclass(frozen=True, slots=True)
class Checked:
    """All checks of a take in display order, and a score to compare takes of a line."""

    checks: tuple[TakeCheck, ...]
    score: float  # 0 to 1, higher is better
