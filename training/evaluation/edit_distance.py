"""How far what was heard is from what was wanted."""

from collections.abc import Sequence


def edits(wanted: Sequence[object], heard: Sequence[object]) -> int:
    """Least number of words, or letters, to replace, drop or add (Levenshtein)."""
    row = list(range(len(heard) + 1))
    for i, one in enumerate(wanted, 1):
        previous, row[0] = row[0], i
        for j, other in enumerate(heard, 1):
            previous, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, previous + (one != other))
    return row[-1]
