"""Find the passages in which the heard words differ from the expected words."""

from collections.abc import Iterator
from dataclasses import dataclass

from studio.ears.division import Part
from studio.ears.phones import Match

APART = 0.45  # matches with a larger share of different phones are joined with lost and added words next to them


@dataclass(frozen=True, slots=True)
class Difference:
    """Expected tokens, and the tokens that were heard in their place; one side may be empty."""

    start: int
    end: int
    heard_start: int
    heard_end: int
    unlike: float  # share of different phones

    def applied(self, part: Part) -> list[str]:
        """Return the line with the heard words in place of the expected words."""
        expected = [token.text for token in part.expected]
        return [*expected[: self.start], *_texts(part, self.heard_start, self.heard_end), *expected[self.end :]]


def differences(part: Part, like: float) -> list[Difference]:
    """Return the differences in order. A match whose share of different phones is at most `like` is no difference."""
    found: list[Difference] = []
    for match in part.matches:
        if match.unlike <= like:
            continue
        last = found[-1] if found else None
        if last and _adjoining(last, match) and _joins(last, match):
            unlike = max(last.unlike, match.unlike)
            found[-1] = Difference(last.start, match.end, last.heard_start, match.heard_end, unlike)
        else:
            found.append(Difference(*match))
    return found


def _adjoining(last: Difference, match: Match) -> bool:
    return last.end == match.start and last.heard_end == match.heard_start


def _joins(last: Difference, match: Match) -> bool:
    """Return True to join two differences: two lost words, two added words, or a lost or added word beside an unlike match."""
    one_sided = [one.start == one.end or one.heard_start == one.heard_end for one in (last, match)]
    if all(one_sided):
        return (last.start == last.end) == (match.start == match.end)
    return any(one_sided) and min(last.unlike, match.unlike) > APART


def _texts(part: Part, start: int, end: int) -> Iterator[str]:
    """Yield each heard word once. A heard word such as "21" has several spoken words."""
    seen = -1
    for token in part.heard[start:end]:
        if token.place != seen:
            seen = token.place
            yield token.text
