"""Edit distance between sequences of words or of letters."""

from collections.abc import Sequence


def edits(wanted: Sequence[object], found: Sequence[object]) -> int:
    """Return the minimum number of words or letters to replace, delete or insert (Levenshtein)."""
    row = list(range(len(found) + 1))
    for i, one in enumerate(wanted, 1):
        previous, row[0] = row[0], i
        for j, other in enumerate(found, 1):
            previous, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, previous + (one != other))
    return row[-1]
