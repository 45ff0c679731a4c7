"""Rules for addresses, abbreviations, acronyms, hashtags and signs."""

import re
from collections.abc import Mapping

from engines.text.addresses import DOMAINS, HOST, PATH
from engines.text.languages.grammar import Grammar
from engines.text.languages.reader import NumberReader
from engines.text.rules import Rule, cased, one_of, rule, stop

VOWELS = frozenset("AEIOUYÄÖÜÉÈÊÀÁÍÓÚÃÕĄĘАЕЁИОУЫЭЮЯ")
LONGEST_SPELLED = (
    3  # letters; Japanese and Korean spell shorter acronyms and those of this length also if they have a vowel
)


def address_rules(reader: NumberReader) -> tuple[Rule, ...]:
    """Return the rules for e-mail and web addresses."""
    flags = re.IGNORECASE if reader.grammar.spaced else re.IGNORECASE | re.ASCII

    def read_out(found: re.Match[str]) -> str:
        address = found[1].rstrip("/")
        said = re.sub(r"[\W_]", lambda sign: f" {reader.grammar.marks.get(sign[0], '')} ", address)
        return _inside(found, " ".join(said.split()))

    path = PATH if reader.grammar.spaced else r"[!-~]*[\w/]"
    return (
        rule(rf"(?<![\w.+%@-])(?:mailto:)?([\w.+%-]++@{HOST})", read_out, flags),
        rule(rf"(?<!\w)(?:(?:https?|ftp|wss?)://(?:www\.)?|www\.)([\w-]{path})", read_out, flags),
        rule(rf"(?<![\w.@/-])((?:[\w-]+\.)+(?:{DOMAINS})(?:\.[a-z]{{2}})?(?:/{path})?)(?!\w)", read_out, flags),
    )


def abbreviation_rules(grammar: Grammar) -> tuple[Rule, ...]:
    """Return the rules for abbreviations and titles."""
    labels = [rule(rf"(?<![\w.])({one_of(grammar.labels)})(?=\s?\d)", lambda m: grammar.labels[m[1]])]
    return (
        *(labels if grammar.labels else ()),
        *(
            _abbreviations(words, grammar, words is grammar.closings)
            for words in (grammar.closings, grammar.abbreviations)
            if words
        ),
    )


def _abbreviations(words: Mapping[str, str], grammar: Grammar, closing: bool) -> Rule:
    """Return the rule for a list; `closing` abbreviations end a sentence if a capital letter follows."""
    said = {"".join(written.split()): spoken for written, spoken in words.items()}
    for written, spoken in list(said.items()):
        said.setdefault(written[:1].upper() + written[1:], cased("A", spoken))
    ends = re.compile(r"\s*$|\s+[^\W\d_a-zа-яё]") if closing else re.compile(r"\s*$")

    def speak(found: re.Match[str]) -> str:
        spoken = said["".join(found[1].split())]
        return spoken + stop(found, ends) if grammar.spaced and found[0].endswith(".") else spoken

    starts = {written[:1].upper() + written[1:] for written in words}
    letters = one_of({*words, *starts}).replace(r"\ ", r"\s?")
    if not grammar.spaced:
        return rule(rf"(?<![A-Za-z])({letters})(?![A-Za-z])\s?", speak)
    after_a_number = "" if closing else r"(?<!\d\s)"  # "45 Min." is an amount
    return rule(rf"(?<![\w.]){after_a_number}({letters})(?!\w)", speak)


def acronym_rules(reader: NumberReader) -> tuple[Rule, ...]:
    """Return the rule for acronyms that are spelled letter by letter."""
    grammar = reader.grammar
    if grammar.letters:
        return (rule(r"(?<![A-Za-z])[A-Z]{1,5}(?![A-Za-z])", lambda m: _named_letters(m[0], grammar)),)

    def spell(found: re.Match[str]) -> str | None:
        word = found[0]
        known = word in grammar.acronyms or not (VOWELS & set(word))
        return " ".join(word) if known and word not in grammar.words else None

    if grammar.spaced:
        return (rule(r"(?<![\w'’-])[^\W\d_a-zß-öø-ÿа-яё]{2,5}(?!\w)", lambda m: spell(m) if m[0].isupper() else None),)
    return (rule(r"(?<![A-Za-z])[A-Z]{2,5}(?![A-Za-z])", spell),)


def _named_letters(word: str, grammar: Grammar) -> str | None:
    if word in grammar.words or (len(word) > LONGEST_SPELLED and VOWELS & set(word)):
        return None
    return "".join(grammar.letters[letter] for letter in word)


def first_sign_rules(grammar: Grammar) -> tuple[Rule, ...]:
    """Return the rules for signs before numbers and words."""
    gap = " " if grammar.gap or grammar.spaced else ""
    return (
        rule(r"(?<!\w)[#＃](?=[^\W\d])", lambda m: f"{grammar.hashtag}{gap}"),
        rule(r"[№#＃]\s?(?=\d)", lambda m: f"{grammar.number_sign}{gap}"),
    )


def sign_rules(grammar: Grammar) -> tuple[Rule, ...]:
    """Return the rule for the signs that no earlier rule has converted."""
    signs = {"™": "", "®": "", "©": "", **grammar.signs}
    gap = " " if grammar.gap or grammar.spaced else ""
    return (rule(rf" ?({one_of(signs)}) ?", lambda m: f"{gap}{signs[m[1]]}{gap if signs[m[1]] else ''}"),)


def _inside(found: re.Match[str], said: str) -> str:
    """Return an address with gaps to the text around it."""
    before, after = found.string[: found.start()][-1:], found.string[found.end() :][:1]
    return f"{' ' if before.isalnum() else ''}{said}{' ' if after.isalnum() else ''}"
