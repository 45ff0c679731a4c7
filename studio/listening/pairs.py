"""Pairs of takes that are worth comparing."""

from collections.abc import Collection, Sequence
from itertools import combinations

from studio.history import StoredTake
from studio.listening.trial import Contender

Pair = tuple[StoredTake, StoredTake]


def pairs(takes: Sequence[StoredTake], voted: Collection[frozenset[str]]) -> list[list[Pair]]:
    """Return pairs without a vote, grouped by line, in the order of the takes.

    The takes of a pair have the same line and voice, but different arms.
    """
    lines: dict[tuple[str, ...], list[StoredTake]] = {}
    for take in takes:
        lines.setdefault(Contender.of(take).line, []).append(take)
    groups = ([pair for pair in combinations(same, 2) if _worth(pair, voted)] for same in lines.values())
    return [group for group in groups if group]


def _worth(pair: Pair, voted: Collection[frozenset[str]]) -> bool:
    one, other = pair
    return Contender.of(one).arm != Contender.of(other).arm and frozenset((one.id, other.id)) not in voted
