"""Voices that can be named by whoever has no page: champions by their ids, samples by their names."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from engines.errors import BadSetting
from engines.scheduling.manager import Manager
from studio.champions.champion import Champion, UnknownChampion, champion_settings
from studio.champions.champions import Champions
from studio.order import Order, read_order, shown
from studio.references.session_clips import SessionClips, ShippedClip


@dataclass(frozen=True, slots=True)
class NamedVoice:
    """A voice that a program or a script may name."""

    id: str
    name: str
    kind: Literal["champion", "sample"]
    model: str  # the engine it was kept with; "" where any will do


class NamedVoices:
    """Any thread may call it."""

    def __init__(
        self, manager: Manager, champions: Champions, session_clips: SessionClips, engines: Sequence[str]
    ) -> None:
        """`engines` of this studio; the first speaks where nothing else was chosen."""
        self._manager, self._champions, self._session_clips = manager, champions, session_clips
        self._engines = engines

    def list(self) -> Sequence[NamedVoice]:
        """Champions, then samples whose name no champion has."""
        champions = [voice_of(saved.champion) for saved in self._champions.list()]
        taken = {each.id for each in champions}
        samples = [each.name for each in self._session_clips.samples() if each.name not in taken]
        return [*champions, *(NamedVoice(name, name.title(), "sample", "") for name in samples)]

    def order(self, text: str, voice: str, engine: str, settings: Mapping[str, object]) -> Order:
        """A line as its champion was kept to speak, but for what is asked for otherwise. Raises EngineError.

        `voice` is a champion's id or a sample's name; `engine` may be "": the champion's own, or the studio's first where
        that does not run here.
        """
        if not voice:
            raise BadSetting("no voice is named; choose one that GET /v1/voices lists")
        asked = {**asked_for(settings), "text": text}
        try:
            saved = self._champions.get(voice)
        except UnknownChampion:
            sample = next((one for one in self._session_clips.samples() if one.name == voice), None)
            if sample is None:
                raise
            return self._sample_order(asked, sample, engine)
        champion, here = saved.champion, {status.name for status in self._manager.statuses()}
        own = champion.engine if champion.engine in here else self._engines[0]
        chosen = self._manager.status(engine or own)
        heeded = {"seed", *chosen.settings} if chosen.name == champion.engine else set()
        liked = {name: value for name, value in champion.settings.items() if name in heeded}
        return read_order({**liked, **asked, "champion": voice, "version": saved.version, "engine": chosen.name})

    def _sample_order(self, asked: Mapping[str, object], sample: ShippedClip, engine: str) -> Order:
        chosen = self._manager.status(engine or self._engines[0])
        length_s = self._session_clips.get("", sample.clip_id).audio.duration_s
        clip = {"clip_id": sample.clip_id, "end_s": length_s, "transcript": sample.transcript}
        return read_order({**asked, **clip, "engine": chosen.name})


def voice_of(champion: Champion) -> NamedVoice:
    return NamedVoice(champion.id, champion.title, "champion", champion.engine)


def asked_for(settings: Mapping[str, object]) -> dict[str, object]:
    """Settings of the take. A name that nobody knows is refused, not ignored: a misspelt one would be another take."""
    known = champion_settings()
    for name in settings.keys() - known:
        choice = ", ".join(sorted(known))
        raise BadSetting(f"there is no {shown(name)} here; leave it out, or choose among {choice}")
    return {name: value for name, value in settings.items() if value is not None}
