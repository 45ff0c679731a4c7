"""Parse typed text into spoken words and pauses."""

import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import ftfy

from engines.errors import BadText
from engines.text.chunks import WIDE_CLOSERS, WIDE_MARKS
from engines.text.directions import Direction, directions_in, replaced, without_words
from engines.text.language_tags import ENGLISH, subtags
from engines.text.limits import MAX_CHARACTERS, check_length
from engines.text.markup import without_markup
from engines.text.spoken import SPOKEN_LANGUAGES, spoken_form
from engines.text.symbols import is_picture

COMPOSED_FROM_MAX = (
    3  # NFC makes one character of at most three; longer texts are refused before normalisation costs time
)
MIN_PAUSE_S, MAX_PAUSE_S = 0.05, 10.0
MAX_PAUSES_S = 120.0  # of one script; 400 tags of 10 s would be over an hour of silence in memory
CHARACTERS_PER_S = 14.0  # a slow English speaking rate

PAUSE_LIKE = re.compile(r"(\[\s*pause\b[^\]\n]{0,40}\]?)", re.IGNORECASE)
PAUSE = re.compile(r"\[\s*pause\s*:\s*(\d{1,6}(?:\.\d{1,6})?|\.\d{1,6})\s*(ms|s)\s*\]", re.IGNORECASE)
GAPS = re.compile(r"[ \t\n]+")
LINE_END = re.compile(r"[ \t]*\n\s*")
ENDS_A_THOUGHT = frozenset(f".!?…,;:，、؛،{WIDE_MARKS}")
FULL_STOPS = {"am": "።", "hi": "।", "hy": "։", "ja": "。", "mr": "।", "ne": "।", "ur": "۔", "zh": "。"}
UNSPACED = "。"  # no gap follows it
NOT_WRITTEN = frozenset(("Cc", "Cf", "Cs", "Co", "Cn"))
# Widths, ligatures, terminal escapes. Encodings are not guessed: two unusual letters in a row may be intended.
MENDING = ftfy.TextFixerConfig(uncurl_quotes=False, unescape_html=False, fix_encoding=False, normalization="NFC")
# Chinese and Japanese marks are wide; the width of a mark decides whether a gap follows it.
KEEPING_WIDTHS = MENDING._replace(fix_character_width=False)
WIDE_LANGUAGES = frozenset(("ja", "ko", "zh"))
NARROW_LANGUAGES = frozenset(SPOKEN_LANGUAGES) - WIDE_LANGUAGES
POSTAL_MARK = "〒"


@dataclass(frozen=True, slots=True)
class Say:
    """Words between pauses: as typed, and in spoken form on one line."""

    typed: str
    spoken: str


@dataclass(frozen=True, slots=True)
class Pause:
    """Exact silence."""

    duration_s: float


@dataclass(frozen=True, slots=True)
class Script:
    """A parsed text: at least one Say, in playing order."""

    parts: tuple[Say | Pause, ...]
    pictures: str = ""  # emoji and other typed signs without a sound, each once
    directions: tuple[Direction, ...] = ()  # stage directions, in their order

    @property
    def spoken(self) -> str:
        """The whole text in spoken form with pause tags; parsing it again gives the same words and pauses."""
        return " ".join(_shown(part) for part in self.parts)

    @property
    def typed(self) -> str:
        """The words as typed, on one line, without pauses and directions."""
        return " ".join(" ".join(part.typed.split()) for part in self.parts if isinstance(part, Say))

    @property
    def pauses_s(self) -> float:
        """Seconds of all pauses together."""
        return sum(part.duration_s for part in self.parts if isinstance(part, Pause))


