"""Words that are spoken twice, which the recogniser leaves out of its transcript.

Each word of the line is scored twice in a row. A second copy is unlikely where the word is spoken once.
"""

from collections.abc import Sequence

from studio.ears.division import Part, Token
from studio.ears.recogniser import Recogniser, ScoredWord
from studio.ears.vocabulary import HeardWord

# A second copy costs at least this much where a word is spoken once, and where it is the last one; tuned on assets/voices.
AGAIN, AGAIN_LAST = 4.8, 2.5
PRIOR = 0.3  # share of its cost without audio


def repeated(recogniser: Recogniser, part: Part, places: Sequence[int]) -> list[tuple[Token, HeardWord]]:
    """Return the expected tokens among `places` that are spoken twice, with their second copies."""
    if not places:
        return []
    line = part.line
    lines = [line, *([*line[: at + 1], *line[at:]] for at in places)]
    heard, unheard = recogniser.score(part.passage.encoded, lines), recogniser.score_unheard(lines)
    with_audio, without = ([_total(words) for words in side] for side in (heard, unheard))
    found = []
    for index, at in enumerate(places, 1):
        cost = with_audio[0] - with_audio[index] - PRIOR * (without[0] - without[index])
        if cost < (AGAIN_LAST if at == len(line) - 1 else AGAIN):
            copy = heard[index][at + 1]
            passage = part.passage.encoded.passage
            start_s, end_s = (round(max(0.0, at_s) + passage.start_s, 3) for at_s in (copy.start_s, copy.end_s))
            word = HeardWord(text=part.expected[at].text, start_s=start_s, end_s=end_s, confidence=0.5)
            found.append((part.expected[at], word))
    return found


def _total(words: Sequence[ScoredWord]) -> float:
    return sum(sum(word.logs) for word in words)
