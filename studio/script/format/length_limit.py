"""Length limits of lines, as written in a sheet."""

import re
from contextlib import suppress
from dataclasses import dataclass

from engines.errors import BadSetting

TOLERANCE_S = 0.05
FRAME_S = 0.005  # speech is found in frames of this length
SHOWN = 20  # maximum number of characters of a cell in a message

# The pattern allows many decimals, because spreadsheets may write 2.4000000000000004.
LENGTH = re.compile(
    r"(\d{1,4}(?:[.,]\d{1,20})?|[.,]\d{1,20})\s*(ms|milliseconds?|s|secs?\.?|seconds?|sek\.?|sekunden?|secondes?|segundos?)?",
    re.IGNORECASE,
)
AT_MOST = re.compile(r"(?:<=?|≤|max\.?|at most|up to)\s*", re.IGNORECASE)
EXACTLY = re.compile(r"(?:==?|exactly|exact)\s*", re.IGNORECASE)
UNLIMITED = frozenset(("", "-", "–", "—", "0", "none", "n/a"))


@dataclass(frozen=True, slots=True)
class LengthLimit:
    """The allowed length of a line."""

    length_s: float
    exact: bool = False  # False if a shorter line is allowed

    @property
    def most_s(self) -> float:
        return self.length_s + (TOLERANCE_S if self.exact else 0.0)

    @property
    def aim_s(self) -> float:
        """Return the length to which a take outside the limit is fitted."""
        return self.length_s if self.exact else max(self.length_s - TOLERANCE_S, self.length_s * 0.9)

    def without(self, edges_s: float) -> "LengthLimit":
        """Return the limit for the speech alone, if a file adds this much silence to it."""
        return LengthLimit(self.length_s - edges_s, self.exact)

    def holds(self, speech_s: float) -> bool:
        return speech_s <= self.most_s and not (self.exact and speech_s < self.length_s - TOLERANCE_S)


def read_limit(cell: str) -> LengthLimit | None:
    """Parse a length limit: 2.5, "2,5 s" or "max 800 ms" is a maximum, "=2.5" or "exactly 2.5" is exact.

    Return None if the cell has no limit. Raises BadSetting if the cell is invalid.
    """
    said = cell.strip()
    if said.lower() in UNLIMITED:
        return None
    exact = EXACTLY.match(said)
    prefix = exact or AT_MOST.match(said)
    found = LENGTH.fullmatch(said, prefix.end() if prefix else 0)
    length_s = float(found[1].replace(",", ".")) if found else 0.0
    if found is None or length_s == 0.0:
        shown = said[:SHOWN] + ("…" if len(said) > SHOWN else "")
        raise BadSetting(f"“{shown}” is not a length; write 2.5 for at most 2.5 s, or =2.5 for exactly 2.5 s")
    return LengthLimit(length_s / (1000 if (found[2] or "").lower().startswith("m") else 1), exact is not None)


def is_limit(cell: str) -> bool:
    """Return True if the cell limits the length of its line."""
    return valid_limit(cell) is not None


def missed(cell: str, file_s: float) -> str:
    """Return a sentence if a file with this length misses the limit in the cell, or if the limit is invalid; else ""."""
    try:
        limit = read_limit(cell)
    except BadSetting as error:
        return str(error)
    if limit is None or limit.holds(file_s) or limit.holds(file_s - FRAME_S):
        return ""
    wanted = f"{'exactly' if limit.exact else 'at most'} {limit.length_s:.2f} s"
    said = f"the file lasts {file_s:.2f} s with the silence at start and end, but should last {wanted}"
    if file_s > limit.length_s:
        return f"{said}; shorten the text or raise the length limit"
    return f"{said}; lengthen the text or lower the required length"


def valid_limit(cell: str) -> LengthLimit | None:
    """Return the limit in a cell; None for an invalid cell, which `missed` reports."""
    with suppress(BadSetting):
        return read_limit(cell)
    return None
