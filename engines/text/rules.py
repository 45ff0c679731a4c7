"""The form of a rule that converts written text to spoken text, and parts that all rules share."""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass

SENTENCE_ENDS = re.compile(r"\s*$|\s+[A-Z]")
# Words that start a sentence rather than a name: "in the U.S. It" is two sentences, "the U.S. Army" is one phrase.
STARTERS = (
    "A|After|All|And|As|At|But|By|Do|Does|Even|For|From|He|Her|Here|His|How|I|If|In|Is|It|Its|Let|Many|Most|My|No|Not|Now|"
    "Of|On|One|Or|Our|She|So|Some|That|The|Their|Then|There|These|They|This|Those|To|We|Well|What|When|Where|Which|"
    "While|Who|Why|With|Yes|You|Your"
)
CLEARLY_ENDS = re.compile(rf"\s*$|\s+(?:{STARTERS})\b")


@dataclass(frozen=True, slots=True)
class Rule:
    """Replaces each match of `pattern` by the words of `speak`; None keeps the match."""

    pattern: re.Pattern[str]
    speak: Callable[[re.Match[str]], str | None]


def rule(pattern: str, speak: Callable[[re.Match[str]], str | None], flags: int = 0) -> Rule:
    """Compile a rule from the source of its pattern."""
    return Rule(re.compile(pattern, flags), speak)


def apply_rules(rules: Iterable[Rule], text: str, *, separate: bool = True) -> str:
    """Apply the rules in order. With `separate`, spaces separate the words of a rule from adjacent letters and digits."""
    for each in rules:
        if not separate:
            text = each.pattern.sub(lambda found, speak=each.speak: _kept(found, speak(found)), text)  # type: ignore[misc]
            continue
        text = each.pattern.sub(lambda found, speak=each.speak: _separated(found, speak(found)), text)  # type: ignore[misc]
    return text


def one_of(words: Iterable[str]) -> str:
    """Return a pattern for any of the words, the longest first."""
    return "|".join(re.escape(word) for word in sorted(words, key=len, reverse=True))


def listed(words: str) -> frozenset[str]:
    """Return the words of a list that is written as text."""
    return frozenset(words.split())


def in_order(words: str) -> tuple[str, ...]:
    """Return the words of a list that is written as text, in their order."""
    return tuple(words.split())


def stop(found: re.Match[str], ends: re.Pattern[str] = SENTENCE_ENDS) -> str:
    """Return a full stop if the dot of an abbreviation also ends a sentence; otherwise an empty string."""
    if not found[0].endswith("."):
        return ""
    return "." if ends.match(found.string, found.end()) else ""


def ending_stop(found: re.Match[str]) -> str:
    """Return a full stop if the dot of an abbreviation ends a line that starts like a sentence, with a capital letter."""
    if not found[0].endswith(".") or found.string[found.end() :].strip():
        return ""
    return "." if found.string[:1].isupper() else ""


def cased(written: str, said: str) -> str:
    """Return the spoken form, with a capital if the written form has one."""
    return said[:1].upper() + said[1:] if written[:1].isupper() else said


def _kept(found: re.Match[str], said: str | None) -> str:
    return found[0] if said is None else said


def _separated(found: re.Match[str], said: str | None) -> str:
    if said is None:
        return found[0]
    start, end = found.span()
    before, after = found.string[max(0, start - 1) : start], found.string[end : end + 1]
    return ("" if not _joins(before) else " ") + said + ("" if not _joins(after) else " ")


def _joins(neighbour: str) -> bool:
    return neighbour.isalnum() or neighbour in tuple("+&@%#$€£¥°=")
