"""How long a text lasts when an engine speaks it with a reference: the rule it is planned by and told by."""

from dataclasses import dataclass

from engines.text.script import CHARACTERS_PER_S, Say, Script

ROOM_S = 0.2  # of every take: what stands before its first sound and after its last


@dataclass(frozen=True, slots=True)
class Spoken:
    """A transcript in its spoken form, and how long it took without what is no part of its pace."""

    transcript: str
    lasted_s: float


def lasts(spoken: float, transcript: str, text: str) -> float:
    """How long a text lasts at the pace at which a transcript took `spoken`, in the same unit.

    F5-TTS's rule: a byte of the one takes as long as a byte of the other.
    """
    return spoken / max(1, len(transcript.encode())) * len(text.encode())


def estimate_s(
    script: Script,
    reference: Spoken | None = None,
    *,
    pace: float = 1.0,
    pace_kept: float = 1.0,
    own_pace: float = CHARACTERS_PER_S,
) -> float:
    """How long the script will last, in seconds.

    Of the reference's pace a take keeps a share of 0 to 1, `pace_kept`; for the rest, and without a reference, it goes at
    the engine's `own_pace` in bytes a second. It is spoken `pace` times as fast as that.
    """
    said = " ".join(part.spoken for part in script.parts if isinstance(part, Say))
    own_s = len(said.encode()) / own_pace
    kept_s = own_s if reference is None else lasts(reference.lasted_s, reference.transcript, said)
    return kept_s**pace_kept * own_s ** (1 - pace_kept) / pace + ROOM_S + script.pauses_s
