"""Guess the delimiter of a text."""

import re
from collections import Counter
from collections.abc import Sequence
from itertools import islice

from studio.script.tables import delimited
from studio.script.tables.errors import BadSheet
from studio.script.tables.header import known_names
from studio.script.tables.limits import MAX_ABOVE

SAMPLE_CHARACTERS, SAMPLE_ROWS = 2**16, 100
DELIMITERS = "\t,;|"


def delimiter_of(text: str, name: str) -> str:
    """Return the delimiter: tab , ; or |, and "" for a single column.

    The delimiter gives the most known column names, or else the most rows of equal width.
    """
    if name.lower().endswith((".tsv", ".tab")):
        return "\t"
    sample = text[:SAMPLE_CHARACTERS]
    candidates = ["", *(one for one in DELIMITERS if one in sample)]
    return max(candidates, key=lambda delimiter: _merit(sample, delimiter))


def _merit(sample: str, delimiter: str) -> tuple[int, float, int]:
    """Return the number of known column names, the share of rows with the most frequent width, and that width."""
    rows = _rows(sample, delimiter)
    known = max(map(known_names, rows[:MAX_ABOVE]), default=0)
    widths = Counter(len(row) for row in rows)
    width, count = max(widths.items(), key=lambda item: (item[1], item[0]), default=(1, 0))
    if delimiter and (width < 2 or (known < 2 and not re.search(rf"{re.escape(delimiter)}\S", sample))):
        return 0, 0.0, 0  # a delimiter that is always followed by a space is punctuation
    return known, count / max(1, len(rows)), width


def _rows(sample: str, delimiter: str) -> Sequence[Sequence[str]]:
    if not delimiter:
        return [[line] for line in sample.splitlines()[:SAMPLE_ROWS] if line]
    try:
        return [row for row in islice(delimited.parsed(sample, delimiter, strict=False), SAMPLE_ROWS) if row]
    except BadSheet:
        return []
