"""Convert text to spoken form by the rules that follow from a grammar."""

import re
import unicodedata
from functools import lru_cache
from importlib import import_module

from engines.text.fractions import SIGNS
from engines.text.languages.amounts import (
    genitive_rules,
    lone_unit_rules,
    money_rules,
    rate_rules,
    scale_rules,
    unit_rules,
)
from engines.text.languages.figures import (
    apostrophe_rules,
    equation_rules,
    figure_rules,
    fraction_rules,
    match_rules,
    minus_rules,
)
from engines.text.languages.grammar import Grammar
from engines.text.languages.letters import (
    abbreviation_rules,
    acronym_rules,
    address_rules,
    first_sign_rules,
    sign_rules,
)
from engines.text.languages.phones import phone_rules
from engines.text.languages.reader import NumberReader
from engines.text.languages.times import date_rules, time_rules
from engines.text.rules import Rule, apply_rules

MODULES = {
    "de": "german", "es": "spanish", "fr": "french", "it": "italian", "ja": "japanese", "ko": "korean",
    "nl": "dutch", "pl": "polish", "pt": "portuguese", "ru": "russian", "zh": "chinese",
}  # fmt: skip
FIGURES = re.compile(rf"[\d{SIGNS}]")
WIDE_SIGNS = re.compile("[０-９Ａ-Ｚａ-ｚ％＋＝＆＠＄￥￡￦／＃－．￠]|[㎀-㏟℃℉]|[Ⅰ-ⅿ]|[ｦ-ﾟ]+")


def convert(line: str, language: str, region: str = "") -> str:
    """Replace everything that the grammar of a language reads as words."""
    grammar = _grammar(language, region)
    if not grammar.spaced:
        line = WIDE_SIGNS.sub(lambda found: unicodedata.normalize("NFKC", found[0]), line)
    rules = _rules(language, region, FIGURES.search(line) is not None)
    return apply_rules(rules, line, separate=grammar.spaced)


@lru_cache(maxsize=32)
def _grammar(language: str, region: str) -> Grammar:
    module = import_module(f"engines.text.languages.{MODULES[language]}")
    regions: dict[str, Grammar] = getattr(module, "REGIONS", {})
    grammar: Grammar = regions.get(region, module.GRAMMAR)
    return grammar


@lru_cache(maxsize=64)
def _rules(language: str, region: str, has_figures: bool) -> tuple[Rule, ...]:
    """Return all rules, the most specific first: a date must not be read as a range, nor a price as a number.

    Text without figures needs only the rules for words and signs.
    """
    grammar = _grammar(language, region)
    reader = NumberReader(grammar)
    return (
        *address_rules(reader),
        *abbreviation_rules(grammar),
        *(_first_number_rules(reader) if has_figures else ()),
        *first_sign_rules(grammar),
        *grammar.rules,
        *(_number_rules(reader) if has_figures else ()),
        *grammar.last_rules,
        *(figure_rules(reader) if has_figures else ()),
        *lone_unit_rules(reader),
        *acronym_rules(reader),
        *sign_rules(grammar),
    )


def _first_number_rules(reader: NumberReader) -> tuple[Rule, ...]:
    return (
        *equation_rules(reader),
        *phone_rules(reader),
        *match_rules(reader),
        *(apostrophe_rules() if reader.grammar.spaced else ()),
    )


def _number_rules(reader: NumberReader) -> tuple[Rule, ...]:
    grammar = reader.grammar
    return (
        *date_rules(reader),
        *time_rules(reader),
        *minus_rules(grammar),
        *genitive_rules(reader),
        *fraction_rules(reader),
        *rate_rules(reader),
        *money_rules(reader),
        *scale_rules(reader),
        *unit_rules(reader),
    )
