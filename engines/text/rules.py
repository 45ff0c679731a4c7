"""The shape of a rule that turns writing into speech, and the pieces all of them share."""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass

SENTENCE_ENDS = re.compile(r"\s*$|\s+[A-Z]")
# Words that begin a sentence rather than a name: "in the U.S. It" has two sentences, "the U.S. Army" is one phrase.
STARTERS = (
    "A|After|All|And|As|At|But|By|Do|Does|Even|For|From|He|Her|Here|His|How|I|If|In|Is|It|Its|Let|Many|Most|My|No|Not|Now|"
    "Of|On|One|Or|Our|She|So|Some|That|The|Their|Then|There|These|They|This|Those|To|We|Well|What|When|Where|Which|"
    "While|Who|Why|With|Yes|You|Your"
)
CLEARLY_ENDS = re.compile(rf"\s*$|\s+(?:{STARTERS})\b")


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


def listed(words: str) -> frozenset[str]:
    """Return the words of a list that is written as text."""
    return frozenset(words.split())


def stop(found: re.Match[str], ends: re.Pattern[str] = SENTENCE_ENDS) -> str:
    """The full stop that an abbreviation's own dot also was, where a sentence ends behind it."""
    if not found[0].endswith("."):
        return ""
    return "." if ends.match(found.string, found.end()) else ""


def cased(written: str, said: str) -> str:
    """Return the spoken form, with a capital if the written form has one."""
    return said[:1].upper() + said[1:] if written[:1].isupper() else said


def _apart(found: re.Match[str], said: str | None) -> str:
    if said is None:
        return found[0]
    start, end = found.span()
    before, after = found.string[max(0, start - 1) : start], found.string[end : end + 1]
    return ("" if not _sticks(before) else " ") + said + ("" if not _sticks(after) else " ")


def _sticks(neighbour: str) -> bool:
    return neighbour.isalnum() or neighbour in tuple("+&@%#$€£¥°=")
