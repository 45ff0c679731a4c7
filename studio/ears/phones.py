"""Measure how different two phones, or two sequences of phones, sound: from 0 (equal) to about 1 (unlike)."""

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

# Vowels by height (0 close to 1 open) and backness (0 front to 1 back), after the vowel chart of the IPA.
VOWELS = {
    "IY": (0.0, 0.0), "IH": (0.2, 0.2), "EY": (0.3, 0.0), "EH": (0.55, 0.1), "AE": (0.8, 0.1), "AH": (0.55, 0.5),
    "ER": (0.5, 0.5), "AA": (1.0, 0.8), "AO": (0.7, 1.0), "OW": (0.4, 1.0), "UH": (0.2, 0.8), "UW": (0.0, 1.0),
    "AY": (0.7, 0.4), "AW": (0.75, 0.7), "OY": (0.5, 0.8),
}  # fmt: skip
# Consonants by place (0 lips to 8 throat), manner and voice.
CONSONANTS = {
    "P": (0, "stop", 0), "B": (0, "stop", 1), "M": (0, "nasal", 1), "F": (1, "fricative", 0), "V": (1, "fricative", 1),
    "W": (0, "glide", 1), "TH": (2, "fricative", 0), "DH": (2, "fricative", 1), "T": (3, "stop", 0), "D": (3, "stop", 1),
    "N": (3, "nasal", 1), "S": (3, "sibilant", 0), "Z": (3, "sibilant", 1), "L": (3, "glide", 1), "R": (4, "glide", 1),
    "SH": (4, "sibilant", 0), "ZH": (4, "sibilant", 1), "CH": (4, "sibilant", 0), "JH": (4, "sibilant", 1),
    "Y": (5, "glide", 1), "K": (6, "stop", 0), "G": (6, "stop", 1), "NG": (6, "nasal", 1), "HH": (8, "fricative", 0),
}  # fmt: skip
NEAR = {
    ("ER", "R"),
    ("UW", "W"),
    ("UH", "W"),
    ("IY", "Y"),
    ("OW", "L"),
    ("UH", "L"),
    ("AH", "ER"),
    ("CH", "SH"),
    ("JH", "ZH"),
}
NEAR_COST = 0.3
UNLIKE = 1.1  # cost of a vowel in place of a consonant
LOST = 0.8  # cost of a phone that the other side lacks
LOST_WEAKLY = {"AH": 0.5, "IH": 0.5, "HH": 0.5, "T": 0.5, "D": 0.5, "ER": 0.6, "R": 0.6, "L": 0.6}
VOWEL_SPREAD, VOWEL_LEAST = 0.9, 0.15
VOICE_COST, PLACE_COST, MANNER_COST, STEP_COST = 0.2, 0.25, 0.4, 0.05


@lru_cache(4_096)
def substitution(one: str, other: str) -> float:
    """Return the cost of hearing one phone for the other."""
    if one == other:
        return 0.0
    if (one, other) in NEAR or (other, one) in NEAR:
        return NEAR_COST
    if one in VOWELS and other in VOWELS:
        (height, back), (height_2, back_2) = VOWELS[one], VOWELS[other]
        return VOWEL_LEAST + VOWEL_SPREAD * (abs(height - height_2) + abs(back - back_2)) / 2
    if one not in CONSONANTS or other not in CONSONANTS:
        return UNLIKE
    (place, manner, voice), (place_2, manner_2, voice_2) = CONSONANTS[one], CONSONANTS[other]
    apart = abs(place - place_2)
    cost = (PLACE_COST + STEP_COST * apart) * (apart > 0) + MANNER_COST * (manner != manner_2)
    return min(1.0, cost + VOICE_COST * (voice != voice_2))


def loss(phones: Sequence[str]) -> float:
    """Return the cost of phones that the other side lacks."""
    return sum(LOST_WEAKLY.get(phone, LOST) for phone in phones)


@lru_cache(65_536)
def distance(one: tuple[str, ...], other: tuple[str, ...]) -> float:
    """Return the lowest total cost of substitutions and losses between two sequences."""
    if one == other:
        return 0.0
    row = [loss(other[:place]) for place in range(len(other) + 1)]
    for phone in one:
        previous, row[0] = row[0], row[0] + loss((phone,))
        for place, heard in enumerate(other, 1):
            replaced = previous + substitution(phone, heard)
            previous = row[place]
            row[place] = min(replaced, row[place] + loss((phone,)), row[place - 1] + loss((heard,)))
    return row[-1]


class Match(NamedTuple):
    """Expected words and the words that were heard in their place, as ranges of indices; one range may be empty."""

    start: int
    end: int
    heard_start: int
    heard_end: int
    unlike: float  # distance, divided by the number of phones


Phones = tuple[str, ...]
# By pair of indices: lowest cost of the words before, and the last match.
Ways = dict[tuple[int, int], tuple[float, Match | None]]
SIZES = ((1, 1), (1, 2), (2, 1), (2, 2), (1, 3), (3, 1), (1, 0), (0, 1))
JOINED = 0.1  # additional cost of each further word in a match
BAND = 10  # maximum difference between the indices of matched words


def matches(expected: Sequence[tuple[str, ...]], heard: Sequence[tuple[str, ...]]) -> list[Match]:
    """Match expected with heard words by their sound, in order. Words that are split or joined are matched as a group."""
    if list(expected) == list(heard):
        return [Match(at, at + 1, at, at + 1, 0.0) for at in range(len(heard))]
    best: Ways = {(0, 0): (0.0, None)}
    for i in range(len(expected) + 1):
        for j in range(len(heard) + 1):
            if (i or j) and abs(i - j * len(expected) / max(1, len(heard))) <= BAND + abs(len(expected) - len(heard)):
                _arrive(best, expected, heard, i, j)
    found: list[Match] = []
    place = (len(expected), len(heard))
    while (step := best[place][1]) is not None:
        found.append(step)
        place = (step.start, step.heard_start)
    return found[::-1]


def _arrive(best: Ways, expected: Sequence[Phones], heard: Sequence[Phones], i: int, j: int) -> None:
    """Store the cheapest way to the position before expected word i and heard word j."""
    for rows, columns in SIZES:
        before, cheapest = best.get((i - rows, j - columns)), best.get((i, j))
        joined = JOINED * max(0, rows + columns - 2)
        if before is None or (cheapest and before[0] + joined >= cheapest[0]):
            continue
        one, other = (
            tuple(p for word in part for p in word) for part in (expected[i - rows : i], heard[j - columns : j])
        )
        cost = distance(one, other)
        if not cheapest or before[0] + cost + joined < cheapest[0]:
            unlike = cost / max(1, len(one), len(other))
            best[i, j] = before[0] + cost + joined, Match(i - rows, i, j - columns, j, unlike)
