"""The text of a line for readers: in the written spelling, without stage directions and pause tags."""

import re
from collections.abc import Sequence
from functools import partial

from engines.text import directions_in, with_spoken_directions, without_directions
from engines.text.script import PAUSE
from studio.ears.vocabulary import TypedWord
from studio.languages import ENGLISH
from studio.script.checks.wording import typed_words
from studio.script.format.lexicon import parts
from studio.script.format.script import LineTake, Respelling

TAG = rf"[ \t]*(?:{PAUSE.pattern}|<break\b[^<>]{{0,200}}>)[ \t]*"
TAG_BEFORE_MARK = re.compile(rf"{TAG}(?=[.,!?;:…])", re.IGNORECASE)
TAG_ANYWHERE = re.compile(TAG, re.IGNORECASE)


def readable(written: str, spoken: str) -> str:
    """Return the words of a line that its take speaks, as written. `spoken` is the text that the engine got."""
    if _speaks_directions(written, spoken):
        return with_spoken_directions(written)
    text = without_directions(written)
    return TAG_ANYWHERE.sub(" ", TAG_BEFORE_MARK.sub("", text)).strip() if TAG_ANYWHERE.search(text) else text


def directions_of(written: str, spoken: str) -> str:
    """Return the stage directions of a line without brackets, separated by commas; "" if the take speaks them."""
    if _speaks_directions(written, spoken):
        return ""
    return ", ".join(direction.written[1:-1].strip() for direction in directions_in(written))


def shown(written: str, spoken: str, *, directions: bool) -> str:
    """Return the text of a line for subtitles and tables; with `directions`, exactly as written."""
    return written if directions or _speaks_directions(written, spoken) else readable(written, spoken)


def words_of(
    take: LineTake, written: str, lexicon: Sequence[Respelling], language: str = ENGLISH
) -> tuple[TypedWord, ...]:
    """Return the written words of a take in this language, each with the spoken words that stand for it."""
    respell = partial(parts, respellings=lexicon, voice=take.voice, language=take.language or ENGLISH)
    return typed_words(take.text, readable(written, take.text), respell, language)


def _speaks_directions(written: str, spoken: str) -> bool:
    """Return True if the take was made with the setting to speak stage directions as words."""
    return bool(directions_in(written)) and not directions_in(spoken)
