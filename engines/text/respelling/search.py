"""Find a spelling for a pronunciation, in a language for which epitran has spelling rules.

A beam search joins usual spellings of the sounds. The rules of epitran convert each candidate to sounds. The candidate with the
lowest cost is used: the distance between these sounds and the pronunciation, plus the costs of its spellings.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import lru_cache
from heapq import nsmallest
from itertools import accumulate
from threading import Lock
from typing import Any

from engines.text.respelling.hangul import in_syllables
from engines.text.respelling.sounds import normalised
from engines.text.respelling.spellings import SPELLINGS

SOUNDS_MAX = 20  # of a word
BEAM_WIDTH = 12  # number of candidates that are kept for each beginning of a word
# Number of candidates that are read for each beginning of a word, the cheapest by their spellings.
READ_MAX = 3 * BEAM_WIDTH
SOUNDS_PER_SPELLING_MAX = 3  # maximum number of sounds of one spelling, such as "ão"
WORDS_KEPT, READINGS_KEPT, DISTANCES_KEPT = 4_096, 16_384, 16_384  # numbers of cached results
# Costs. For comparison, the distance between two vowels is about 1, and between a vowel and a consonant about 9.
GAP_COST = 7.0  # for a sound that is missing or added
WEAK_GAP_COST = 0.1  # for a sound in WEAK_SOUNDS
# For each spelling, for each place in SPELLINGS, and for a spelling with several readings.
SPELLING_COST, RANK_COST, AMBIGUITY_COST = 0.15, 0.003, 0.3
FIRST, LATER, LAST = "^~$"  # marks of spellings that are used only at these places of a word
NEAREST_SOUNDS = 3  # number of sounds that are tried in place of a sound that the language does not have
EPITRAN_CODES = {
    "de": "deu-Latn", "es": "spa-Latn", "fr": "fra-Latn", "it": "ita-Latn", "ja": "jpn-Hira", "ko": "kor-Hang",
    "nl": "nld-Latn", "pl": "pol-Latn", "pt": "por-Latn", "ru": "rus-Cyrl",
}  # fmt: skip
# Letters before and after a spelling. Rules of epitran depend on them, so each spelling is read between all these letters.
LATIN_CONTEXTS = [
    ("", ""), ("ta", ""), ("", "ta"), ("ta", "ta"), ("", "i"), ("", "e"), ("ta", "a"), ("", "a"), ("a", "a"), ("a", ""),
    ("e", ""), ("i", ""),
]  # fmt: skip
TO_CYRILLIC = str.maketrans("taei", "таэи")
CONTEXTS = {
    "ja": LATIN_CONTEXTS[:1],
    "ko": LATIN_CONTEXTS[:1],
    "ru": [(a.translate(TO_CYRILLIC), b.translate(TO_CYRILLIC)) for a, b in LATIN_CONTEXTS],
}
# Sounds that count little: vowels between consonants of foreign names, and sounds that epitran does not always read.
WEAK_SOUNDS = {"ja": "ɯ", "ko": "ɯ", "ru": "jʝ"}


class Respeller:
    """Finds spellings of pronunciations in one language. Thread-safe."""

    def __init__(self, language: str) -> None:
        from epitran.simple import SimpleEpitran  # `epitran.Epitran` reads its tables twice, which takes a second

        self._language = language
        self._rules = SimpleEpitran(EPITRAN_CODES[language])
        self._table: Any = self._rules.ft
        self._read = lru_cache(READINGS_KEPT)(self._reading)
        self._distance = lru_cache(DISTANCES_KEPT)(self._distance_of)
        self._spellings: dict[tuple[str, ...], dict[str, float]] = defaultdict(dict)  # costs by sounds and spelling
        for rank, usual in enumerate(SPELLINGS[language].split()):
            spelling, _, sound = usual.partition("=")
            self._add_spelling(spelling, self._sounds(sound) if sound else None, RANK_COST * rank)
        self.respell = lru_cache(WORDS_KEPT)(self._respell)

    def _add_spelling(self, spelling: str, sound: Sequence[str] | None, cost: float) -> None:
        """Add a spelling with these sounds; without sounds, with each reading of the spelling between other letters."""
        readings = [tuple(sound)] if sound is not None else list(self._readings(spelling))
        for each in {*readings}:
            if 0 < len(each) <= SOUNDS_PER_SPELLING_MAX:
                unsteady = AMBIGUITY_COST * (1 - readings.count(each) / len(readings))
                known = self._spellings[each]
                known[spelling] = min(known.get(spelling, GAP_COST), SPELLING_COST + cost + unsteady)

    def _readings(self, spelling: str) -> Iterator[tuple[str, ...]]:
        for before, after in CONTEXTS.get(self._language, LATIN_CONTEXTS):
            begin, whole, end = self._read(before), self._read(before + spelling + after), self._read(after)
            if whole[: len(begin)] == begin and whole[len(whole) - len(end) :] == end:
                yield whole[len(begin) : len(whole) - len(end)]

    def _respell(self, ipa: str) -> str:
        """Return the spelling of a word; "" if the word has a sign that is not IPA, no sounds, or too many sounds."""
        sounds = self._sounds(ipa)
        if not 0 < len(sounds) <= SOUNDS_MAX or "".join(sounds) != normalised(ipa, self._language):
            return ""
        found: list[dict[str, float]] = [
            {"": 0.0},
            *({} for _ in sounds),
        ]  # costs of spellings of the first n sounds, by n
        for end in range(len(sounds)):
            for spelling in self._cheapest(found[end], sounds[:end], BEAM_WIDTH):
                for following, number, cost in self._next_spellings(sounds, end):
                    costs, joined = found[end + number], spelling + following
                    costs[joined] = min(costs.get(joined, float("inf")), found[end][spelling] + cost)
        best = self._cheapest(found[-1], sounds, 1)
        return self._as_text(best[0]) if best else ""

    def _cheapest(self, spellings: dict[str, float], sounds: Sequence[str], number: int) -> list[str]:
        read = nsmallest(READ_MAX, spellings, key=spellings.__getitem__)
        return nsmallest(number, read, key=lambda each: spellings[each] + self._difference(self._read(each), sounds))

    def _next_spellings(self, sounds: Sequence[str], start: int) -> Iterator[tuple[str, int, float]]:
        """Yield each spelling of the next sounds from `start`, its number of sounds, and its cost."""
        for number in range(1, SOUNDS_PER_SPELLING_MAX + 1):
            part = tuple(sounds[start : start + number])
            if len(part) == number:
                yield from self._allowed(part, start, start + number == len(sounds))
        if (sounds[start],) not in self._spellings:
            single = [each for each in self._spellings if len(each) == 1]
            for near in nsmallest(NEAREST_SOUNDS, single, key=lambda each: self._distance(each[0], sounds[start])):
                yield from self._allowed(near, start, start + 1 == len(sounds))

    def _allowed(self, sounds: tuple[str, ...], start: int, is_last: bool) -> Iterator[tuple[str, int, float]]:
        """Yield the spellings of these sounds that are allowed at this place of a word."""
        for marked, cost in self._spellings.get(sounds, {}).items():
            if (
                (start == 0 or marked[0] != FIRST)
                and (start > 0 or marked[0] != LATER)
                and (is_last or marked[-1] != LAST)
            ):
                yield marked.strip(FIRST + LATER + LAST), len(sounds), cost

    def _difference(self, ours: Sequence[str], wanted: Sequence[str]) -> float:
        """Return the edit distance between two sequences of sounds."""
        costs = list(accumulate(map(self._gap_cost, wanted), initial=0.0))
        for sound in ours:
            added = self._gap_cost(sound)
            above, costs[0] = costs[0], costs[0] + added
            for place, other in enumerate(wanted, 1):
                changed = above + self._distance(sound, other)
                above, costs[place] = (
                    costs[place],
                    min(changed, costs[place] + added, costs[place - 1] + self._gap_cost(other)),
                )
        return costs[-1]

    def _gap_cost(self, sound: str) -> float:
        return WEAK_GAP_COST if sound in WEAK_SOUNDS.get(self._language, "") else GAP_COST

    def _distance_of(self, one: str, other: str) -> float:
        return float(self._table.fts(one).weighted_distance(self._table.fts(other)))

    def _reading(self, spelling: str) -> tuple[str, ...]:
        return tuple(self._sounds(self._rules.transliterate(self._as_text(spelling)))) if spelling else ()

    def _as_text(self, spelling: str) -> str:
        return in_syllables(spelling) if self._language == "ko" else spelling

    def _sounds(self, ipa: str) -> list[str]:
        return list(self._table.ipa_segs(normalised(ipa, self._language)))


_respellers: dict[str, Respeller] = {}
_lock = Lock()


def respeller(language: str) -> Respeller:
    """Return the respeller of a language. The first call for a language takes about a second, to read all its spellings."""
    with _lock:
        if language not in _respellers:
            _respellers[language] = Respeller(language)
        return _respellers[language]
