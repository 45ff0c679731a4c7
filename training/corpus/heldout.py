"""Data that training must never see: evaluation lines, digit strings, closed-set sentences, and reference speakers."""

import functools
import json
from pathlib import Path
from typing import Any

from training.corpus.spelling import spell_digits, words

PATH = Path(__file__).with_name("heldout.json")


@functools.cache
def heldout() -> dict[str, Any]:
    """Return the held-out data by name.

    `open` and `closed` are lines, `digits` strings of six digits, `speakers` and `shipped` settings with name and line,
    `strangers` voices of synthesizers that training never hears, and `humans` clips of the f5-tts package.
    """
    content: dict[str, Any] = json.loads(PATH.read_text(encoding="utf-8"))
    return content


@functools.cache
def _lines() -> frozenset[str]:
    content = heldout()
    lines = content["open"] + content["closed"] + [spell_digits(digits) for digits in content["digits"]]
    lines += [speaker["line"] for kind in ("speakers", "shipped", "strangers", "humans") for speaker in content[kind]]
    return frozenset(_key(line) for line in lines)


def _key(line: str) -> str:
    return " ".join(words(line))


def is_held_out(line: str) -> bool:
    """Return True if the line is a line of the evaluation; case and punctuation are ignored."""
    return _key(line) in _lines()


def is_held_out_voice(voice: str, ratio: float, pitch_hz: float) -> bool:
    """Return True if formant ratio and mean pitch are near those of a held-out speaker who has this voice."""
    content = heldout()
    return any(
        voice == other["voice"]
        and abs(ratio / other["ratio"] - 1) < 0.03
        and abs(pitch_hz / other["pitch_hz"] - 1) < 0.06
        for other in content["speakers"] + content["shipped"]
    )
