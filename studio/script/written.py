"""The text of a line as people read it: without stage directions and pause tags, never respelled."""

import re

from engines.text import directions_in, with_spoken_directions, without_directions
from engines.text.script import PAUSE_LIKE

BREAK = re.compile(r"<break\b[^<>]{0,200}>", re.IGNORECASE)
GAPS = re.compile(r"[ \t]{2,}")


def readable(written: str, spoken: str) -> str:
    """Return the words of a line that its take speaks. `spoken` is the text that the engine was given."""
    if _speaks_directions(written, spoken):
        return with_spoken_directions(written)
    return GAPS.sub(" ", BREAK.sub(" ", PAUSE_LIKE.sub(" ", without_directions(written)))).strip()


def shown(written: str, spoken: str, *, directions: bool) -> str:
    """Return the text of a line for subtitles and tables; with `directions` exactly as it is written."""
    return written if directions or _speaks_directions(written, spoken) else readable(written, spoken)


def _speaks_directions(written: str, spoken: str) -> bool:
    """Return True if the take was made while stage directions were spoken as words."""
    return bool(directions_in(written)) and not directions_in(spoken)
