"""Sidecars of a line's file: subtitles, timings and mouth shapes."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from studio.ears.vocabulary import TimedWord
from studio.script.delivery.lines import DeliveredLine
from studio.script.delivery.mouths import rhubarb_json, rhubarb_tsv, visemes_json
from studio.script.delivery.presets import Sidecar
from studio.script.delivery.subtitles import srt
from studio.script.delivery.timing import spells, timings_json

ENDINGS: Mapping[Sidecar, tuple[str, ...]] = {  # appended to the name of the line's file, whose ending is removed
    "srt": (".srt",),
    "timings": (".timings.json",),
    "visemes": (".visemes.json",),
    "rhubarb": (".rhubarb.json", ".rhubarb.tsv"),
}


def sidecar_texts(
    kinds: Sequence[Sidecar], file: str, line: DeliveredLine, words: Sequence[TimedWord], length_s: float
) -> Mapping[str, str]:
    """Return the ending and the content of each sidecar of the line's `file`; without phones there are no mouth shapes."""
    made: dict[str, str] = {}
    phones = spells(words, length_s)
    has_mouth_shapes = any(word.phones for word in words) and bool(phones)
    if "srt" in kinds:
        made[".srt"] = srt(line.text, words, length_s, line.language)
    if "timings" in kinds:
        made[".timings.json"] = _json(timings_json(file, length_s, line.text, words))
    if "visemes" in kinds and has_mouth_shapes:
        made[".visemes.json"] = _json(visemes_json(file, phones))
    if "rhubarb" in kinds and has_mouth_shapes:
        made |= {".rhubarb.json": rhubarb_json(file, phones), ".rhubarb.tsv": rhubarb_tsv(phones)}
    return made


def _json(content: Mapping[str, Any]) -> str:
    return json.dumps(content, ensure_ascii=False, indent=2) + "\n"
