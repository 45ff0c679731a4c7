"""A take's voice becomes a champion, with everything filled in that the studio knows; and its portrait."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from engines.registry import SETTINGS
from engines.scheduling.manager import Manager
from studio.champions.champion import BadChampion, Champion, Votes, proposed_id
from studio.champions.library import Kept, Library
from studio.champions.members import METADATA, PICTURES, PORTRAITS, TRANSCRIPT, write_members, write_words
from studio.database import saving
from studio.history import History, StoredTake
from studio.listening import Listening
from studio.references.session_clips import Shelf
from studio.references.window import Window, cut

PICTURE_MAX = 8_000_000  # bytes


class Keeping:
    def __init__(
        self, library: Library, history: History, shelf: Shelf, listening: Listening, manager: Manager
    ) -> None:
        self._library = library
        self._history, self._shelf, self._listening, self._manager = history, shelf, listening, manager

    def draft(self, owner: str, take_id: str) -> Champion:
        """A champion of this take with everything filled in that is known, under an id that is free. Raises UnknownTake."""
        take = self._history.get(owner, take_id)
        if take.order.champion:
            known = self._library.get(take.order.champion, take.order.version).champion
            return replace(known, id=self._free(known.id), settings=_settings(take), engine=take.engine)
        clip = self._shelf.get(owner, take.order.clip_id)
        name = Path(clip.name).stem.replace("_", " ").strip().capitalize()
        return Champion(
            id=self._free(proposed_id(name)),
            name=name,
            transcript=take.order.transcript,
            engine=take.engine,
            settings=_settings(take),
            licence=self._manager.status(take.engine).licence,
            votes=self._votes(owner, take_id),
            line=take.order.text,
        )

    def keep(self, owner: str, take_id: str, champion: Champion, *, expected: str = "") -> Kept:
        """Keep the voice a take was made with. Raises UnknownTake, UnknownClip, BadChampion, ChampionConflict, NotSaved."""
        take = self._history.get(owner, take_id)
        facts = replace(
            champion,
            licence=self._manager.status(take.engine).licence,
            votes=self._votes(owner, take_id),
            fine_tuned=False,
        )
        with self._library.staging() as folder, saving():
            if take.order.champion:
                source = self._library.get(take.order.champion, take.order.version)
                self._library.stage(source, folder, without=(METADATA, TRANSCRIPT))
                write_words(folder, replace(facts, fine_tuned=source.champion.fine_tuned))
            else:
                clip = self._shelf.get(owner, take.order.clip_id)
                write_members(folder, facts, cut(clip.audio, Window(take.order.start_s, take.order.end_s)))
            return self._library.publish(folder, expected=expected)

    def draw(self, id: str, picture: bytes | None, *, expected: str) -> Kept:
        """Give a champion a portrait, or none. Raises UnknownChampion, BadChampion, ChampionConflict, NotSaved."""
        kept = self._library.get(id, expected)
        with self._library.staging() as folder, saving():
            self._library.stage(kept, folder, without=PORTRAITS)
            if picture is not None:
                (folder / _picture(picture)).write_bytes(picture)
            return self._library.publish(folder, expected=expected)

    def _votes(self, owner: str, take_id: str) -> Votes | None:
        """How the take did where its owner heard it blind."""
        won, tied, lost = self._listening.record(owner, take_id)
        return Votes(won=won, tied=tied, lost=lost) if won or tied or lost else None

    def _free(self, id: str) -> str:
        """This id, or the first free one that continues it."""
        used = {kept.champion.id for kept in self._library.list()}
        numbered = (id if number == 1 else f"{id[:60]}-{number}" for number in range(1, len(used) + 2))
        return next(one for one in numbered if one not in used)


def _settings(take: StoredTake) -> Mapping[str, float]:
    """What was set for this take, and its seed."""
    chosen = {name: getattr(take.order, name) for name in sorted(SETTINGS)}
    chosen = {name: value for name, value in chosen.items() if value is not None and (name, value) != ("speed", 1.0)}
    return chosen if take.order.seed is None else chosen | {"seed": take.order.seed}


def _picture(picture: bytes) -> str:
    """The member's name. Raises BadChampion for what is no picture."""
    name = next((name for name, start in PICTURES.items() if start.match(picture)), "")
    if not name or len(picture) > PICTURE_MAX:
        raise BadChampion("a portrait is a PNG, JPEG or WebP picture of at most 8 MB; choose another")
    return name
