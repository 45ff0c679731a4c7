"""Plan a request: groups of sentences, the pauses around them, and their longest durations."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from unicodedata import east_asian_width

from engines import text as writing
from engines.codec_lm.decode_state import Sampling
from engines.codec_lm.parts import SpeechDefaults
from engines.codec_lm.prompts import PromptFormat
from engines.codec_lm.references import CheckedReference
from engines.text.script import CHARACTERS_PER_S

SLOWEST_CHARACTERS_PER_S = 4.0
ROOM_S = 2.0  # added to the longest duration of a group
AMPLE = 2.0  # a group gets room for this many times its usual duration
READ_S = 0.03  # room that a character takes as part of the prompt
SHORTEST_CHARACTERS = 40  # smallest group to which a lack of room may cut
IDEOGRAPH = 3  # alphabetic characters that one Chinese, Japanese or Korean character counts as


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """Sentences that are generated at once. Without text, it is only silence."""

    text: str
    pause_before: bool = False  # an exact pause precedes it, so its audio starts at once
    pause_after_s: float = 0.0  # exact silence after it

    @property
    def longest_s(self) -> float:
        """Return the duration at which the group is cut, because its end is no longer expected."""
        return ROOM_S + len(self.text) / SLOWEST_CHARACTERS_PER_S

    @property
    def usual_s(self) -> float:
        """Estimate the usual duration."""
        return max(0.5, _spoken_length(self.text) / CHARACTERS_PER_S)

    @property
    def ample_s(self) -> float:
        """Return the duration that the group rarely exceeds."""
        return ROOM_S + AMPLE * self.usual_s


@dataclass(frozen=True, slots=True)
class CodecLmPlan:
    """Everything about a request that is known without a device."""

    reference: CheckedReference | None  # None if the voice is designed
    prompt: PromptFormat
    groups: list[Group]
    sampling: Sampling


def groups(script: writing.Script, defaults: SpeechDefaults, room_s: float) -> list[Group]:
    """Cut the script into groups in speaking order, each short enough for `room_s`.

    Raises UnsupportedText if the checkpoint lacks a script.
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


def _said(part: writing.Say, defaults: SpeechDefaults, most: float) -> Iterator[Group]:
    sayable = writing.fit(part.spoken, frozenset(defaults.characters)) if defaults.characters else part.spoken
    characters = min(defaults.group_characters, int(most * len(sayable) / max(1, _spoken_length(sayable))))
    for text in writing.chunks(sayable, characters, characters):
        # A checkpoint without such short lines in its training data hums them; between dashes, which are silent, it speaks.
        yield Group(text=text if len(text) >= defaults.least_characters else f"- {text} -")


def _spoken_length(text: str) -> int:
    """Return the length of a text in alphabetic characters."""
    return len(text) + (IDEOGRAPH - 1) * sum(east_asian_width(each) in "WF" for each in text)