def parse(text: str, speak_numbers: bool = True, *, markers: Iterable[str] = (), language: str = ENGLISH) -> Script:
    """Parse a text with `[pause:1.5s]` tags and stage directions. Other brackets are text.

    `language` is a BCP 47 tag. Without `speak_numbers`, words stay as typed. Directions are not spoken; a direction that
    means one of an engine's `markers` stays as that marker, such as (laughing).

    Raises BadText for a text without words, longer than MAX_CHARACTERS, or with an invalid pause tag.
    """
    text = _clean(text, language)
    directions = directions_in(text)
    words = replaced(text) if directions else text
    parts = tuple(_parts(words, speak_numbers, language))
    if not any(isinstance(part, Say) for part in parts):
        raise BadText(without_words(directions) or "this text has no words; type a line")
    if any(each.marker(markers) for each in directions):
        parts = tuple(_parts(replaced(text, markers), speak_numbers, language))
    script = Script(parts, _pictures(text, language), directions)
    if script.pauses_s > MAX_PAUSES_S:
        raise BadText(f"the pauses add up to {script.pauses_s:.0f} s; shorten them to at most {MAX_PAUSES_S:.0f} s")
    return script


def _pictures(text: str, language: str) -> str:
    """Return each picture of a text once, without signs such as ㎡ and 〒 if the grammar of the language reads these signs."""
    wide = subtags(language)[0] in WIDE_LANGUAGES
    seen = dict.fromkeys(c for c in text if is_picture(c))
    return "".join(c for c in seen if not (wide and (c == POSTAL_MARK or unicodedata.decomposition(c))))


def _clean(text: str, language: str) -> str:
    """Normalise to NFC, unify newlines, and remove markup, control and format characters."""
    if len(text) > COMPOSED_FROM_MAX * MAX_CHARACTERS:
        check_length("the text", text, MAX_CHARACTERS)
    text = check_length("the text", unicodedata.normalize("NFC", text), MAX_CHARACTERS)
    mending = MENDING if subtags(language)[0] in NARROW_LANGUAGES else KEEPING_WIDTHS
    return unicodedata.normalize(
        "NFC",
        _without_controls(without_markup(ftfy.fix_text(text, mending), pauses=True, language=language)),
    )


def _without_controls(text: str) -> str:
    """Unify newlines, and remove control, format, private and unassigned characters."""
    text = re.sub(r"\r\n?|[\v\f\x85\u2028\u2029]", "\n", text).replace("\t", " ")
    return "".join(c for c in text if c == "\n" or unicodedata.category(c) not in NOT_WRITTEN)


def _parts(text: str, speak_numbers: bool, language: str) -> Iterator[Say | Pause]:
    for piece in PAUSE_LIKE.split(text):
        if PAUSE_LIKE.fullmatch(piece):
            yield _pause(piece)
            continue
        typed = piece.strip()
        line = _one_line(typed, FULL_STOPS.get(subtags(language)[0], "."))
        spoken = spoken_form(line, language) if speak_numbers else line
        if any(c.isalnum() for c in spoken):
            yield Say(typed, spoken)


def _pause(tag: str) -> Pause:
    found = PAUSE.fullmatch(tag)
    if found is None:
        raise BadText(f"the tag {tag} is invalid; write [pause:1.5s] or [pause:800ms]")
    duration_s = float(found[1]) / (1000 if found[2].lower() == "ms" else 1)
    if not MIN_PAUSE_S <= duration_s <= MAX_PAUSE_S:
        raise BadText(f"the pause in {tag} must last between {MIN_PAUSE_S:g} s and {MAX_PAUSE_S:g} s")
    return Pause(duration_s)


def _one_line(text: str, full_stop: str) -> str:
    """Join lines; a line without a mark at its end gets a full stop."""
    lines = [line for line in LINE_END.split(text) if line.strip()]
    closed = ENDS_A_THOUGHT | frozenset(f"\"')”’»{WIDE_CLOSERS}")
    ended = [line if line[-1] in closed else f"{line}{full_stop}" for line in lines[:-1]]
    gap = "" if full_stop == UNSPACED else " "
    return GAPS.sub(" ", gap.join([*ended, *lines[-1:]])).strip(" ")


def _shown(part: Say | Pause) -> str:
    return part.spoken if isinstance(part, Say) else f"[pause:{part.duration_s:g}s]"
