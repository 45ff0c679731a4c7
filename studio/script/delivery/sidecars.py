"""What lies beside a line's file: subtitles, timings, mouth shapes."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from studio.script.delivery.mouths import rhubarb_json, rhubarb_tsv, visemes_json
from studio.script.delivery.presets import Sidecar
from studio.script.delivery.subtitles import srt
from studio.script.delivery.timing import spells, timings_json
from studio.script.script import TimedWord

ENDINGS: Mapping[Sidecar, tuple[str, ...]] = {  # after the name of the line's file without its own
    "srt": (".srt",),
    "timings": (".timings.json",),
    "visemes": (".visemes.json",),
    "rhubarb": (".rhubarb.json", ".rhubarb.tsv"),
}


def sidecar_texts(
    kinds: Sequence[Sidecar], file: str, text: str, words: Sequence[TimedWord], length_s: float
) -> Mapping[str, str]:
    """Ending and content of each; none of mouths where no phones were found. `file` is the name of the line's file."""
    made: dict[str, str] = {}
    phones = spells(words, length_s)
    mouths = any(word.phones for word in words) and bool(phones)
    if "srt" in kinds:
        made[".srt"] = srt(text, words, length_s)
    if "timings" in kinds:
        made[".timings.json"] = _json(timings_json(file, length_s, text, words))
    if "visemes" in kinds and mouths:
        made[".visemes.json"] = _json(visemes_json(file, phones))
    if "rhubarb" in kinds and mouths:
        made |= {".rhubarb.json": rhubarb_json(file, phones), ".rhubarb.tsv": rhubarb_tsv(phones)}
    return made


def _json(told: Mapping[str, Any]) -> str:
    return json.dumps(told, ensure_ascii=False, indent=2) + "\n"
