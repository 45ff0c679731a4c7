"""Find words that are spoken twice, which the recogniser leaves out of its transcript.

Each word of the line is scored twice in a row. If the word is spoken only once, the second copy is unlikely.
"""

from collections.abc import Sequence

from studio.ears.division import MARKS, Part, Token
from studio.ears.recogniser import Recogniser
from studio.ears.support import ended, total
from studio.ears.vocabulary import HeardWord

AGAIN = 6.3  # minimum loss of log probability by a copy that is not spoken: `python -m bench.hearing`
LEAST_S = 0.1  # shortest second copy


def repeated(recogniser: Recogniser, part: Part, places: Sequence[int]) -> list[tuple[Token, HeardWord]]:
    """Return the expected tokens that are spoken twice, with their second copies. Only tokens at `places` are checked."""
    if not places:
        return []
    line = part.line
    twice = ([*line[:at], line[at].rstrip(MARKS), *line[at:]] for at in places)
    once, *scored = recogniser.score(part.passage.encoded, [ended(words, line) for words in (line, *twice)])
    found = []
    for at, words in zip(places, scored, strict=True):
        if total(once) - total(words) >= AGAIN:
            continue
        copy, passage = words[at + 1], part.passage.encoded.passage
        if min(copy.end_s, passage.length_s) - copy.start_s < LEAST_S:
            continue  # no room for a second copy
        start_s, end_s = (round(max(0.0, at_s) + passage.start_s, 3) for at_s in (copy.start_s, copy.end_s))
        word = HeardWord(text=part.expected[at].text, start_s=start_s, end_s=end_s, confidence=0.5)
        found.append((part.expected[at], word))
    return found
