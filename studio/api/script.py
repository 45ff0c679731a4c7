"""Preview of a text: how it will be read and how long it takes, before anything is generated."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from functools import cache
from typing import Any

from fastapi import APIRouter
from pydantic import BaseModel, ConfigDict

from engines.errors import BadSetting, BadText, EngineError
from engines.text import (
    MAX_CHARACTERS,
    Direction,
    Pause,
    Say,
    Script,
    Spoken,
    check_length,
    fit,
    parse,
    unsaid,
    unsupported,
    with_spoken_directions,
)
from engines.types import EngineStatus, Setting
from studio.api.errors import ProblemRoute, SessionId
from studio.api.texts import Name, Transcript
from studio.errors import NotFound
from studio.estimates import VoicePaces, estimated_s, pace_of, spoken_reference
from studio.languages import name_of, read_tag, warning
from studio.order import Order, read_order
from studio.studio import Studio

ANY_CHARACTER: frozenset[str] = frozenset()


class ScriptForm(BaseModel):
    """A text and, if chosen, its voice and settings; named as in an order."""

    model_config = ConfigDict(extra="allow")

    text: str  # the answer refuses a text that is too long
    engine: Name = ""  # empty = the first engine of the studio
    clip_id: Name = ""
    start_s: float = 0.0
    end_s: float = 0.0
    transcript: Transcript = ""
    champion: Name = ""
    version: Name = ""
    language: Name = ""


def router(studio: Studio) -> APIRouter:
    routes = APIRouter(prefix="/studio", tags=["script"], route_class=ProblemRoute)

    @routes.get("/voices")
    def voices() -> list[dict[str, str]]:
        """List the voices that a line may name: champions, then samples whose name no champion has."""
        return [asdict(voice) for voice in studio.named_voices.list()]

    @routes.post("/script")
    def script(form: ScriptForm, session_id: SessionId) -> dict[str, Any]:
        """Preview a text. A text that cannot be spoken is not a failure: the page shows its `error` during typing."""
        engine = studio.manager.status(form.engine or studio.settings.engines[0])
        info, pace = engine.info, _pace(form.model_extra or {}, engine.settings)
        vocabulary = info.vocabulary if info else ANY_CHARACTER
        characters = len(form.text)
        text = form.text if studio.settings.stage_directions else with_spoken_directions(form.text)
        markers = info.markers if info else ()
        try:
            check_length("the text", form.text, MAX_CHARACTERS)
            language = read_tag(form.language) or _detected(studio, _order(form, engine.name), text)
            read = parse(text, markers=markers, language=language)
            heard = _spoken(studio, form, engine.name, session_id)
            length_s = estimated_s(
                text,
                language,
                heard,
                pace=pace_of(engine.settings.values()),
                value=pace,
                info=info,
                voices=_voice_paces(studio, form, engine, session_id),
            )
        except BadText as error:
            nothing: dict[str, Any] = dict.fromkeys(("spoken", "unsaid", "unsupported", "directions", "voices"), ())
            nothing |= {"language": "", "warning": ""}
            return nothing | {"characters": characters, "estimate_s": 0.0, "error": str(error)}
        tags, foreign = studio.speaking.passages, warning(engine.title, engine.languages, language)
        return {
            "spoken": [spoken_json(part) for part in read.parts],
            "unsaid": list(unsaid(read, vocabulary)),  # characters that will not be heard
            "unsupported": list(unsupported(read, vocabulary)),  # letters for which the text is refused
            "directions": [
                direction_json(direction, markers, tags.performs(direction.written, engine.name))
                for direction in read.directions
            ],
            "voices": tags.voices(text),
            "language": name_of(language),
            "warning": "; ".join(filter(None, [foreign, *tags.warnings(text, engine.name, language)])),
            "characters": characters,
            "estimate_s": round(length_s, 2),
            "error": unspeakable(read, vocabulary),
        }

    return routes


def _spoken(studio: Studio, form: ScriptForm, engine: str, session_id: str) -> Spoken | None:
    """Return the reference's text and pace for the estimate; None if no voice is chosen or the voice is unusable."""
    try:
        reference = studio.speaking.reference(_order(form, engine), session_id)
    except EngineError:
        return None  # speaking reports the error
    return spoken_reference(reference)


def _voice_paces(studio: Studio, form: ScriptForm, engine: EngineStatus, session_id: str) -> VoicePaces:
    """Return a function from the name of a voice in the text to the pace of the voice."""
    order = replace(_order(form, engine.name), settings=_settings(form.model_extra or {}, engine.settings))
    return cache(lambda voice: studio.speaking.voice_pace(order, voice, session_id))


def _order(form: ScriptForm, engine: str) -> Order:
    return Order(**form.model_dump(include=ScriptForm.model_fields.keys() - {"engine", "language"}), engine=engine)


def _detected(studio: Studio, order: Order, text: str) -> str:
    try:
        return studio.named_voices.detect(order, text)
    except NotFound:  # the champion is gone; speaking reports the error
        return studio.named_voices.detect(replace(order, champion=""), text)


def _pace(given: Mapping[str, object], known: Mapping[str, Setting]) -> float:
    """Return the factor by which the engine's settings speed up speech. Raises BadSetting."""
    pace = 1.0
    chosen = _settings(given, known)
    for name, setting in known.items():
        value = chosen.get(name, setting.default)
        if setting.scales != "pace" or value is None:
            continue
        if value <= 0:
            raise BadSetting(f"{setting.words} must be above 0, not {value:g}; correct it, or leave it out")
        pace *= value
    return pace


def _settings(given: Mapping[str, object], known: Mapping[str, Setting]) -> Mapping[str, float]:
    """Return the values in `given` of the settings that the engine has (`known`). Raises BadSetting."""
    return read_order({name: given.get(name) for name in known}).settings


def unspeakable(script: Script, vocabulary: frozenset[str]) -> str | None:
    """Return why a checkpoint with this vocabulary (empty = any) cannot speak the script; None if it can."""
    try:
        for part in script.parts:
            if isinstance(part, Say):
                fit(part.spoken, vocabulary)
    except BadText as error:
        return str(error)
    return None


def spoken_json(part: Say | Pause) -> dict[str, Any]:
    if isinstance(part, Say):
        return {"kind": "say", "typed": part.typed, "spoken": part.spoken}
    return {"kind": "pause", "duration_s": part.duration_s}


def direction_json(direction: Direction, markers: Sequence[str], performed: bool) -> dict[str, Any]:
    """Return a stage direction with its pause and its marker. `performed` is True for a voice or rate tag with an effect."""
    pause_s, marker = direction.pause_s or None, direction.marker(markers) or None
    performed = performed or bool(pause_s or marker)
    return {"written": direction.written, "pause_s": pause_s, "marker": marker, "performed": performed}
