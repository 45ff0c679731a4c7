"""Pairs of a prompt (a reference and its transcript) and a line; public serving tables use 26 pairs."""

import base64
import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import count
from pathlib import Path

import soundfile

VOICES = Path(__file__).parents[2] / "assets" / "voices"
FOLDERS = ("references", "heldout", "strangers")
QUIETER = 0.99  # factor on the level of a reference that is sent again
LINES = (
    "The bridge is out, so take the long way round and tell the others.",
    "Nobody has opened that door since the winter my grandfather disappeared.",
    "We hold the gate until sunrise, and not one minute longer than that.",
    "If you can hear this message, the northern relay is still standing.",
    "Three coins for the map, and another five if you want it to be true.",
    "Every lantern on the harbour wall went dark at the very same moment.",
    "You fought well today, but the mountain does not care how well you fight.",
    "Bring me the silver key, the old ledger, and whatever the cook is hiding.",
    "The council has voted, and by noon tomorrow the river will be closed.",
    "I counted eleven riders on the ridge, and only nine of them came down.",
    "Keep your voice low, because the walls in this house remember everything.",
    "Your shield is cracked, your horse is tired, and the night is very long.",
    "There is a train at midnight that does not appear on any timetable.",
    "She said the garden would bloom again once the last soldier had gone home.",
    "Put the engine in reverse and pray that the cable is stronger than it looks.",
    "My sister built this tower with her own hands, stone by stubborn stone.",
    "The storm will reach us within the hour, so lash down everything that moves.",
    "Forget the crown and the speeches; what these people need is clean water.",
    "A single arrow settled the argument that two kings could not settle in years.",
    "They are selling tickets to the end of the world, and the front row is full.",
    "Turn left at the broken statue, and do not answer if it asks your name.",
    "The doctor left a note, a warm cup of tea, and an open window behind.",
    "Somewhere beneath this market there is a library that nobody has burned.",
    "We were promised a short war and a warm welcome, and we received neither.",
    "Listen to the ice, for it always complains before it finally gives way.",
    "When the bells ring twice, drop the curtain and run for the western stairs.",
)


@dataclass(frozen=True, slots=True)
class Pair:
    """A line and its voice. The voice is an audio file in base64 with its transcript, or the name of a voice of the studio."""

    line: str
    prompt: str = ""
    transcript: str = ""
    voice: str = ""


def line(number: int) -> str:
    """Return one of the 26 lines, or a combination of their thirds: 17,576 different lines."""
    first = number % len(LINES)
    middle = (number // len(LINES) + first) % len(LINES)
    last = (number // len(LINES) ** 2 + middle) % len(LINES)
    return " ".join(word for third, of in enumerate((first, middle, last)) for word in _third(LINES[of].split(), third))


def _third(words: Sequence[str], third: int) -> Sequence[str]:
    return words[third * len(words) // 3 : (third + 1) * len(words) // 3]


def prompted() -> Iterator[Pair]:
    """Yield an endless sequence of lines, each with one of the shipped and held-out references.

    A reference that is sent again is quieter, so that neither the studio nor an engine has a result for its samples.
    """
    paths = [
        path for folder in FOLDERS for path in sorted((VOICES / folder).glob("*.*")) if path.suffix in (".wav", ".flac")
    ]
    for number in count():
        path = paths[number % len(paths)]
        clip = base64.b64encode(_clip(path, QUIETER ** (number // len(paths)))).decode()
        yield Pair(line(number), clip, path.with_suffix(".txt").read_text("utf-8"))


def _clip(path: Path, level: float) -> bytes:
    """Return a WAV file of a clip with its level multiplied."""
    samples, rate = soundfile.read(path, dtype="float32")
    content = io.BytesIO()
    soundfile.write(content, samples * level, rate, "PCM_16", format="WAV")
    return content.getvalue()


def named(voices: Sequence[str]) -> Iterator[Pair]:
    """Yield an endless sequence of lines, each with one of the studio's voices."""
    return (Pair(line(number), voice=voices[number % len(voices)]) for number in count())
