"""Map a line to the characters that a checkpoint can speak."""

import unicodedata
from collections.abc import Iterable

from engines.errors import UnsupportedText
from engines.text.script import Say, Script

# ASCII equivalents of typographic characters, tried in order until the vocabulary has one.
PLAIN = {
    "‘": ("'",), "’": ("'",), "‚": ("'", ","), "′": ("'",), "`": ("'",), "´": ("'",),
    "“": ('"',), "”": ('"',), "„": ('"',), "«": ('"',), "»": ('"',), "″": ('"',),
    "‐": ("-",), "‑": ("-",), "–": ("-", ","), "—": (" - ", ", "), "―": (" - ", ", "), "−": ("-",),
    "…": ("...", "."), "·": (".",), "•": (",",), ";": (",",), ":": (",",), "!": (".",), "?": (".",),
    "。": (".",), "，": (",",), "、": (",",), "！": ("!", "."), "？": ("?", "."), "：": (":", ","), "；": (";", ","),
}  # fmt: skip
# Letters that Unicode does not decompose.
LETTERS = {"ß": "ss", "æ": "ae", "œ": "oe", "ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "ı": "i"}
ALWAYS_PLAIN = frozenset(
    "‘’“”‐‑–—…"
)  # replaced even if the vocabulary has both, because checkpoints were trained with the plain one more often
APOSTROPHES = frozenset("'’`´′")  # dropped without a space: "don't" becomes "dont", not "don t"
SILENT = frozenset(("Zs", "Ps", "Pe", "Pi", "Pf", "Mn", "Mc", "Me"))
SHOWN = 12  # characters listed in a message
SCRIPTS = {
    "CJK": "Chinese characters",
    "DIGIT": "digits",
    "HIRAGANA": "Japanese",
    "KATAKANA": "Japanese",
    "HANGUL": "Korean",
}


def fit(spoken: str, vocabulary: frozenset[str]) -> str:
    """Write the line with the vocabulary's characters: plain quotes and dashes, other case or no accents if necessary.

    Unsupported punctuation is dropped. An empty vocabulary accepts any text. Raises UnsupportedText for unsupported letters
    and digits.
    """
    line = " ".join(spoken.split())
    if not vocabulary:
        return line
    if missing := _missing(line, vocabulary):
        raise _unsupported(missing, vocabulary)
    return _joined(_fitted(c, vocabulary) or "" for c in line)


def unsupported(script: Script, vocabulary: frozenset[str]) -> str:
    """Return the letters and digits that make `fit` refuse a text, each once."""
    spoken = "".join(part.spoken for part in script.parts if isinstance(part, Say))
    return "".join(_missing(spoken, vocabulary)) if vocabulary else ""


def _missing(line: str, vocabulary: frozenset[str]) -> list[str]:
    return sorted({c for c in line if _fitted(c, vocabulary) is None})


def unsaid(script: Script, vocabulary: frozenset[str]) -> str:
    """Return the typed or spoken signs that are not audible, each once: emoji, and what `fit` drops.

    Brackets and quotes are silent in any voice and are not included.
    """
    spoken = "".join(part.spoken for part in script.parts if isinstance(part, Say))
    dropped = [c for c in spoken if vocabulary and _is_heard(c) and not (_fitted(c, vocabulary) or "").strip()]
    return "".join(dict.fromkeys([*script.pictures, *dropped]))


def _is_heard(character: str) -> bool:
    return unicodedata.category(character) not in SILENT and character not in APOSTROPHES | {'"'}


def _fitted(character: str, vocabulary: frozenset[str]) -> str | None:
    """Return the replacement of a character: itself, an equivalent, or a space for a sign; None for an unsupported letter."""
    if character == " ":
        return character
    if character in vocabulary and character not in ALWAYS_PLAIN:
        return character
    for candidate in _equivalents(character):
        if candidate and all(c in vocabulary or c == " " for c in candidate):
            return candidate
    if character in vocabulary:
        return character
    if unicodedata.category(character)[0] in "LN":
        return None
    return "" if character in APOSTROPHES or unicodedata.category(character)[0] == "M" else " "


def _equivalents(character: str) -> Iterable[str]:
    yield from PLAIN.get(character, ())
    yield character.lower()
    yield character.upper()
    bare = "".join(c for c in unicodedata.normalize("NFKD", character) if not unicodedata.combining(c))
    bare = "".join(LETTERS.get(c.lower(), c) for c in bare)
    yield from (bare, bare.lower(), bare.upper())


def _joined(pieces: Iterable[str]) -> str:
    line = " ".join("".join(pieces).split())
    for mark in ".,!?":
        line = line.replace(f" {mark}", mark)
    return line


def _unsupported(missing: list[str], vocabulary: frozenset[str]) -> UnsupportedText:
    scripts = ", ".join(sorted({_script(c) for c in missing}))
    shown = " ".join(missing[:SHOWN]) + (" …" if len(missing) > SHOWN else "")
    says = _described(vocabulary)
    return UnsupportedText(f"this checkpoint does not support {scripts} ({shown}); use {says}", "".join(missing))


def _script(character: str) -> str:
    first = unicodedata.name(character, "UNKNOWN").split()[0].split("-")[0]
    return SCRIPTS.get(first, first.title())


def _described(vocabulary: frozenset[str]) -> str:
    """Describe a vocabulary for the designer, such as "Latin, Chinese characters"."""
    letters = {c for c in vocabulary if len(c) == 1 and c.isalpha()}
    scripts = sorted({_script(c) for c in letters})
    if scripts == ["Latin"] and {c.lower() for c in letters} <= set("abcdefghijklmnopqrstuvwxyz"):
        return "the letters a to z"
    return ", ".join(scripts) or "no letters"
