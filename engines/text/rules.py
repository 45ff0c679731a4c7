"""The shape of a rule that turns writing into speech, and the pieces all of them share."""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass

SENTENCE_ENDS = re.compile(r"\s*$|\s+[A-Z]")


@dataclass(frozen=True, slots=True)
class Rule:
    """Where `pattern` matches, the words of `speak` are said instead; None leaves the match as it is."""

    pattern: re.Pattern[str]
    speak: Callable[[re.Match[str]], str | None]


def rule(pattern: str, speak: Callable[[re.Match[str]], str | None], flags: int = 0) -> Rule:
    """A rule from the pattern's source."""
    return Rule(re.compile(pattern, flags), speak)


def applied(rules: Iterable[Rule], text: str) -> str:
    """The text after each rule in turn. What a rule says never touches the letters or digits beside it."""
    for each in rules:
        text = each.pattern.sub(lambda found, speak=each.speak: _apart(found, speak(found)), text)  # type: ignore[misc]
    return text


def one_of(words: Iterable[str]) -> str:
    """A pattern for any of the words, the longest first."""
    return "|".join(re.escape(word) for word in sorted(words, key=len, reverse=True))


def stop(found: re.Match[str]) -> str:
    """The full stop that an abbreviation's own dot also was, where a sentence ends behind it."""
    if not found[0].endswith("."):
        return ""
    return "." if SENTENCE_ENDS.match(found.string, found.end()) else ""


def _apart(found: re.Match[str], said: str | None) -> str:
    if said is None:
        return found[0]
    start, end = found.span()
    before, after = found.string[max(0, start - 1) : start], found.string[end : end + 1]
    return ("" if not _sticks(before) else " ") + said + ("" if not _sticks(after) else " ")


def _sticks(neighbour: str) -> bool:
    return neighbour.isalnum() or neighbour in tuple("+&@%#$€£¥°=")
