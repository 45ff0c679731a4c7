"""Compare a transcript with the words that are heard. The recogniser is often wrong, so a difference is only a warning."""

from difflib import SequenceMatcher

from engines.text import spoken_form, without_directions
from studio.sentences import ended

# Least share of equal letters in order. Of the 13 clips in assets/voices, 12 have 0.61 to 1.0 with their own transcripts;
# with the transcripts of other clips, all have at most 0.47.
AGREED = 0.5
SHOWN = 60  # maximum number of characters of the heard words in a message


def disagreement(heard: str, transcript: str, subject: str = "Speech recognition heard") -> str:
    """Return a warning if other words are heard than the transcript says; "" if they agree or either text is empty.

    `subject` begins the warning; the heard words follow it.
    """
    said, written = _letters(heard), _letters(without_directions(transcript))
    if not said or not written or SequenceMatcher(None, written, said, autojunk=False).ratio() >= AGREED:
        return ""
    shown = heard if len(heard) <= SHOWN else f"{heard[:SHOWN].rstrip()}…"
    return f"{ended(f'{subject} “{shown}”')} Listen to the part and check the transcript."


def _letters(text: str) -> str:
    return "".join(c for c in spoken_form(text).casefold() if c.isalpha())
