"""Fractions and numerals of rulers, which the Romance languages read alike."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from engines.text.romans import VALUES

LARGEST_ORDINAL_OF_RULERS = 10  # Alfonso X is "décimo", Alfonso XIII "trece"
FEMININE_RULERS = ("a", "Isabel", "Elizabeth")  # ends of names


@dataclass(frozen=True, slots=True, kw_only=True)
class FractionParts:
    """The words of a Romance language for parts of a whole."""

    spell: Callable[[int, str], str]  # the cardinal of the grammar
    names: Mapping[int, tuple[str, str]]  # of parts: singular and plural
    name: Callable[[int], tuple[str, str]]  # of the parts that are not in `names`
    one: str  # before the name of a part
    link: str  # between a whole number and a part
    halves: tuple[str, str]  # after a whole number: masculine and feminine
    half_of: tuple[str, str]  # templates for a half before a noun: masculine and feminine
    of: Callable[[str], str]  # "de " or "d'" before a noun
    is_feminine: Callable[[str], bool]
    singular: Callable[[str], str] = lambda noun: noun
    no_nouns: frozenset[str]  # words that are not the noun of a part

    def fraction(self, above: int, below: int) -> str:
        """Read a fraction."""
        one, several = self.names.get(below) or self.name(below)
        return f"{self.one if above == 1 else self.spell(above, '')} {one if above == 1 else several}"

    def mixed(self, whole: int, above: int, below: int) -> str:
        """Read a whole number and a fraction."""
        part = self.halves[0] if (above, below) == (1, 2) else self.fraction(above, below)
        return f"{self.spell(whole, '')} {self.link} {part}"

    def part_of(self, whole: int, above: int, below: int, noun: str) -> str | None:
        """Read a part of a noun: half a litre, a quarter of a litre, two litres and a half."""
        if noun.lower() in self.no_nouns:
            return None
        noun = self.singular(noun) if whole == 1 else noun
        feminine = self.is_feminine(noun.lower())
        if whole:
            part = self.halves[feminine] if (above, below) == (1, 2) else self.fraction(above, below)
            return f"{self.spell(whole, noun)} {noun} {self.link} {part}".replace("' ", "'")
        if (above, below) == (1, 2):
            return self.half_of[feminine].format(noun)
        return f"{self.fraction(above, below)} {self.of(noun)}{noun}"


def without_s(noun: str) -> str:
    """Return a noun without the ending of the plural."""
    return noun.removesuffix("s")


def value_of_part(whole: int) -> str:
    """Return the number whose plural form a unit takes after a part: 1 for half a litre, 2 for two litres and a half."""
    return str(whole or 1)


def ruler_name(name: str, numeral: str, spell: Callable[[int], str], ordinal: Callable[[int, str], str]) -> str:
    """Read the name of a ruler: an ordinal up to the tenth, then a cardinal."""
    value = VALUES[numeral]
    if value > LARGEST_ORDINAL_OF_RULERS:
        return f"{name} {spell(value)}"
    return f"{name} {ordinal(value, 'a' if name.endswith(FEMININE_RULERS) else 'o')}"
