"""Search for the spelling of a pronunciation in a language whose spelling epitran can read.

A beam search joins usual spellings of the sounds. Each result is read by the rules of epitran; the result is used that is read
most like the pronunciation.
"""

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from heapq import nsmallest
from typing import Any

from engines.text.respelling.hangul import in_syllables
from engines.text.respelling.usual import USUAL

SOUNDS_MAX = 40  # of a word
BEAM = 12  # spellings that are kept of each beginning of a word
JOINED_MAX = 3  # sounds that one spelling such as "ão" can have
KEPT, READ = 1_024, 16_384  # words and readings that are remembered
# Costs. The distance between two vowels is about 1, and between a vowel and a consonant 9.
MISSING = 7.0  # a sound too many or too few
EACH, RANK, UNSTEADY = 0.15, 0.003, 0.3  # each spelling, its place in USUAL, and being read in several ways
NEAREST = 3  # sounds that stand for a sound which the language does not have
CODES = {
    "de": "deu-Latn", "es": "spa-Latn", "fr": "fra-Latn", "it": "ita-Latn", "ja": "jpn-Hira", "ko": "kor-Hang",
    "nl": "nld-Latn", "pl": "pol-Latn", "pt": "por-Latn", "ru": "rus-Cyrl",
}  # fmt: skip
# Letters before and after a spelling, to learn how it is read.
LATIN = [("", ""), ("ta", ""), ("", "ta"), ("ta", "ta"), ("", "i"), ("", "e"), ("ta", "a"), ("", "a"), ("a", "a")]
LATIN += [("a", ""), ("e", ""), ("i", "")]
CYRILLIC = str.maketrans("taei", "таэи")
NEIGHBOURS = {
    "ja": LATIN[:1],
    "ko": LATIN[:1],
    "ru": [(a.translate(CYRILLIC), b.translate(CYRILLIC)) for a, b in LATIN],
}
IGNORED = dict.fromkeys(map(ord, "ˈˌ'./[]‿-\u0361\u035c\u032f\u0329"))  # stress, syllables, ties and other marks
R_SOUNDS = ("[ɹɻʀɾʁ]", "r")
# Sounds that are equal to readers of a language, and signs that epitran writes in another way than dictionaries.
EQUAL = {
    "de": [R_SOUNDS, ("ɔʏ", "ɔɪ")],
    "es": [],
    "fr": [R_SOUNDS, ("ə[\u0300\u0302]", "ɛ")],
    "it": [R_SOUNDS, ("([aeiouɛɔ])ː", r"\1"), ("(.)ː", r"\1\1")],
    "ja": [
        *(
            ("[rɹɻʀʁlɖ]", "ɾ"),
            ("[uʊ]", "ɯ"),
            ("[əʌɐɑæ]", "a"),
            ("ɛ", "e"),
            ("ɪ", "i"),
            ("[ɔɒ]", "o"),
            ("θ", "s"),
            ("ð", "z"),
        ),
        *(("v", "b"), ("x", "h"), ("ʲ(?=i)", ""), ("ɲ(?=i)", "n"), ("ʲ", "j"), ("(.)ː", r"\1\1")),
    ],
    "ko": [R_SOUNDS, ("\u0348", "ʼ")],
    "nl": [R_SOUNDS, ("œɥ", "œy")],
    "pt": [("[rɹɻʀ]", "ʁ"), ("ɐ", "a")],
}


