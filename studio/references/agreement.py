"""Compare a transcript with the spoken words. The recogniser is often wrong, so a difference is only a warning."""

from difflib import SequenceMatcher

from engines.text import spoken_form, without_directions
from studio.sentences import ended

# Least share of equal letters in order. Of the 13 clips in assets/voices, 12 have 0.61 to 1.0 with their own transcripts;
# with the transcripts of other clips, all have at most 0.47.
AGREED = 0.5
SHOWN = 60  # maximum number of characters of the heard words in a message


def disagreement(spoken: str, transcript: str, subject: str = "Speech recognition heard") -> str:
    """Return a warning if the spoken words differ from the transcript; "" if they agree or either text is empty.

    `spoken` is a known transcript or the recogniser's text. The warning is `subject`, followed by these words.
    """
    heard, written = _letters(spoken), _letters(without_directions(transcript))
    if not heard or not written or SequenceMatcher(None, written, heard, autojunk=False).ratio() >= AGREED:
        return ""
    shown = spoken if len(spoken) <= SHOWN else f"{spoken[:SHOWN].rstrip()}…"
    return f"{ended(f'{subject} “{shown}”')} Listen to the part and check the transcript."


def _letters(text: str) -> str:
    return "".join(c for c in spoken_form(text).casefold() if c.isalpha())
