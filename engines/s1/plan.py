"""A request as S1 speaks it: groups of sentences, the pauses around them, and how long each may last."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from unicodedata import east_asian_width

from engines import text as writing
from engines.s1.model import S1Defaults
from engines.s1.references import S1ReferenceText
from engines.text.script import CHARACTERS_PER_S

SLOWEST_CHARACTERS_PER_S = 4.0
ROOM_S = 2.0  # for a short group
AMPLE = 2.0  # times what is usual, that there must be room for
READ_S = 0.03  # of that room, which a character takes as part of the prompt
SHORTEST_CHARACTERS = 40  # of alphabets, that groups are cut to for want of room
IDEOGRAPH = 3  # characters of an alphabet that one of Chinese, Japanese or Korean writing takes as long as


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
        """About how long it lasts."""
        return max(0.5, _spoken_length(self.text) / CHARACTERS_PER_S)

    @property
    def ample_s(self) -> float:
        """It seldom lasts longer."""
        return ROOM_S + AMPLE * self.usual_s


@dataclass(frozen=True, slots=True)
class S1Plan:
    """Everything that is known of a request before the device is needed."""

    reference: S1ReferenceText
    groups: list[Group]


def groups(script: writing.Script, defaults: S1Defaults, room_s: float) -> list[Group]:
    """The script in speaking order, in groups for which `room_s` is ample.

    Raises UnsupportedText when the checkpoint lacks a script.
    """
    most = max(SHORTEST_CHARACTERS, (room_s - ROOM_S) / (AMPLE / CHARACTERS_PER_S + READ_S))
    found: list[Group] = []
    for part in script.parts:
        if isinstance(part, writing.Pause):
            if not found:
                found.append(Group(text=""))
            found[-1] = replace(found[-1], pause_after_s=found[-1].pause_after_s + part.duration_s)
        else:
            fresh = list(_said(part, defaults, most))
            if fresh and found and found[-1].pause_after_s:
                fresh[0] = replace(fresh[0], pause_before=True)
            found += fresh
    return found if any(group.text for group in found) else []


def _said(part: writing.Say, defaults: S1Defaults, most: float) -> Iterator[Group]:
    sayable = writing.fit(part.spoken, frozenset(defaults.characters)) if defaults.characters else part.spoken
    characters = min(defaults.group_characters, int(most * len(sayable) / max(1, _spoken_length(sayable))))
    for text in writing.chunks(sayable, characters, characters):
        # A checkpoint trained on no line so short hums it; between dashes, which make no sound, it speaks.
        yield Group(text=text if len(text) >= defaults.least_characters else f"- {text} -")


def _spoken_length(text: str) -> int:
    """In characters of an alphabet."""
    return len(text) + (IDEOGRAPH - 1) * sum(east_asian_width(each) in "WF" for each in text)
