"""Takes to deliver: tones with the rise and fall of speech, silence and a little noise around them."""

import threading
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

from engines.types import Audio
from studio.ears.vocabulary import TimedPhone, TimedWord
from studio.script.delivery import DeliveredLine, DeliveryReport, Preset, deliver

RATE = 24_000
BEFORE_S, AFTER_S = 0.13, 0.21
MADE_AT = datetime(2026, 3, 1, 12, 30, 5, tzinfo=UTC)


def spoken(seed: int, length_s: float = 0.6, level: float = 0.2, rate: int = RATE) -> Audio:
    random = np.random.default_rng(seed)
    at = np.arange(round(length_s * rate)) / rate
    tones = sum(np.sin(2 * np.pi * hz * at + random.random()) / n for n, hz in enumerate((140, 280, 700, 1400), 1))
    voice = tones * (0.6 + 0.4 * np.sin(2 * np.pi * 4 * at))
    edges = np.zeros(round(BEFORE_S * rate)), np.zeros(round(AFTER_S * rate))
    whole = np.concatenate((edges[0], level * voice / np.abs(voice).max(), edges[1]))
    return Audio((whole + 1e-4 * random.standard_normal(len(whole))).astype(np.float32), rate)


def line(id: str = "A2_0141", sound: int = 1, level: float = 0.2, **fields: object) -> DeliveredLine:
    given: dict[str, object] = {
        "character": "Ahri",
        "text": "Hold the gate.",
        "audio": lambda: spoken(sound, level=level),
        "made_at": MADE_AT,
        "words": WORDS,
        **fields,
    }
    return DeliveredLine(id=id, **given)  # type: ignore[arg-type]


def delivered(lines: Sequence[DeliveredLine], folder: Path, preset: Preset | None = None) -> DeliveryReport:
    return deliver(lines, preset or Preset(), folder, lambda progress: None, threading.Event())


def word(text: str, start_s: float, *phones: tuple[str, float]) -> TimedWord:
    """A word whose phones follow each other, each with its length in seconds."""
    timed, at_s = [], start_s
    for phone, length_s in phones:
        timed.append(TimedPhone(phone=phone, start_s=at_s, end_s=at_s + length_s))
        at_s += length_s
    return TimedWord(word=text, start_s=start_s, end_s=at_s, phones=tuple(timed))


WORDS = (
    word("Hold", 0.13, ("HH", 0.04), ("OW", 0.1), ("L", 0.04), ("D", 0.02)),
    word("the", 0.33, ("DH", 0.04), ("AH", 0.05)),
    word("gate", 0.5, ("G", 0.05), ("EY", 0.1), ("T", 0.05)),
)
