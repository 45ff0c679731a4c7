"""Map a line to the characters a checkpoint can say."""

import unicodedata
from collections.abc import Iterable

from engines.errors import UnsupportedText
from engines.text.script import Say, Script

# Typography as typewriters have it. Tried in order; the first that the vocabulary holds wins.
PLAIN = {
    "‘": ("'",), "’": ("'",), "‚": ("'", ","), "′": ("'",), "`": ("'",), "´": ("'",),
    "“": ('"',), "”": ('"',), "„": ('"',), "«": ('"',), "»": ('"',), "″": ('"',),
    "‐": ("-",), "‑": ("-",), "–": ("-", ","), "—": (" - ", ", "), "―": (" - ", ", "), "−": ("-",),
    "…": ("...", "."), "·": (".",), "•": (",",), ";": (",",), ":": (",",), "!": (".",), "?": (".",),
    "。": (".",), "，": (",",), "、": (",",), "！": ("!", "."), "？": ("?", "."), "：": (":", ","), "；": (";", ","),
}  # fmt: skip
# Letters that Unicode does not take apart.
LETTERS = {"ß": "ss", "æ": "ae", "œ": "oe", "ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "ı": "i"}
ALWAYS_PLAIN = frozenset("‘’“”‐‑–—…")  # where both are in the vocabulary, checkpoints have heard the plain one more
APOSTROPHES = frozenset("'’`´′")  # dropped without a gap: "don't" becomes "dont", not "don t"
SILENT = frozenset(("Zs", "Ps", "Pe", "Pi", "Pf", "Mn", "Mc", "Me"))
SHOWN = 12  # characters named in a message
SCRIPTS = {
    "CJK": "Chinese characters",
    "DIGIT": "digits",
    "HIRAGANA": "Japanese",
    "KATAKANA": "Japanese",
    "HANGUL": "Korean",
}


def fit(spoken: str, vocabulary: frozenset[str]) -> str:
    """The line in the vocabulary's characters: plain quotes and dashes, case and accents where they must go.

    Signs it lacks are dropped. An empty vocabulary says anything. Raises UnsupportedText for letters and digits it
    lacks.
    """
    line = " ".join(spoken.split())
    if not vocabulary:
        return line
    missing = sorted({c for c in line if _fitted(c, vocabulary) is None})
    if missing:
        raise _unsupported(missing, vocabulary)
    return _joined(_fitted(c, vocabulary) or "" for c in line)


def unsaid(script: Script, vocabulary: frozenset[str]) -> str:
    """The typed or spoken signs that will not be heard, each once: emoji, and what `fit` drops.

    Brackets and quotes are silent in any voice and not among them.
    """
    spoken = "".join(part.spoken for part in script.parts if isinstance(part, Say))
    dropped = [c for c in spoken if vocabulary and _is_heard(c) and not (_fitted(c, vocabulary) or "").strip()]
    return "".join(dict.fromkeys([*script.pictures, *dropped]))


def _is_heard(character: str) -> bool:
    return unicodedata.category(character) not in SILENT and character not in APOSTROPHES | {'"'}


def _fitted(character: str, vocabulary: frozenset[str]) -> str | None:
    """What stands for the character: itself, an equivalent, a gap for a sign; None where a letter has no equivalent."""
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
    return UnsupportedText(
        f"this checkpoint cannot say {scripts} ({shown}); it says {says}, write the line in those", "".join(missing)
    )


def _script(character: str) -> str:
    first = unicodedata.name(character, "UNKNOWN").split()[0].split("-")[0]
    return SCRIPTS.get(first, first.title())


def _described(vocabulary: frozenset[str]) -> str:
    """ "Latin (a-z)", "Latin, Chinese characters": what a designer can act on."""
    letters = {c for c in vocabulary if len(c) == 1 and c.isalpha()}
    scripts = sorted({_script(c) for c in letters})
    if scripts == ["Latin"] and {c.lower() for c in letters} <= set("abcdefghijklmnopqrstuvwxyz"):
        return "the letters a to z"
    return ", ".join(scripts) or "no letters at all"
