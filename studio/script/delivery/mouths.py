"""Mouth shapes for lip-sync from ARPABET phones: Oculus's 15 visemes, and Rhubarb's nine shapes.

Where the published tables allow several shapes, the first is used; Rhubarb's tables do so for most consonants.
docs/delivery.md has links to the tables.
"""

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from studio.script.delivery.timing import SILENT, NamedSpan, merged

VISEMES = ("sil", "PP", "FF", "TH", "DD", "kk", "CH", "SS", "nn", "RR", "aa", "E", "ih", "oh", "ou")
SHAPES = ("A", "B", "C", "D", "E", "F", "G", "H", "X")
FIRST_PART = 0.6  # share of a diphthong's length for its first shape
LONG_S = 0.2  # a longer vowel opens the mouth wide, and a longer L shows the tongue
BREATH = "HH"  # a phone with the shape of the next phone

VISEMES_OF: Mapping[str, tuple[str, ...]] = {  # two visemes for a diphthong
    SILENT: ("sil",),
    **dict.fromkeys(("P", "B", "M"), ("PP",)),
    **dict.fromkeys(("F", "V"), ("FF",)),
    **dict.fromkeys(("TH", "DH"), ("TH",)),
    **dict.fromkeys(("T", "D"), ("DD",)),
    **dict.fromkeys(("K", "G", "NG"), ("kk",)),
    **dict.fromkeys(("CH", "JH", "SH", "ZH"), ("CH",)),
    **dict.fromkeys(("S", "Z"), ("SS",)),
    **dict.fromkeys(("N", "L"), ("nn",)),
    **dict.fromkeys(("R", "ER"), ("RR",)),
    **dict.fromkeys(("AA", "AE", "AH"), ("aa",)),
    "EH": ("E",),
    **dict.fromkeys(("IH", "IY", "Y"), ("ih",)),
    "AO": ("oh",),
    **dict.fromkeys(("UH", "UW", "W"), ("ou",)),
    "AY": ("aa", "ih"),
    "AW": ("aa", "ou"),
    "EY": ("E", "ih"),
    "OW": ("oh", "ou"),
    "OY": ("oh", "ih"),
}
SHAPES_OF: Mapping[str, tuple[str, ...]] = {
    SILENT: ("X",),
    **dict.fromkeys(("P", "B", "M"), ("A",)),
    **dict.fromkeys(("F", "V"), ("G",)),
    **dict.fromkeys(("T", "D", "K", "G", "N", "NG", "CH", "JH", "SH", "ZH", "S", "Z", "TH", "DH"), ("B",)),
    **dict.fromkeys(("L", "R", "Y", "IY", "IH"), ("B",)),
    **dict.fromkeys(("EH", "AE", "AH"), ("C",)),
    "AA": ("D",),
    **dict.fromkeys(("AO", "ER"), ("E",)),
    **dict.fromkeys(("UW", "UH", "W"), ("F",)),
    "EY": ("C", "B"),
    "AY": ("C", "B"),
    "OW": ("E", "F"),
    "AW": ("C", "E"),
    "OY": ("E", "B"),
}
LONG_SHAPES_OF: Mapping[str, tuple[str, ...]] = {"AH": ("D",), "AY": ("D", "B"), "AW": ("D", "E"), "L": ("H",)}


def visemes(phones: Sequence[NamedSpan]) -> list[NamedSpan]:
    """Return Oculus's visemes of these phones, without gaps."""
    return list(merged(_cues(phones, _visemes)))


def mouth_shapes(phones: Sequence[NamedSpan]) -> list[NamedSpan]:
    """Return Rhubarb's shapes of these phones, without gaps, in hundredths of a second as in Rhubarb's output."""
    parts = _cues(phones, _shapes)
    counted = [replace(part, start_s=_hundredths(part.start_s), end_s=_hundredths(part.end_s)) for part in parts]
    return list(merged([part for part in counted if part.end_s > part.start_s]))


def visemes_json(file: str, phones: Sequence[NamedSpan]) -> dict[str, Any]:
    """Return the visemes as JSON, with times in seconds."""
    cues = [
        {"viseme": spell.name, "start_s": round(spell.start_s, 3), "end_s": round(spell.end_s, 3)}
        for spell in visemes(phones)
    ]
    return {"file": file, "duration_s": round(phones[-1].end_s, 3), "visemes": cues}


def rhubarb_json(file: str, phones: Sequence[NamedSpan]) -> str:
    """Return the output of `rhubarb -f json`; `file` is relative to the folder of the JSON file."""
    cues = [
        f'    {{ "start": {cue.start_s:.2f}, "end": {cue.end_s:.2f}, "value": "{cue.name}" }}'
        for cue in mouth_shapes(phones)
    ]
    sound = json.dumps(file, ensure_ascii=False)
    head = (
        f'{{\n  "metadata": {{\n    "soundFile": {sound},\n    "duration": {_hundredths(phones[-1].end_s):.2f}\n  }},'
    )
    return head + '\n  "mouthCues": [\n' + ",\n".join(cues) + "\n  ]\n}\n"


def rhubarb_tsv(phones: Sequence[NamedSpan]) -> str:
    """Return the output of `rhubarb -f tsv`: the start of each shape, and a closed mouth at the end of the file."""
    rows = [f"{cue.start_s:.2f}\t{cue.name}" for cue in mouth_shapes(phones)]
    return "\n".join([*rows, f"{_hundredths(phones[-1].end_s):.2f}\tX"]) + "\n"


def _cues(phones: Sequence[NamedSpan], names: Callable[[NamedSpan], tuple[str, ...]]) -> list[NamedSpan]:
    """Return the mouth shapes of each phone; a breath has the first shape of the next phone."""
    found: list[NamedSpan] = []
    following = names(NamedSpan(SILENT, 0.0, 0.0))[0]
    for phone in reversed(phones):
        own = (following,) if phone.name == BREATH else names(phone)
        found.extend(reversed(_split(phone, own)))
        following = own[0]
    return found[::-1]


def _visemes(phone: NamedSpan) -> tuple[str, ...]:
    return VISEMES_OF.get(phone.name, VISEMES_OF[SILENT])  # noises have no viseme


def _shapes(phone: NamedSpan) -> tuple[str, ...]:
    usual = SHAPES_OF.get(phone.name, SHAPES_OF[SILENT])
    return LONG_SHAPES_OF.get(phone.name, usual) if phone.end_s - phone.start_s >= LONG_S else usual


def _split(phone: NamedSpan, names: tuple[str, ...]) -> list[NamedSpan]:
    if len(names) == 1:
        return [replace(phone, name=names[0])]
    middle_s = phone.start_s + FIRST_PART * (phone.end_s - phone.start_s)
    return [replace(phone, name=names[0], end_s=middle_s), replace(phone, name=names[1], start_s=middle_s)]


def _hundredths(time_s: float) -> float:
    return math.floor(time_s * 100 + 1e-6) / 100
