"""What the designer asked for, in words that can be stored and shown again."""

import math
import reprlib
from collections.abc import Callable, Mapping
from dataclasses import MISSING, dataclass, fields
from typing import Any

from engines.errors import BadSetting, BadText, EngineError
from engines.text import MAX_CHARACTERS

SEEDS = 2**31
SHOWN_MAX = 80  # characters of a wrong value in a sentence
WHOLE = {"seed": (0, SEEDS - 1), "steps": (1, 1_000)}  # engines set narrower bounds


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """One request as the page made it. It is stored with its take and restores the page."""

    text: str
    clip_id: str
    start_s: float  # the reference is this window of the clip ...
    end_s: float
    transcript: str  # ... and what is said in exactly that window
    engine: str = "f5"
    seed: int | None = None  # None draws one; the take records which
    speed: float = 1.0
    steps: int | None = None
    guidance: float | None = None
    temperature: float | None = None
    top_p: float | None = None
    repetition_penalty: float | None = None
    champion: str = ""  # its id; then it brings the reference, and there is no clip
    version: str = ""  # of the champion; empty = the current one, and the take records which that was
    attachment: str = ""  # weights on trial, heard before they are kept with the champion


def read_order(values: Mapping[str, object]) -> Order:
    """An order from whatever a client sent. What is None or absent is left to the studio, or empty.

    Raises BadText and BadSetting for a value of a wrong kind, naming it.
    """
    read: dict[str, Any] = {}
    for field in fields(Order):
        read_value, blank = KINDS[field.type]
        value = values.get(field.name)
        default = blank if field.default is MISSING else field.default
        read[field.name] = default if value is None else read_value(field.name, value)
    return Order(**read)


def _text(name: str, value: object) -> str:
    if not isinstance(value, str):
        raise _wrong(name, "text", value, BadText)
    if len(value) > MAX_CHARACTERS:
        raise BadText(f"{name} has {len(value):,} characters; at most {MAX_CHARACTERS:,} fit in one take, split it")
    try:
        value.encode()
    except UnicodeEncodeError as error:
        raise BadText(f"{name} holds half a character (a lone surrogate); type it again") from error
    return value


def _number(name: str, value: object) -> float:
    try:
        number = float(value) if isinstance(value, int | float) and not isinstance(value, bool) else math.nan
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise _wrong(name, "a number", value)
    return number


def _whole(name: str, value: object) -> int:
    low, high = WHOLE[name]
    whole = value if isinstance(value, int) and not isinstance(value, bool) else None
    if isinstance(value, float) and value.is_integer():  # JSON of some languages knows no other numbers
        whole = int(value)
    if whole is None or not low <= whole <= high:
        raise _wrong(name, f"a whole number from {low} to {high}", value)
    return whole


def _wrong(name: str, wanted: str, value: object, error: type[EngineError] = BadSetting) -> EngineError:
    return error(f"{name} must be {wanted}, not {shown(value)}; correct it, or leave it out")


def shown(value: object) -> str:
    """Whatever a client sent, short enough for a sentence."""
    text = reprlib.repr(value)
    return text if len(text) <= SHOWN_MAX else text[: SHOWN_MAX - 1] + "…"


# How a field of each type is read, and what it is when it is neither given nor has a default.
KINDS: Mapping[object, tuple[Callable[[str, object], object], object]] = {
    str: (_text, ""),
    float: (_number, 0.0),
    float | None: (_number, None),
    int | None: (_whole, None),
}
