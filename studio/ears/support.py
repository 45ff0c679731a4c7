"""How well the audio supports a word: the recogniser scores the line with the word and without it.

The recogniser's language model often completes a line whose word was cut out, so a word that is heard may still be missing.
"""

from collections.abc import Collection, Mapping, Sequence

from studio.ears.division import MARKS, Part
from studio.ears.recogniser import Recogniser, ScoredWord

# Words whose tokens and next token are more likely, and that are not short, need no second score. Of 50 words that were
# cut out or replaced, none met these limits.
USUAL_LOG, USUAL_NEXT_LOG, USUAL_RATIO = -0.2, -0.5, 0.75


def doubtful(part: Part, scored: Sequence[ScoredWord], ratios: Mapping[int, float]) -> list[int]:
    """Return the written words of a part that need a second score."""
    differs = {at for match in part.matches if match.unlike for at in range(match.start, match.end)}
    found: list[int] = []
    for at, (token, word) in enumerate(zip(part.expected, scored, strict=True)):
        usual = word.log >= USUAL_LOG and _next_log(scored, at) >= USUAL_NEXT_LOG and at not in differs
        if not (usual and ratios[token.place] >= USUAL_RATIO) and token.place not in found:
            found.append(token.place)
    return found


def supports(
    recogniser: Recogniser, part: Part, scored: Sequence[ScoredWord], places: Sequence[int], unusual: Collection[int]
) -> dict[int, float]:
    """Return the support for each of these written words: low if the line is as likely without the word.

    The likelihood of the next word counts, unless this word is at a place in `unusual`: a made-up name is always unlikely.
    """
    spans = {place: [at for at, token in enumerate(part.expected) if token.place == place] for place in places}
    line = part.line
    without = {place: [*line[: span[0]], *line[span[-1] + 1 :]] for place, span in spans.items()}
    places = [place for place, words in without.items() if words]
    if not places:
        return {}
    lines = [ended(words, line) for words in (line, *(without[place] for place in places))]
    whole, *others = (total(words) for words in recogniser.score(part.passage.encoded, lines))
    found = {}
    for place, other in zip(places, others, strict=True):
        span = spans[place]
        logs = [log for at in span for log in scored[at].logs]
        after = span[-1] + 1
        before_unusual = after < len(scored) and part.expected[after].place in unusual
        found[place] = whole - other + sum(logs) / len(logs) + (0.0 if before_unusual else _next_log(scored, span[-1]))
    return found


def ended(words: Sequence[str], line: Sequence[str]) -> list[str]:
    """Return the words, ended by the last punctuation mark of the line.

    The recogniser finds this mark unlikely if more words follow in the audio.
    """
    mark = line[-1][-1] if line[-1][-1] in MARKS else "."
    return [*words[:-1], words[-1].rstrip(MARKS) + mark]


def total(words: Sequence[ScoredWord]) -> float:
    """Return the log probability of scored words."""
    return sum(sum(word.logs) for word in words)


def _next_log(scored: Sequence[ScoredWord], at: int) -> float:
    return scored[at + 1].logs[0] if at + 1 < len(scored) else 0.0
