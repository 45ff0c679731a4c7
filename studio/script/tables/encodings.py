"""Guess the encoding of text that is not Unicode.

chardet compares pairs of letters with the statistics of languages. An English sheet has only a few non-ASCII characters
(dashes, quotation marks, a name), which are not enough for chardet. But only the right encoding gives a dash between words
and a capital at the start of a word. The patterns below count such characters.
"""

import codecs
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass

import chardet

from studio.script.tables.errors import BadSheet

# By chardet's name of the encoding. The first of equally likely encodings is used.
ENCODINGS: Mapping[str, str] = {
    "cp1252": "Western European (Windows)",
    "mac-roman": "Western European (Mac)",
    "cp850": "Western European (DOS)",
    "cp437": "English (DOS)",
    "iso8859-15": "Western European (ISO 8859-15)",
    "cp1250": "Central European (Windows)",
    "mac-latin2": "Central European (Mac)",
    "cp852": "Central European (DOS)",
    "iso8859-2": "Central European (ISO 8859-2)",
    "cp1251": "Cyrillic (Windows)",
    "mac-cyrillic": "Cyrillic (Mac)",
    "cp866": "Cyrillic (DOS)",
    "koi8-r": "Cyrillic (KOI8-R)",
    "cp1253": "Greek (Windows)",
    "cp1254": "Turkish (Windows)",
    "cp1257": "Baltic (Windows)",
    "cp1255": "Hebrew (Windows)",
    "cp1256": "Arabic (Windows)",
    "cp932": "Japanese (Shift JIS)",
    "euc_jis_2004": "Japanese (EUC)",
    "gb18030": "Chinese, simplified (GB 18030)",
    "big5hkscs": "Chinese, traditional (Big5)",
    "cp949": "Korean (Windows)",
}
# If the merits of the two best guesses differ by less than DOUBT + DOUBT_OF_ONE / n, for n characters, the user has to choose.
DOUBT, DOUBT_OF_ONE = 0.12, 0.25
MISPLACED_WEIGHT, WELL_PLACED_WEIGHT = 3.0, 1.0  # for each non-ASCII character; chardet's opinion adds 0 to 1
# Corrections for encodings that are more, or less, common for sheets than the others.
USUAL: Mapping[str, float] = {
    **{
        "cp1252": 0.25,
        "mac-roman": 0.15,
        "cp1250": 0.1,
        "cp1251": 0.1,
        "cp1254": 0.1,
        "cp850": 0.05,
        "mac-latin2": -0.25,
    },
    **dict.fromkeys(("cp852", "cp1257", "cp1255", "cp1256"), -0.15),
}

