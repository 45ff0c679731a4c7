"""Cut a long line into pieces an engine speaks in one go."""

import re

SHORTEST = 12  # characters; engines swallow words of shorter pieces
# Best place first: ends of sentences (not initials), ends of clauses, gaps between words and between ideographs.
PLACES = (
    re.compile(r"(?:(?<!\b[A-Z])[.!?…]+[\"'”’)\]]*(?=\s)|[。！？]+)"),
    re.compile(r"(?:[,;:][\"'”’)\]]*(?=\s)|\s[-–—](?=\s)|—|[，、；：])"),
    re.compile(r"(?:(?=\s)|(?<=[\u3040-\u30ff\u3400-\u9fff]))"),
)


def chunks(text: str, *limits: int) -> list[str]:
    """Pieces in order, each of at most as many characters as its limit; the last limit holds for all behind it, too.

    None for blank text. Cut at ends of sentences where possible, else of clauses, else between words. A piece is longer only
    where a single word is, or where that spares a piece under SHORTEST (the last joins the one before). Joined again they
    are the text, but for spaces.
    """
    pieces: list[str] = []
    rest = text.strip()
    while rest:
        cut = _cut(rest, limits[min(len(pieces), len(limits) - 1)])
        pieces.append(rest[:cut].strip())
        rest = rest[cut:].strip()
    if len(pieces) > 1 and len(pieces[-1]) < SHORTEST:
        last = pieces.pop()
        pieces[-1] = f"{pieces[-1]} {last}"
    return pieces


def finished(text: str) -> int:
    """Where the last sentence ends behind which something stands already; 0 where there is none worth a piece."""
    ends = [found.end() for found in PLACES[0].finditer(text)]
    return max((end for end in ends if end >= SHORTEST), default=0)


def _cut(text: str, limit: int) -> int:
    """Where the first piece ends."""
    if len(text) <= limit:
        return len(text)
    for place in PLACES:
        ends = [found.end() for found in place.finditer(text, 0, limit + 2) if SHORTEST <= found.end() <= limit]
        if ends:
            return ends[-1]
    # A word longer than the limit, or only a short one before it: take words until there is enough to say.
    ends = [found.end() for found in PLACES[-1].finditer(text) if found.end() >= min(SHORTEST, limit)]
    return ends[0] if ends else len(text)
