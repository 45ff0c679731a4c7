"""Cut a long text into segments that an engine speaks at once, and arriving text into sentences."""

import re
from itertools import pairwise

SHORTEST = 12  # characters; engines drop words of shorter segments
MARKS, CLOSERS = ".!?…", "\"'”“’»)]"  # they end a sentence when a space follows
# Stops that end a sentence without a space: of Chinese, Japanese, Arabic, Urdu, Hindi, Armenian, Amharic, Khmer and Burmese.
WIDE_MARKS = "。！？｡؟۔।॥։።፧។៕။"
WIDE_CLOSERS = "」』】》〉）｣"
AFTER_WIDE_MARKS = f"{WIDE_MARKS}{WIDE_CLOSERS}”’»"
IDEOGRAPHS = "\u3040-\u30ff\u3400-\u9fff"
IDEOGRAPH = re.compile(f"[{IDEOGRAPHS}]")
STRONG, ELLIPSIS = "!?", "……"  # they end a sentence before an ideograph or a wide closing quote
AFTER_STRONG = f"(?:(?<=[{STRONG}])|(?<={ELLIPSIS}))"
INITIAL = re.compile(r"(?<!\w)[A-Z]\Z")
CLOSING = re.escape(CLOSERS)
# In order of preference: ends of sentences (not initials), ends of clauses, gaps between words and between ideographs.
PLACES = (
    re.compile(
        rf"(?:(?:(?<![{MARKS}])(?<!\b[A-Z])|(?<=\b[A-Z][{MARKS}]))[{MARKS}]++[{CLOSING}]*+(?=\s)"
        rf"|(?:[{WIDE_MARKS}]|{AFTER_STRONG}[{WIDE_CLOSERS}])[{AFTER_WIDE_MARKS}]*+|{AFTER_STRONG}(?=[{IDEOGRAPHS}]))"
    ),
    re.compile(rf"(?:[,;:،؛][{CLOSING}]*+(?=\s)|\s[-–—](?=\s)|—|[，、；：])"),
    re.compile(rf"(?:(?=\s)|(?<=[{IDEOGRAPHS}])(?![，、；：{AFTER_WIDE_MARKS}]))"),
)


def chunks(text: str, *limits: int) -> list[str]:
    """Cut a text into segments, each at most as long as its limit in characters; the last limit holds for all others.

    A blank text has no segments. Cuts are at ends of sentences if possible, else of clauses, else between words. A segment is
    longer than its limit only if a single word is, or to avoid a segment under SHORTEST (the last joins the one before).
    Except for spaces, the joined segments equal the text.
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


def split_short_sentences(text: str, longest: int) -> list[str]:
    """Split a text before and after each sentence of at most `longest` characters. Longer sentences stay together.

    Except for spaces, the joined parts equal the text. A blank text has no parts.
    """
    spans = sentence_spans(text)
    short = [len(text[start:end].strip()) <= longest for start, end in spans]
    cuts = [end for (_, end), around in zip(spans, pairwise(short), strict=False) if any(around)]
    parts = (text[start:end].strip() for start, end in pairwise([0, *cuts, len(text)]))
    return [part for part in parts if part]


def sentence_spans(text: str) -> list[tuple[int, int]]:
    """Return the start and the end of each sentence. Spaces belong to the sentence after them, and the last part is one too."""
    ends = [found.end() for found in PLACES[0].finditer(text)]
    return list(pairwise([0, *ends, len(text)]))


def _cut(text: str, start: int, limit: int) -> int:
    """Return the end of the segment that begins at `start`."""
    if len(text) - start <= limit:
        return len(text)
    for place in PLACES:
        found = place.finditer(text, start, min(len(text), start + limit + 2))
        ends = [each.end() for each in found if start + SHORTEST <= each.end() <= start + limit]
        if ends:
            return ends[-1]
    # A word is longer than the limit, or only a short one precedes it: add words until the segment is long enough.
    gap = PLACES[-1].search(text, start + min(SHORTEST, limit))
    return gap.end() if gap else len(text)


class SentenceReader:
    """Cuts text that arrives in parts into sentences. It reads every character once."""

    def __init__(self) -> None:
        self._unfinished: list[str] = []
        self._length = 0  # characters in `_unfinished`
        self._last = ""  # the last two characters at most
        self._in_marks = self._in_closers = False  # True if a sentence ends here when a space follows
        self._in_wide = False  # True if a sentence ends here unless a closing quote follows

    def add(self, text: str) -> str:
        """Return the sentences that this part completes; empty if there are none or they are too short.

        A sentence is complete when something follows its end.
        """
        cut: int | None = None
        for at, character in enumerate(text):
            ends = self._ends_before(character)
            if ends and self._length + at >= SHORTEST:
                cut = at
        if cut is None:
            self._unfinished.append(text)
            self._length += len(text)
            return ""
        sentence = "".join([*self._unfinished, text[:cut]])
        self._unfinished, self._length = [text[cut:]], len(text) - cut
        return sentence

    def rest(self) -> str:
        """Return the incomplete rest at the end of the text."""
        rest, self._unfinished, self._length = "".join(self._unfinished), [], 0
        return rest

    def _ends_before(self, character: str) -> bool:
        """Read a character. Return True if a sentence ends before the character."""
        strong = self._last[-1:] in tuple(STRONG) or self._last == ELLIPSIS
        ended = (self._in_marks or self._in_closers) and character.isspace()
        ended |= self._in_wide and character not in AFTER_WIDE_MARKS
        ended |= strong and IDEOGRAPH.match(character) is not None
        initial = INITIAL.search(self._last) is not None
        self._in_closers = (self._in_marks or self._in_closers) and character in CLOSERS
        self._in_marks = character in MARKS and (self._in_marks or not initial)
        self._in_wide = (
            character in WIDE_MARKS
            or (self._in_wide and character in AFTER_WIDE_MARKS)
            or (strong and character in WIDE_CLOSERS)
        )
        self._last = self._last[-1:] + character
        return ended
