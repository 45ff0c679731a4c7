"""Estimate how long a text lasts, also a text with several voices or rates."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from engines.audio import paced_s
from engines.text import Spoken, estimate_s, parse, passages, spoken_form, without_directions
from engines.types import EngineInfo, Reference, Setting
from studio.languages import ENGLISH


@dataclass(frozen=True, slots=True)
class VoicePace:
    """The speaking rate of a voice: of its reference, and of the engine's setting."""

    reference: Spoken | None  # words of its reference and their length; None = the usual pace of the engine
    value: float  # value of the engine's setting of the speaking rate


VoicePaces = Callable[[str], VoicePace | None]  # from the name in a text; None if the voice has the pace of the text


def no_own_pace(voice: str) -> None:
    """Return None: each voice speaks at the pace of the text."""


def pace_of(settings: Iterable[Setting]) -> Setting | None:
    """Return the setting of an engine's speaking rate; None if the engine has none."""
    return next((setting for setting in settings if setting.scales == "pace"), None)


def pace_in(settings: Mapping[str, float], pace: Setting | None) -> float:
    """Return the value of the setting `pace` in the settings of an order; 1 without such a setting."""
    return settings.get(pace.name, pace.default or 1.0) if pace else 1.0


def paced(pace: Setting, value: float, rate: float) -> float:
    """Return the value of the setting `pace` for words that are spoken `rate` times as fast as at `value`."""
    return value if rate == 1 else min(max(value * rate, pace.least), pace.most)


def spoken_reference(reference: Reference) -> Spoken:
    """Return the words of a reference and their length."""
    return Spoken(spoken_form(without_directions(reference.transcript), reference.language), paced_s(reference.audio))


def estimated_s(
    text: str,
    language: str = ENGLISH,
    reference: Spoken | None = None,
    *,
    pace: Setting | None,
    value: float = 1.0,
    info: EngineInfo | None = None,
    voices: VoicePaces = no_own_pace,
) -> float:
    """Estimate how long a text lasts, in seconds. Raises BadText.

    `pace` is the engine's setting of the speaking rate, and `value` its value. Without `pace`, rates in the text have no
    effect. Without `info`, the engine is assumed to keep the pace of the reference. `voices` returns the pace of a voice
    that the text names; None means the pace of `reference`. The silence between two voices is not counted.
    """
    own = {} if info is None else {"pace_kept": info.pace_kept, "own_pace": info.own_pace}
    usual, length_s = VoicePace(reference, value), 0.0
    for passage in passages(text, rates=pace is not None, language=language or ENGLISH):
        voice = (voices(passage.voice) if passage.voice else None) or usual
        rate = paced(pace, voice.value, passage.rate) if pace else voice.value
        length_s += estimate_s(parse(passage.text, language=language), voice.reference, pace=rate, **own)
    return length_s
