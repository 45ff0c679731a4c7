"""Create champions from takes, and set their portraits."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from engines.text import with_spoken_directions, without_directions
from engines.types import Reference
from studio.champion_format.champion import BadChampion, Champion, Votes, proposed_id
from studio.champion_format.members import METADATA, PICTURES, PORTRAITS, TRANSCRIPT, write_members, write_words
from studio.champions.library import Library
from studio.champions.saved import SavedChampion
from studio.disk.database import saving
from studio.history import History, StoredTake
from studio.listening import Listening
from studio.references.session_clips import SessionClips
from studio.references.window import Window, reference_of
from studio.voice_designs import design_name

SHORTEST_DESIGN_S, LONGEST_DESIGN_S = 1.0, 12.0  # of a take that becomes a reference, which all engines must accept
PICTURE_MAX = 8_000_000  # bytes


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class TakeVoice:
    """The voice of a take, and the other fields of the take that a champion records."""

    engine: str
    settings: Mapping[str, float]  # the take's chosen settings and its seed
    line: str
    licence: str  # licence of the engine's weights
    votes: Votes | None  # results of blind trials; None if the take was in none
    language: str = ""  # BCP 47 tag of the take's text; empty for English
    champion: str = ""  # the champion that spoke the take; empty = a clip
    version: str = ""  # version of that champion
    name: str = ""  # the clip's name, as a person would write it
    reference: Reference | None = None  # reference of the clip; None = the champion's


class TakeVoices:
    """Finds the voices of takes and references."""

    def __init__(
        self,
        history: History,
        session_clips: SessionClips,
        listening: Listening,
        licence_of: Callable[[str], str],
        *,
        directions: bool = True,
    ) -> None:
        """Use `licence_of` to find the licence of an engine's weights; it raises UnknownEngine.

        If `directions` is False, stage directions were spoken as words.
        """
        self._history, self._session_clips, self._listening = history, session_clips, listening
        self._licence_of, self._directions = licence_of, directions

    def get(self, session_id: str, take_id: str) -> TakeVoice:
        """Return the voice of a take. Raises UnknownTake, UnknownClip, UnknownEngine; BadChampion if others speak."""
        take = self._history.get(session_id, take_id)
        own = [each.text for each in take.segments if not each.voice]
        if take.segments and not own:
            raise BadChampion("only voices that the text names speak this take; keep a take that its own voice speaks")
        order = take.order
        voice = TakeVoice(
            engine=take.engine,
            settings=_settings(take),
            line=" ".join(own) or order.text,
            language=order.language,
            licence=self._licence_of(take.engine),
            votes=self._votes(session_id, take_id),
            champion=order.champion,
            version=order.version,
        )
        if order.champion:
            return voice
        if order.design:
            return replace(voice, name=design_name(order.design), reference=self._designed(take))
        clip = self._session_clips.get(session_id, order.clip_id)
        reference = reference_of(clip.audio, Window(order.start_s, order.end_s), order.transcript)
        return replace(voice, name=Path(clip.name).stem.replace("_", " ").strip().capitalize(), reference=reference)

    def _designed(self, take: StoredTake) -> Reference:
        """Return the take itself as the reference of its designed voice. Raises BadChampion, UnknownTake."""
        if not SHORTEST_DESIGN_S <= take.duration_s <= LONGEST_DESIGN_S:
            raise BadChampion(
                f"the take lasts {take.duration_s:.1f} s, but a champion needs {SHORTEST_DESIGN_S:.0f} to "
                f"{LONGEST_DESIGN_S:.0f} s; design a voice with a line of this length"
            )
        text = take.order.text if self._directions else with_spoken_directions(take.order.text)
        audio = self._history.audio(take.session_id, take.id)
        return Reference(audio, without_directions(text), take.voice_codes)

    def of(self, reference: Reference, engine: str, name: str) -> TakeVoice:
        """Return the voice of a reference without any take. Raises UnknownEngine."""
        licence = self._licence_of(engine)
        return TakeVoice(
            engine=engine, settings={}, line="", licence=licence, votes=None, name=name, reference=reference
        )

    def _votes(self, session_id: str, take_id: str) -> Votes | None:
        won, tied, lost = self._listening.record(session_id, take_id)
        return Votes(won=won, tied=tied, lost=lost) if won or tied or lost else None


class Creation:
    def __init__(self, library: Library) -> None:
        self._library = library

    def draft(self, voice: TakeVoice) -> Champion:
        """Return an unsaved champion with an unused id and the fields that the voice gives. Raises UnknownChampion."""
        if voice.reference is None:
            known = self._library.get(voice.champion, voice.version).champion
            return replace(known, id=self._free_id(known.id), settings=voice.settings, engine=voice.engine)
        return Champion(
            id=self._free_id(proposed_id(voice.name)),
            name=voice.name,
            transcript=voice.reference.transcript,
            engine=voice.engine,
            settings=voice.settings,
            licence=voice.licence,
            votes=voice.votes,
            line=voice.line,
            language=voice.language,
        )

    def create(self, voice: TakeVoice, champion: Champion, *, expected: str) -> SavedChampion:
        """Save the voice as this champion. Raises UnknownChampion, BadChampion, ChampionConflict, NotSaved."""
        if voice.reference is None:
            codes = self._library.get(voice.champion, voice.version).champion.voice_codes
        else:
            codes = voice.reference.voice_codes
        champion = replace(champion, licence=voice.licence, votes=voice.votes, fine_tuned=False, voice_codes=codes)
        with self._library.staging() as folder, saving():
            if voice.reference is None:
                source = self._library.get(voice.champion, voice.version)
                self._library.stage(source, folder, without=(METADATA, TRANSCRIPT))
                write_words(folder, replace(champion, fine_tuned=source.champion.fine_tuned))
            else:
                write_members(folder, champion, voice.reference.audio)
            return self._library.publish(folder, expected=expected)

    def set_portrait(self, id: str, picture: bytes | None, *, expected: str) -> SavedChampion:
        """Replace the portrait, or remove it if `picture` is None.

        Raises UnknownChampion, BadChampion, ChampionConflict, NotSaved.
        """
        saved = self._library.get(id, expected)
        with self._library.staging() as folder, saving():
            self._library.stage(saved, folder, without=PORTRAITS)
            if picture is not None:
                (folder / _portrait_name(picture)).write_bytes(picture)
            return self._library.publish(folder, expected=expected)

    def _free_id(self, id: str) -> str:
        """Return the id if nobody uses or reserves the id, else the first free id of `id-2`, `id-3` and so on."""
        used = {saved.champion.id for saved in self._library.list()} | self._library.reserved
        numbered = (id if number == 1 else f"{id[:60]}-{number}" for number in range(1, len(used) + 2))
        return next(one for one in numbered if one not in used)


def _settings(take: StoredTake) -> Mapping[str, float]:
    """Return the chosen settings of a take, and its seed."""
    chosen = dict(sorted(take.order.settings.items()))
    return chosen if take.order.seed is None else chosen | {"seed": take.order.seed}


def _portrait_name(picture: bytes) -> str:
    """Return the member's name. Raises BadChampion if the bytes are not a supported picture."""
    name = next((name for name, start in PICTURES.items() if start.match(picture)), "")
    if not name or len(picture) > PICTURE_MAX:
        raise BadChampion("a portrait must be a PNG, JPEG or WebP picture of at most 8 MB; choose another picture")
    return name