_LATIN = [chr(code) for code in range(0xC0, 0x250) if chr(code).isalpha()]
_SMALL = "".join(letter for letter in _LATIN if letter.islower())
_LARGE = "".join(letter for letter in _LATIN if letter.isupper())
_LETTER = f"A-Za-z{_SMALL}{_LARGE}"
_OTHER = "ͰͱͲͳͶͷΆΈ-ϿЀ-ԯ֐-ۿ\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uff66-\uff9f"  # letters of other scripts
_ANY = f"{_LETTER}{_OTHER}"
_SYMBOL = "[†‡§¶˚±¹½¼¾µ×÷ƒ¥£¢€·‰‘]"
_FOREIGN = re.compile("[^\x00-\x7f]")
_MISPLACED = re.compile(
    "|".join(
        (
            rf"(?<=[a-z{_SMALL}])[{_LARGE}]",  # a capital after a small letter
            rf"(?<![{_LETTER}])[{_SMALL}](?=[A-Z{_LARGE}])",  # a small letter at the beginning of a word, before a capital
            rf"(?<=[A-Z])[{_SMALL.replace('ß', '')}](?=[A-Z])",
            rf"(?<![{_LETTER}])[{_LARGE}](?=[A-Z][a-z])",  # two capitals at the beginning of a word
            rf"(?<=[.!?])[{_SMALL}{_LARGE}](?![{_LETTER}])",  # a letter after a full stop
            rf"(?<![{_LETTER}])(?![àèéóáåíÀÈÉÓÁÅÍ])[{_SMALL}{_LARGE}](?![{_LETTER}'’])",  # a single letter that is not a word
            rf"(?<=[{_ANY}])[„‚¿¡«]",
            r"„(?![^\n]{0,100}[“”])|‚(?![^\n]{0,100}[‘’])|«(?![^\n]{0,100}»)|(?<![^\t,;|\"\n])»(?![^\n]{0,100}«)",
            rf"(?<=[{_ANY}])(?:[“”«»‹›•™–](?=[{_ANY}])|—(?=[.,;]))|[©®](?=[{_ANY}])",
            rf"(?<=[{_ANY}])(?!‘){_SYMBOL}|(?!‘){_SYMBOL}(?=[{_LETTER}])|{_SYMBOL}(?=[{_OTHER}])",
            rf"(?<![{_LETTER}])´|´(?![{_LETTER}])|(?<![0-9])[ªº]",
            rf"(?<=[{_LETTER}])[{_OTHER}]|[{_OTHER}](?=[{_LETTER}])|(?<![{_OTHER}])[{_OTHER}](?![{_OTHER}])",
            "[\x80-\x9f¤¬¦¨¸¯ˆ˜˘˙˝˛ѕЃѓЌЏџ\u2200-\u22ff\u2300-\u23ff\u2500-\u25ff\ufb00-\ufb06\uf8ff\ufffd\ue000-\uf8ff]",
        )
    )
)
_WELL_PLACED = re.compile(
    "|".join(
        (
            rf"(?<=[{_LETTER}])’(?=(?:s|t|m|d|ll|re|ve|em)\b)",  # a contraction such as it’s
            rf"(?<=\b[cdjlmnstCDJLMNST])’(?=[{_LETTER}])",  # an elision such as l’été
            r"(?<=\s)[—–](?=\s)|(?<=\s)’(?=n’)|(?<=’n)’",
            rf"(?<![{_LETTER}])[“„](?=[^“”„\n]{{1,100}}[“”](?![{_LETTER}]))",
            r"¿(?=[^?\n]{1,100}\?)|¡(?=[^!\n]{1,100}!)",
        )
    )
)


@dataclass(frozen=True, slots=True)
class Guess:
    """A possible encoding of a text."""

    name: str
    text: str  # the decoded text
    merit: float

    @property
    def title(self) -> str:
        """Return the name that the page shows for the encoding."""
        return ENCODINGS[self.name]


def guesses(sample: bytes) -> Sequence[Guess]:
    """Return the encodings that can decode the sample, most likely first."""
    found = chardet.detect_all(sample, include_encodings=ENCODINGS, compat_names=False, ignore_threshold=True)
    opinions = {str(each["encoding"]): each["confidence"] for each in found}
    highest = max(opinions.values(), default=0.0) or 1.0
    fitting = []
    for name in ENCODINGS:
        with suppress(UnicodeDecodeError):
            text = codecs.getincrementaldecoder(name)().decode(sample)  # the last character may be cut
            merit = opinions.get(name, 0.0) / highest + USUAL.get(name, 0.0) + _placement(text)
            fitting.append(Guess(name, text, merit))
    return sorted(fitting, key=lambda guess: -guess.merit)


def rival(ranked: Sequence[Guess]) -> Guess | None:
    """Return the guess with another text that is about as likely as the best guess; None if the best is certain."""
    best = ranked[0]
    second = next((guess for guess in ranked if guess.text != best.text), None)
    signs = len(_FOREIGN.findall(best.text)) or 1
    is_close = second is not None and best.merit - second.merit < DOUBT + DOUBT_OF_ONE / signs
    return second if is_close else None


def known_encoding(name: str) -> str:
    """Return the entry of ENCODINGS, or "utf-8", that is the encoding `name`. Raises BadSheet."""
    names = ("utf-8", *ENCODINGS)
    try:
        python_name = codecs.lookup(name).name
    except (LookupError, ValueError):
        python_name = ""
    for known in names:
        if codecs.lookup(known).name == python_name:
            return known
    raise BadSheet(f"sheets cannot be read in the encoding {name[:40]!r}; choose one of {', '.join(names)}")


def _placement(text: str) -> float:
    """Return the plausibility of the positions of non-ASCII characters: 0 if unknown, below 0 if they are wrong."""
    signs = len(_FOREIGN.findall(text)) or 1
    wrong, right = len(_MISPLACED.findall(text)), len(_WELL_PLACED.findall(text))
    return (WELL_PLACED_WEIGHT * right - MISPLACED_WEIGHT * wrong) / signs
