"""Cut a long line into pieces that an engine speaks at once, and a text that is still arriving into sentences."""

import re

SHORTEST = 12  # characters; engines swallow words of shorter pieces
MARKS, CLOSERS, WIDE_MARKS = ".!?…", "\"'”’)]", "。！？"
INITIAL = re.compile(r"(?<!\w)[A-Z]\Z")
# Best place first: ends of sentences (not initials), ends of clauses, gaps between words and between ideographs.
PLACES = (
    re.compile(
        rf"(?:(?:(?<![{MARKS}])(?<!\b[A-Z])|(?<=\b[A-Z][{MARKS}]))[{MARKS}]++[\"'”’)\]]*+(?=\s)|[{WIDE_MARKS}]++)"
    ),
    re.compile(r"(?:[,;:][\"'”’)\]]*+(?=\s)|\s[-–—](?=\s)|—|[，、；：])"),
    re.compile(r"(?:(?=\s)|(?<=[\u3040-\u30ff\u3400-\u9fff]))"),
)


def chunks(text: str, *limits: int) -> list[str]:
    """Pieces in order, each of at most as many characters as its limit; the last limit holds for all behind it, too.

    None for blank text. Cut at ends of sentences where possible, else of clauses, else between words. A piece is longer only
    where a single word is, or where that spares a piece under SHORTEST (the last joins the one before). Joined again they
    are the text, but for spaces.
    """
    text = text.strip()
    pieces: list[str] = []
    start = 0
    while start < len(text):
        end = _cut(text, start, limits[min(len(pieces), len(limits) - 1)])
        pieces.append(text[start:end].strip())
        start = end
        while start < len(text) and text[start].isspace():
            start += 1
    if len(pieces) > 1 and len(pieces[-1]) < SHORTEST:
        last = pieces.pop()
        pieces[-1] = f"{pieces[-1]} {last}"
    return pieces


def _cut(text: str, start: int, limit: int) -> int:
    """Return the end of the piece that begins at `start`."""
    if len(text) - start <= limit:
        return len(text)
    for place in PLACES:
        found = place.finditer(text, start, min(len(text), start + limit + 2))
        ends = [each.end() for each in found if start + SHORTEST <= each.end() <= start + limit]
        if ends:
            return ends[-1]
    # A word longer than the limit, or only a short one before it: take words until there is enough to say.
    gap = PLACES[-1].search(text, start + min(SHORTEST, limit))
    return gap.end() if gap else len(text)


class SentenceReader:
    """Cuts a text that arrives in pieces into sentences, and reads every character once."""

    def __init__(self) -> None:
        self._unfinished: list[str] = []
        self._length = 0  # characters of these
        self._last = ""  # two characters at most
        self._in_marks = self._in_closers = False  # a sentence ends here if a gap follows

    def add(self, text: str) -> str:
        """Return the sentences that are complete with this piece; empty if there are none or they are too short.

        A sentence is complete when something follows its end.
        """
        cut: int | None = None
        for at, character in enumerate(text):
            end = self._end(character)
            if end is not None and self._length + at + end >= SHORTEST:
                cut = at + end
        if cut is None:
            self._unfinished.append(text)
            self._length += len(text)
            return ""
        sentence = "".join([*self._unfinished, text[:cut]])
        self._unfinished, self._length = [text[cut:]], len(text) - cut
        return sentence

    def rest(self) -> str:
        """Return the incomplete rest after the end of the text."""
        rest, self._unfinished, self._length = "".join(self._unfinished), [], 0
        return rest

    def _end(self, character: str) -> int | None:
        """Read a character. Return 0 if a sentence ends before the character, 1 if after it, else None."""
        ended = (self._in_marks or self._in_closers) and character.isspace()
        initial = INITIAL.search(self._last) is not None
        self._in_closers = (self._in_marks or self._in_closers) and character in CLOSERS
        self._in_marks = character in MARKS and (self._in_marks or not initial)
        self._last = self._last[-1:] + character
        return 0 if ended else 1 if character in WIDE_MARKS else None
