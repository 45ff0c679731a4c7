"""Fit lines to time: parse length limits, and choose the requests that make a take fit.

The length in a sheet is that of the delivered file: the speech, and the silence that the delivery adds around it (`edges_s`).
Takes are fitted by their speech to the length without that silence, because a delivery replaces the silence of a take. The
effect of the pace is known only roughly (the embedded F5 is off by up to a fifth), so a line is spoken again while that
brings it nearer to its length, and the rest is stretched.
"""

import re
from collections.abc import Generator, Iterable
from contextlib import suppress
from dataclasses import dataclass, replace

from engines.errors import BadAudio, BadSetting
from engines.text import Pause, parse
from engines.types import Setting, Take
from studio.order import Order
from studio.script.stretching import spoken_s, stretched

TOLERANCE_S = 0.05
LEAST, MOST = 0.8, 1.25  # share of the natural length; outside this range, speech sounds hurried or drawn out
NEAR = 1e-3  # tolerance, because lengths are measured in frames
ATTEMPTS = 4  # including the natural one
INAUDIBLE = 0.03  # stretching by at most this share is inaudible
FRAME_S = 0.005  # speech is found in frames of this length
SHOWN = 20  # characters of a cell in a message

# Spreadsheets write numbers as 2.4000000000000004.
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
    exact: bool = False  # otherwise it may be shorter

    @property
    def most_s(self) -> float:
        return self.length_s + (TOLERANCE_S if self.exact else 0.0)

    @property
    def aim_s(self) -> float:
        """Return the length to which a take outside the limit is fitted."""
        return self.length_s if self.exact else max(self.length_s - TOLERANCE_S, self.length_s * 0.9)

    def without(self, edges_s: float) -> "LengthLimit":
        """Return the limit of the speech alone, in a file with this much silence around it."""
        return LengthLimit(self.length_s - edges_s, self.exact)

    def holds(self, speech_s: float) -> bool:
        return speech_s <= self.most_s and not (self.exact and speech_s < self.length_s - TOLERANCE_S)


def read_limit(cell: str) -> LengthLimit | None:
    """Parse a length limit: 2.5, "2,5 s" or "max 800 ms" is a maximum, "=2.5" or "exactly 2.5" is exact.

    None if the cell has no limit. Raises BadSetting if the cell is invalid.
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
    return _limit(cell) is not None


def missed(cell: str, file_s: float) -> str:
    """Return a sentence if a file of this length misses the limit in the cell; else ""."""
    try:
        limit = read_limit(cell)
    except BadSetting as error:
        return str(error)
    if limit is None or limit.holds(file_s) or limit.holds(file_s - FRAME_S):
        return ""
    wanted = f"{'exactly' if limit.exact else 'at most'} {limit.length_s:.2f} s"
    said = f"the file lasts {file_s:.2f} s with the silence at the edges, but should last {wanted}"
    if file_s > limit.length_s:
        return f"{said}; shorten the text or raise the length limit"
    return f"{said}; lengthen the text or lower the required length"


def fitted(order: Order, cell: str, settings: Iterable[Setting], edges_s: float = 0.0) -> Generator[Order, Take, Take]:
    """Yield the orders to speak, each answered by its take; return the take that fits best.

    `settings` are those of the order's engine. If none of them is the pace, the first take is stretched. The file has
    `edges_s` of silence around the speech. If a limit needs less than LEAST or more than MOST of the natural length, the
    first take is kept, and `missed` reports it.
    """
    take = yield order
    whole = _limit(cell)
    limit = whole and whole.without(edges_s)
    if limit is None or not _is_due(limit, spoken_s(take.audio)):
        return take
    tried = [take]
    pace = next((each for each in settings if each.scales == "pace"), None)
    while pace and len(tried) < ATTEMPTS and _may_improve(tried, limit):
        take = yield _again(order, _nearest(tried, limit), limit, pace)
        tried.append(take)
    return _exact(_nearest(tried, limit), limit)


def _limit(cell: str) -> LengthLimit | None:
    """Return the limit; None for an invalid cell, which `missed` reports."""
    with suppress(BadSetting):
        return read_limit(cell)
    return None


def _is_due(limit: LengthLimit, natural_s: float) -> bool:
    if limit.holds(natural_s) or not natural_s:
        return False
    return LEAST - NEAR <= limit.length_s / natural_s <= MOST + NEAR


def _may_improve(tried: list[Take], limit: LengthLimit) -> bool:
    """Return True if the last attempt is the best so far, but not good enough."""
    speech_s = spoken_s(tried[-1].audio)
    off = abs(speech_s / limit.aim_s - 1)
    return tried[-1] is _nearest(tried, limit) and off > INAUDIBLE and not limit.holds(speech_s)


def _nearest(tried: list[Take], limit: LengthLimit) -> Take:
    return min(tried, key=lambda take: abs(spoken_s(take.audio) - limit.aim_s))


def _again(order: Order, take: Take, limit: LengthLimit, pace: Setting) -> Order:
    """Return the order at the pace with which the take would have had the right length; pauses keep their length."""
    pauses_s = min(_inner_pauses_s(order.text), 0.9 * limit.aim_s, 0.9 * spoken_s(take.audio))
    now = take.request.settings.get(pace.name, 1.0 if pace.default is None else pace.default)
    wanted = now * (spoken_s(take.audio) - pauses_s) / (limit.aim_s - pauses_s)
    return replace(order, settings={**order.settings, pace.name: round(min(max(wanted, pace.least), pace.most), 3)})


def _inner_pauses_s(text: str) -> float:
    """Return the total length of pauses between words, without those at the edges."""
    parts = parse(text).parts
    said = [index for index, part in enumerate(parts) if not isinstance(part, Pause)]
    return sum(part.duration_s for part in parts[said[0] : said[-1]] if isinstance(part, Pause))


def _exact(take: Take, limit: LengthLimit) -> Take:
    if limit.holds(spoken_s(take.audio)):
        return take
    with suppress(BadAudio):  # without ffmpeg the take stays unchanged, and `missed` reports it
        return replace(take, audio=stretched(take.audio, limit.aim_s))
    return take
