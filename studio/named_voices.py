"""Find voices and engines by name for programs and scripts: champion ids, sample names, and aliases for both."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from engines.errors import BadSetting, UnknownEngine
from engines.scheduling.manager import Manager
from engines.text import without_directions
from engines.types import EngineStatus
from studio.champion_format.champion import Champion, UnknownChampion, champion_settings
from studio.champions.champions import Champions
from studio.champions.saved import SavedChampion
from studio.languages import detect, primary
from studio.order import Order, read_order, shown
from studio.references.session_clips import SessionClips, ShippedClip

NAME_SHOWN = 64  # characters of an unknown voice's name in a message


@dataclass(frozen=True, slots=True)
class NamedVoice:
    """A voice that a program or a script can name."""

    id: str
    name: str
    kind: Literal["champion", "sample"]
    model: str  # the engine of the champion; "" if any engine can speak


class NamedVoices:
    """The voices and engines that programs can name. Thread-safe."""

    def __init__(
        self,
        manager: Manager,
        champions: Champions,
        session_clips: SessionClips,
        engines: Sequence[str],
        aliases: Mapping[str, str],
    ) -> None:
        """Use this studio's `engines`, the default first, and `aliases`, which are further names of voices and engines."""
        self._manager, self._champions, self._session_clips = manager, champions, session_clips
        self._engines, self._aliases = engines, aliases

    def list(self) -> Sequence[NamedVoice]:
        """Return the champions, then the samples whose names no champion has."""
        champions = [voice_of(saved.champion) for saved in self._champions.list()]
        taken = {each.id for each in champions}
        samples = [each.name for each in self._session_clips.samples() if each.name not in taken]
        return [*champions, *(NamedVoice(name, name.title(), "sample", "") for name in samples)]

    @property
    def languages(self) -> frozenset[str]:
        """Return the languages, without regions, that at least one engine speaks."""
        return frozenset(primary(tag) for status in self._manager.statuses() for tag in status.languages)

    def detect(self, order: Order, text: str) -> str:
        """Return the probable language of a text that the voice of an order speaks. Raises UnknownEngine, UnknownChampion."""
        usual = self._champions.get(order.champion, order.version).champion.language if order.champion else ""
        return detect(without_directions(text), self._manager.status(order.engine).languages, usual)

    def engine(self, name: str) -> EngineStatus:
        """Return the engine of this name or alias; "" is the studio's first. Raises UnknownEngine."""
        known = {status.name: status for status in self._manager.statuses()}
        found = known.get(name or self._engines[0]) or known.get(self._aliases.get(name, ""))
        if found is None:
            choice = f"choose one of {', '.join(known)}, or add an alias to STUDIO_ALIASES"
            raise UnknownEngine(f"unknown engine {shown(name)}; {choice}")
        return found

    def order(self, text: str, voice: str, engine: str, settings: Mapping[str, object]) -> Order:
        """Return an order with the champion's settings; `settings` replaces them. Raises EngineError.

        `voice` is a champion's id, a sample's name or an alias. If `engine` is "", the champion's engine speaks, or the
        studio's first where that engine does not run.
        """
        if not voice:
            raise BadSetting("the voice is missing; choose a voice from GET /v1/voices")
        asked = {**asked_for(settings), "text": text}
        found = self._found(voice)
        if isinstance(found, ShippedClip):
            return self._sample_order(asked, found, engine)
        champion, here = found.champion, {status.name for status in self._manager.statuses()}
        chosen = self.engine(engine or (champion.engine if champion.engine in here else ""))
        heeded = {"seed", *chosen.settings} if chosen.name == champion.engine else set()
        liked = {name: value for name, value in champion.settings.items() if name in heeded}
        cast = {"champion": champion.id, "version": found.version, "engine": chosen.name}
        return read_order({**liked, **asked, **cast})

    def clip_order(self, clip: Mapping[str, object], engine: str, settings: Mapping[str, object]) -> Order:
        """Return an order without a text; `clip` has `clip_id`, `start_s`, `end_s` and `transcript`. Raises EngineError."""
        return read_order({**asked_for(settings), **clip, "engine": self.engine(engine).name})

    def has_clip(self, clip_id: str, session_id: str) -> bool:
        return clip_id in self._session_clips.mine(session_id)

    def share_clip(self, clip_id: str, session_id: str, others: Sequence[str]) -> None:
        """Give a session's clip to other sessions too. Raises UnknownClip, NoRoom."""
        self._session_clips.share(clip_id, session_id, others)

    def _found(self, voice: str) -> SavedChampion | ShippedClip:
        """Return the voice of this name or alias; a voice's own name comes first. Raises UnknownChampion."""
        samples = {one.name: one for one in self._session_clips.samples()}
        for name in (voice, self._aliases.get(voice, "")):
            try:
                return self._champions.get(name)
            except UnknownChampion:
                if name in samples:
                    return samples[name]
        raise UnknownChampion(
            f"champion {voice[:NAME_SHOWN]} not found; choose a voice from GET /v1/voices, or add an alias "
            "to STUDIO_ALIASES"
        )

    def _sample_order(self, asked: Mapping[str, object], sample: ShippedClip, engine: str) -> Order:
        chosen = self.engine(engine)
        clip = {"clip_id": sample.clip_id, "end_s": sample.length_s, "transcript": sample.transcript}
        return read_order({**asked, **clip, "engine": chosen.name})


def voice_of(champion: Champion) -> NamedVoice:
    return NamedVoice(champion.id, champion.title, "champion", champion.engine)


def asked_for(settings: Mapping[str, object]) -> dict[str, object]:
    """Return the settings that are not null. Raises BadSetting for an unknown name, which may be a misspelt one."""
    known = champion_settings()
    for name in settings.keys() - known:
        choice = ", ".join(sorted(known))
        raise BadSetting(f"unknown setting {shown(name)}; remove it, or choose one of {choice}")
    return {name: value for name, value in settings.items() if value is not None}
