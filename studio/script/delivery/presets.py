"""The settings of a delivery, and presets of these settings."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from typing import Any, Literal, get_args

from engines.errors import BadSetting
from studio.languages import tag_of
from studio.script.delivery.identity import SameIdRule
from studio.script.delivery.text import legal

FileFormat = Literal["wav", "mp3", "ogg"]
Loudness = Literal["character", "file", "off"]
OverPeak = Literal["limit", "lower"]
Sidecar = Literal["srt", "timings", "visemes", "rhubarb"]
Handoff = Literal["wwise", "fmod", "unreal", "unity"]

SIDECARS: tuple[Sidecar, ...] = get_args(Sidecar)
HANDOFFS: tuple[Handoff, ...] = get_args(Handoff)
RATES_HZ = (16_000, 22_050, 24_000, 32_000, 44_100, 48_000, 88_200, 96_000)
RATES_OF_MP3_HZ = (16_000, 22_050, 24_000, 32_000, 44_100, 48_000)
BITS = (16, 24)
RANGES = {  # ranges of numbers; both ends are allowed
    "head_ms": (0.0, 10_000.0),
    "tail_ms": (0.0, 10_000.0),
    "fade_in_ms": (0.0, 1_000.0),
    "fade_out_ms": (0.0, 1_000.0),
    "target_lufs": (-40.0, -8.0),
    "ceiling_dbtp": (-20.0, -0.1),
}
TEXTS = ("name", "template", "project", "session", "originator", "usage_rights", "language")
UNITS = {"ms": "ms", "lufs": "LUFS", "dbtp": "dBTP"}
KINDS: Mapping[type, str] = {
    str: "text",
    float: "a number",
    int: "a whole number",
    bool: "true or false",
    tuple: "a list",
}
WORDS = {  # names of the fields in messages
    "name": "the name",
    "format": "the format",
    "sample_rate": "the sample rate",
    "bits": "the bit depth",
    "head_ms": "the silence at start",
    "tail_ms": "the silence at end",
    "fade_in_ms": "the fade in",
    "fade_out_ms": "the fade out",
    "loudness": "the loudness",
    "target_lufs": "the target loudness",
    "ceiling_dbtp": "the peak ceiling",
    "over_peak": "the treatment of high peaks",
    "template": "the template of the file names",
    "sheet_names": "the setting for file names of the sheet",
    "same_ids": "the treatment of duplicate ids",
    "plain_names": "the setting for plain names",
    "metadata": "the setting for metadata",
    "project": "the project",
    "session": "the session",
    "originator": "the originator",
    "usage_rights": "the usage rights",
    "language": "the language",
    "directions": "the setting for stage directions",
    "sidecars": "the sidecar files",
    "handoffs": "the import files",
}
CHOICES: dict[str, tuple[str, ...]] = {
    "format": get_args(FileFormat),
    "loudness": get_args(Loudness),
    "over_peak": get_args(OverPeak),
    "same_ids": get_args(SameIdRule),
}


def _refuse_others(values: tuple[object, ...], allowed: tuple[object, ...], name: str) -> None:
    for value in values:
        if value not in allowed:
            raise BadSetting(f"{value!r} is not valid for {WORDS[name]}; choose one of {', '.join(map(str, allowed))}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Preset:
    """All settings of a delivery. Raises BadSetting for an invalid value."""

    name: str = "game"
    format: FileFormat = "wav"
    sample_rate: int = 48_000  # Hz
    bits: int = 24  # bit depth, for wav
    head_ms: float = 50.0  # silence before the speech
    tail_ms: float = 100.0  # silence after the speech
    fade_in_ms: float = 5.0  # shorter than the silence, so that speech is not faded
    fade_out_ms: float = 5.0
    loudness: Loudness = "character"  # one gain for all lines of a character, one for each file, or none
    target_lufs: float = -23.0
    ceiling_dbtp: float = -1.0
    over_peak: OverPeak = "limit"  # limit peaks over the ceiling, or turn all files of the character down
    template: str = "{character}/{id}_{take:02}"
    sheet_names: bool = True  # use the file names of the sheet, if a column has them
    same_ids: SameIdRule = "ask"  # refuse equal ids, or number all but the first
    plain_names: bool = True  # only letters, digits, _ and -, which all engines accept
    metadata: bool = True  # bext, iXML and cues; wav only
    project: str = ""
    session: str = ""
    originator: str = "Champion Voice Studio"
    usage_rights: str = ""
    language: str = ""  # tag or name, for lines whose cell is empty or unknown; "" = the language of their takes
    directions: bool = False  # True keeps stage directions and pause tags in subtitles, tables and metadata
    sidecars: tuple[Sidecar, ...] = SIDECARS
    handoffs: tuple[Handoff, ...] = HANDOFFS

    def __post_init__(self) -> None:
        for name, (lowest, highest) in RANGES.items():
            if not lowest <= getattr(self, name) <= highest:
                unit = UNITS[name.rpartition("_")[2]]
                raise BadSetting(f"{WORDS[name]} must be between {lowest:g} and {highest:g} {unit}")
        for name in TEXTS:
            if legal(text := getattr(self, name)) != text:
                raise BadSetting(f"{WORDS[name]} cannot have control characters; type {WORDS[name]} again")
        if tag_of(self.language) is None:
            raise BadSetting(
                f'the language {self.language[:40]!r} is unknown; write a tag such as "pt-BR", or a name such as German'
            )
        for name, allowed in CHOICES.items():
            _refuse_others((getattr(self, name),), allowed, name)
        _refuse_others(self.sidecars, SIDECARS, "sidecars")
        _refuse_others(self.handoffs, HANDOFFS, "handoffs")
        _refuse_others((self.bits,), BITS, "bits")
        _refuse_others((self.sample_rate,), RATES_OF_MP3_HZ if self.format == "mp3" else RATES_HZ, "sample_rate")

    @property
    def can_have_word_times(self) -> bool:
        """Return True if the files of this preset can contain times of words."""
        return bool(self.sidecars) or (self.metadata and self.format == "wav")


GAME = Preset()
PRESETS: Mapping[str, Preset] = {
    preset.name: preset
    for preset in (
        GAME,
        *(replace(GAME, name=engine, handoffs=(engine,)) for engine in HANDOFFS),
        replace(GAME, name="plain", sidecars=(), handoffs=()),
        replace(GAME, name="game-44", sample_rate=44_100, bits=16),
        replace(GAME, name="review-mp3", format="mp3", sample_rate=44_100, target_lufs=-18.0, handoffs=()),
        replace(GAME, name="review-ogg", format="ogg", sample_rate=48_000, target_lufs=-18.0, handoffs=()),
    )
}


def preset_of(name: str, choices: Mapping[str, object]) -> Preset:
    """Return the preset with this name, with changed fields; "custom" starts as "game". Raises BadSetting."""
    base = replace(GAME, name="custom") if name == "custom" else PRESETS.get(name)
    if base is None:
        raise BadSetting(f"there is no preset {name!r}; choose one of {', '.join((*PRESETS, 'custom'))}")
    kinds = {field.name: type(getattr(base, field.name)) for field in fields(Preset) if field.name != "name"}
    return replace(base, **{key: _as(kinds.get(key), key, value) for key, value in choices.items()})


def preset_json(preset: Preset) -> dict[str, Any]:
    """Return all fields in the form that `preset_of` accepts."""
    return asdict(preset) | {"sidecars": list(preset.sidecars), "handoffs": list(preset.handoffs)}


def _as(kind: type | None, key: str, value: object) -> Any:
    """Convert a value to the type of a field. Raises BadSetting."""
    if kind is None:
        raise BadSetting(f"a delivery has no setting {key!r}; remove this setting")
    if kind is float and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    if kind is tuple and isinstance(value, list):
        return tuple(value)
    if type(value) is not kind:
        raise BadSetting(f"{WORDS[key]} must be {KINDS[kind]}, not {value!r}; correct {WORDS[key]}")
    return value