class Respeller:
    """Finds the spellings of one language. Thread-safe."""

    def __init__(self, language: str) -> None:
        import epitran

        self._language = language
        self._rules = epitran.Epitran(CODES[language])
        self._table: Any = self._rules.epi.ft
        self._read = lru_cache(READ)(self._reading)
        self._distance = cache(self._distance_of)
        self._spellings: dict[tuple[str, ...], dict[str, float]] = defaultdict(dict)  # costs by sounds and spelling
        for rank, usual in enumerate(USUAL[language].split()):
            spelling, _, sound = usual.partition("=")
            self._learn(spelling, self._sounds(sound), RANK * rank)
        self.respelled = lru_cache(KEPT)(self._respelled)

    def _learn(self, spelling: str, sound: Sequence[str], cost: float) -> None:
        """Add a spelling of this sound, or of all sounds that it has between other letters."""
        readings = [tuple(sound)] if sound else list(self._readings(spelling))
        for each in {*readings}:
            if 0 < len(each) <= JOINED_MAX:
                unsteady = UNSTEADY * (1 - readings.count(each) / len(readings))
                known = self._spellings[each]
                known[spelling] = min(known.get(spelling, MISSING), EACH + cost + unsteady)

    def _readings(self, spelling: str) -> Iterator[tuple[str, ...]]:
        for before, after in NEIGHBOURS.get(self._language, LATIN):
            begin, whole, end = self._read(before), self._read(before + spelling + after), self._read(after)
            if whole[: len(begin)] == begin and whole[len(whole) - len(end) :] == end:
                yield whole[len(begin) : len(whole) - len(end)]

    def _respelled(self, ipa: str) -> str:
        """Return the spelling of a word; "" if it has a sign that is not IPA, or too many sounds."""
        sounds = self._sounds(ipa)
        if not 0 < len(sounds) <= SOUNDS_MAX or "".join(sounds) != self._plain(ipa):
            return ""
        found: list[dict[str, float]] = [{"": 0.0}, *({} for _ in sounds)]  # costs of spellings by number of sounds
        for end in range(len(sounds)):
            for spelling in self._best(found[end], sounds[:end], BEAM):
                for more, number, cost in self._continued(sounds, end):
                    later, longer = found[end + number], spelling + more
                    later[longer] = min(later.get(longer, float("inf")), found[end][spelling] + cost)
        best = self._best(found[-1], sounds, 1)
        return self._written(best[0]) if best else ""

    def _best(self, spellings: dict[str, float], sounds: Sequence[str], number: int) -> list[str]:
        return nsmallest(
            number, spellings, key=lambda each: spellings[each] + self._difference(self._read(each), sounds)
        )

    def _continued(self, sounds: Sequence[str], start: int) -> Iterator[tuple[str, int, float]]:
        """Yield spellings of the sounds from `start`, their number of sounds, and their costs."""
        for number in range(1, JOINED_MAX + 1):
            part = tuple(sounds[start : start + number])
            if len(part) == number:
                yield from ((spelling, number, cost) for spelling, cost in self._spellings.get(part, {}).items())
        if (sounds[start],) not in self._spellings:
            single = [each for each in self._spellings if len(each) == 1]
            for near in nsmallest(NEAREST, single, key=lambda each: self._distance(each[0], sounds[start])):
                yield from ((spelling, 1, cost) for spelling, cost in self._spellings[near].items())

    def _difference(self, ours: Sequence[str], wanted: Sequence[str]) -> float:
        """Return the edit distance between two sequences of sounds."""
        costs = [MISSING * place for place in range(len(wanted) + 1)]
        for sound in ours:
            above, costs[0] = costs[0], costs[0] + MISSING
            for place, other in enumerate(wanted, 1):
                changed = above + self._distance(sound, other)
                above, costs[place] = costs[place], min(changed, costs[place] + MISSING, costs[place - 1] + MISSING)
        return costs[-1]

    def _distance_of(self, one: str, other: str) -> float:
        return float(self._table.fts(one).weighted_distance(self._table.fts(other)))

    def _reading(self, spelling: str) -> tuple[str, ...]:
        return tuple(self._sounds(self._rules.transliterate(self._written(spelling)))) if spelling else ()

    def _written(self, spelling: str) -> str:
        return in_syllables(spelling) if self._language == "ko" else spelling

    def _sounds(self, ipa: str) -> list[str]:
        return list(self._table.ipa_segs(self._plain(ipa)))

    def _plain(self, ipa: str) -> str:
        """Return IPA without stress and ties. Sounds that a reader of the language would not distinguish become equal."""
        plain = unicodedata.normalize("NFD", ipa).translate(IGNORED).replace("g", "ɡ")
        for sound, equal in EQUAL.get(self._language, [R_SOUNDS]):
            plain = re.sub(sound, equal, plain)
        return plain.replace("ʲ", "")


@cache
def respeller(language: str) -> Respeller:
    """Return the respeller of a language. The first call takes about two seconds."""
    return Respeller(language)
