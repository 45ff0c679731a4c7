"""A request as S1 speaks it: groups of sentences, the pauses around them, and how long each may last."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from engines import text as writing
from engines.s1.model import S1Defaults
from engines.text.script import CHARACTERS_PER_S

SLOWEST_CHARACTERS_PER_S = 4.0
ROOM_S = 2.0  # for a short group
AMPLE = 2.0  # times what is usual, that there must be room for
SHORTEST_CHARACTERS = 40  # that groups are cut to for want of room


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """Sentences spoken in one go. Without text it is silence alone."""

    text: str
    pause_before: bool = False  # an exact pause precedes it: its sound begins at once
    pause_after_s: float = 0.0  # exact silence behind it

    @property
    def longest_s(self) -> float:
        """A group that lasts longer has no end in sight and is stopped."""
        return ROOM_S + len(self.text) / SLOWEST_CHARACTERS_PER_S

    @property
    def usual_s(self) -> float:
        """About how long it lasts, for the progress shown."""
        return max(0.5, len(self.text) / CHARACTERS_PER_S)

    @property
    def ample_s(self) -> float:
        """It seldom lasts longer."""
        return ROOM_S + AMPLE * self.usual_s


def groups(script: writing.Script, defaults: S1Defaults, room_s: float) -> list[Group]:
    """The script in speaking order, in groups for which `room_s` is ample.

    Raises UnsupportedText when the checkpoint lacks a script.
    """
    characters = max(SHORTEST_CHARACTERS, int((room_s - ROOM_S) / AMPLE * CHARACTERS_PER_S))
    fitting = replace(defaults, group_characters=min(defaults.group_characters, characters))
    found: list[Group] = []
    for part in script.parts:
        if isinstance(part, writing.Pause):
            if not found:
                found.append(Group(text=""))
            found[-1] = replace(found[-1], pause_after_s=found[-1].pause_after_s + part.duration_s)
        else:
            fresh = list(_said(part, fitting))
            if fresh and found and found[-1].pause_after_s:
                fresh[0] = replace(fresh[0], pause_before=True)
            found += fresh
    return found if any(group.text for group in found) else []


def _said(part: writing.Say, defaults: S1Defaults) -> Iterator[Group]:
    sayable = writing.fit(part.spoken, frozenset(defaults.characters)) if defaults.characters else part.spoken
    for text in writing.chunks(sayable, defaults.group_characters, defaults.group_characters):
        # A checkpoint trained on no line so short hums it; between dashes, which make no sound, it speaks.
        yield Group(text=text if len(text) >= defaults.least_characters else f"- {text} -")
