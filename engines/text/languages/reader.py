"""Read written numbers and amounts in the grammar of a language."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from engines.text.languages.cldr import CODES, UNITS, currency, form, unit
from engines.text.languages.grammar import Cardinal, Grammar

LONGEST_NUMBER, LONGEST_BARE = 12, 9  # digits with and without separators; longer numbers are codes
SPACES = "\u00a0\u2009\u202f"
WESTERN = rf"(?<!\d)(?:\d{{1,3}}(?:[.{SPACES} ’]\d{{3}}(?!\d)){{1,5}}+|\d++)(?:,\d++)?+"
EASTERN = r"(?<!\d)(?:\d{1,3}(?:,\d{3}(?!\d)){1,5}+|\d++)(?:\.\d++)?+"
MILLIONS = re.compile(r"[1-9]\d{0,2}0{6}")
NEXT_WORD = r"(?=(?:\s([^\W\d_]{1,24})(?:\s([^\W\d_]{1,24}))?)?)"  # the two words after a number
DASH = r"\s?(?:[-–—−~〜～])\s?"


@dataclass(frozen=True, slots=True)
class NumberReader:
    """The grammar of a language with the patterns that follow from it."""

    grammar: Grammar

    @property
    def number_pattern(self) -> str:
        """Return the pattern of a whole or decimal number."""
        return WESTERN if self.grammar.decimal_mark == "," else EASTERN

    @property
    def units(self) -> dict[str, str]:
        """Return CLDR's names of units by their symbols."""
        units = {**UNITS, **self.grammar.units}
        return {symbol: unit for symbol, unit in units.items() if symbol not in self.grammar.no_units}

    @property
    def signs_of_money(self) -> tuple[str, ...]:
        """Return signs and codes of currencies."""
        return (*self.grammar.money, *CODES)

    def number(self, text: str, noun: str = "", cardinal: Cardinal | None = None) -> str:
        """Read a whole or decimal number; `noun` is the word that follows."""
        whole, _, part = self.plain(text).partition(".")
        if not part:
            return self.whole(whole, noun, cardinal, grouped=len(whole) != len(text))
        if self.grammar.decimals:
            return self.grammar.decimals(whole, part)
        return self.grammar.decimal.format(self.whole(whole), self._decimals(part))

    def whole(self, digits: str, noun: str = "", cardinal: Cardinal | None = None, grouped: bool = False) -> str:
        """Read a whole number; read codes (leading zero, very long) digit by digit."""
        if (len(digits) > 1 and digits[0] == "0") or len(digits) > (LONGEST_NUMBER if grouped else LONGEST_BARE):
            return self.code(digits)
        return (cardinal or self.grammar.cardinal)(int(digits), noun)

    def code(self, digits: str) -> str:
        """Read digits one by one."""
        names = self.grammar.code_digits or tuple(self.grammar.cardinal(digit, "") for digit in range(10))
        return self.join(names[int(digit)] for digit in digits)

    def join(self, words: Iterable[str]) -> str:
        """Join the names of digits."""
        return (" " if not self.grammar.code_digits else "").join(words)

    def plain(self, text: str) -> str:
        """Return a number in ASCII digits with a decimal point and without separators."""
        if self.grammar.decimal_mark == ",":
            return re.sub(rf"[.{SPACES} ’]", "", text).replace(",", ".")
        return text.replace(",", "")

    def measured(self, text: str, symbol: str, said: str = "") -> str:
        """Read a number with its unit; `said` replaces the words of the number."""
        before, after = self.unit_name(symbol, self.plain(text))
        number = said or self.number(text, self.noun(after))
        said = self.grammar.gap.join(filter(None, (before, number, self.link(text, after) + after)))
        return said.replace("un' ", "un'")

    def unit_name(self, symbol: str, value: str) -> tuple[str, str]:
        """Return the words before and after a number with a unit."""
        key, grammar = self.units[symbol], self.grammar
        before, after = unit(grammar.locale, key, value)
        if key in grammar.unit_names:
            pattern = form(grammar.locale, grammar.unit_names[key], value)
            before, after = (part.strip() for part in pattern.split("{}"))
        return (before, after) if grammar.gap else (before.replace(" ", ""), after.replace(" ", ""))

    def noun(self, name: str) -> str:
        """Return the noun of a name such as "square metre", which decides the form of a number."""
        first, _, rest = name.partition(" ")
        return self.grammar.noun_of(first, rest.partition(" ")[0])

    def link(self, text: str, noun: str) -> str:
        """Return the word between a whole number of millions and a noun, such as "de " in Spanish."""
        return self.grammar.scale_link(noun) if MILLIONS.fullmatch(self.plain(text)) and noun else ""

    def money_name(self, sign: str, value: str) -> str:
        """Return the name of a currency by its sign or code, in the form for a number."""
        sign = self.grammar.codes.get(sign, sign)
        if sign in self.grammar.money:
            return form(self.grammar.locale, self.grammar.money[sign].forms, value)
        return currency(self.grammar.locale, sign, value)

    def spanned(self, first: str, last: str, noun: str = "") -> str:
        """Read a range of two numbers."""
        grammar = self.grammar
        return grammar.span.format(
            self.number(first, noun, grammar.first_of_span), self.number(last, noun, grammar.last_of_span)
        )

    def scored(self, first: str, last: str) -> str:
        """Read the score of a match."""
        return self.grammar.score.format(self.number(first), self.number(last, "", self.grammar.last_of_span))

    def _decimals(self, digits: str) -> str:
        zeros = len(digits) - len(digits.lstrip("0"))
        if not self.grammar.decimals_as_number or len(digits) > 3 or zeros == len(digits):
            names = tuple(self.grammar.cardinal(digit, "") for digit in range(10))
            return self.join(names[int(digit)] for digit in digits)
        named = [self.grammar.cardinal(0, "")] * zeros + [self.grammar.cardinal(int(digits[zeros:]), "")]
        return self.join(named)
