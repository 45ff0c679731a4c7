"""The order: a request in the form in which it is stored with its take and shown again."""

import math
import reprlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import MISSING, dataclass, field, fields
from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator, PlainSerializer

from engines.errors import BadSetting, BadText, EngineError
from engines.registry import ENGINES, settings
from engines.text import MAX_CHARACTERS, MAX_TRANSCRIPT_CHARACTERS, check_length
from studio.languages import read_tag

SEEDS = 2**31
SETTINGS = "settings"  # the field of an order that is stored flat
SHOWN_MAX = 80  # characters of a wrong value in a message
WHOLE_MAX = 1_000  # bound of a setting; engines set narrower bounds


def _chosen(values: Mapping[str, float]) -> Mapping[str, float]:
    """Return the values of known settings that differ from their defaults, by name."""
    known = settings()
    chosen = {name: value for name, value in values.items() if name in known and value != known[name].default}
    return {name: int(value) if known[name].whole else float(value) for name, value in chosen.items()}


ChosenSettings = Annotated[Mapping[str, float], AfterValidator(_chosen)]  # by name; only the chosen ones


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """A request in the form in which it is stored with its take. The page restores its fields from an order."""

    text: str
    clip_id: str
    start_s: float  # start of the window of the clip that is the reference
    end_s: float
    transcript: str  # the words spoken in exactly that window
    engine: str = next(iter(ENGINES))
    seed: int | None = None  # None draws a seed, and the take records it
    settings: ChosenSettings = field(default_factory=dict)
    champion: str = ""  # the id of the champion that provides the reference; then there is no clip
    version: str = ""  # version of the champion; empty = the current one, and the take records it
    attachment: str = ""  # id of fine-tuned weights that are not saved with the champion yet
    performance: str = ""  # id of a recording that the voice speaks; `text` is then what the recording says, if known
    design: str = (
        ""  # the description of a voice that the engine designs, in place of a clip; see `studio.voice_designs`
    )
    language: str = ""  # BCP 47 tag of the text; "" = detect in a request, English in a take


def read_order(values: Mapping[str, object]) -> Order:
    """Read an order from a client's values, in the form that `flat` returns. A value that is None or absent gets its default.

    Raises BadText or BadSetting for a value of a wrong type; the message names the value.
    """
    read: dict[str, Any] = {}
    for part in fields(Order):
        if part.name == SETTINGS:
            read[part.name] = _chosen(dict(_read_settings(values)))
            continue
        read_value, blank = KINDS[part.type]
        value = values.get(part.name)
        default = blank if part.default is MISSING else part.default
        read[part.name] = default if value is None else read_value(part.name, value)
    return Order(**read)


def flat(order: Order) -> dict[str, Any]:
    """Return the order as it is stored and sent: its fields and all known settings. A setting that was not chosen is None."""
    values: dict[str, Any] = {}
    for part in fields(Order):
        if part.name == SETTINGS:
            values |= {name: order.settings.get(name, setting.default) for name, setting in settings().items()}
        else:
            values[part.name] = getattr(order, part.name)
    return values


def _nested(stored: object) -> object:
    """Return the output of `flat` as the fields of an order."""
    if not isinstance(stored, Mapping):
        return stored
    chosen = {name: stored[name] for name in settings() if stored.get(name) is not None}
    return {**stored, SETTINGS: chosen}


FlatOrder = Annotated[Order, BeforeValidator(_nested), PlainSerializer(flat)]


def _read_settings(values: Mapping[str, object]) -> Iterator[tuple[str, float]]:
    for name, setting in settings().items():
        if (value := values.get(name)) is not None:
            bounds = min(1, int(setting.least)), max(WHOLE_MAX, int(setting.most))
            yield name, _whole(name, value, *bounds) if setting.whole else _number(name, value)


def _text(name: str, value: object) -> str:
    if not isinstance(value, str):
        raise _wrong(name, "text", value, BadText)
    check_length(name, value, MAX_TRANSCRIPT_CHARACTERS if name == "transcript" else MAX_CHARACTERS)
    try:
        value.encode()
    except UnicodeEncodeError as error:
        raise BadText(f'"{name}" contains half a character (a lone surrogate); type "{name}" again') from error
    return read_tag(value) if name == "language" else value


def _number(name: str, value: object) -> float:
    try:
        number = float(value) if isinstance(value, int | float) and not isinstance(value, bool) else math.nan
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise _wrong(name, "a number", value)
    return number


def _seed(name: str, value: object) -> int:
    return _whole(name, value, 0, SEEDS - 1)


def _whole(name: str, value: object, low: int, high: int) -> int:
    whole = value if isinstance(value, int) and not isinstance(value, bool) else None
    # The JSON encoders of some languages write all numbers as floats.
    if isinstance(value, float) and value.is_integer():
        whole = int(value)
    if whole is None or not low <= whole <= high:
        raise _wrong(name, f"a whole number from {low} to {high}", value)
    return whole


def _wrong(name: str, wanted: str, value: object, error: type[EngineError] = BadSetting) -> EngineError:
    return error(f'"{name}" must be {wanted}, not {shown(value)}; correct or remove "{name}"')


def shown(value: object) -> str:
    """Return a client's value, shortened for a message."""
    text = reprlib.repr(value)
    return text if len(text) <= SHOWN_MAX else text[: SHOWN_MAX - 1] + "…"


# The reader of each field type, and the value if a field is absent and has no default.
KINDS: Mapping[object, tuple[Callable[[str, object], object], object]] = {
    str: (_text, ""),
    float: (_number, 0.0),
    int | None: (_seed, None),
}
