"""Estimate how long an engine speaks a text with a reference, for planning and for the page."""

from dataclasses import dataclass

from engines.text.script import CHARACTERS_PER_S, Say, Script

ROOM_S = 0.2  # added to every take: silence before the first sound and after the last one


@dataclass(frozen=True, slots=True)
class Spoken:
    """A transcript in spoken form, and its duration without the silences that do not count for the speaking rate."""

    transcript: str
    lasted_s: float


def lasts(spoken: float, transcript: str, text: str) -> float:
    """Return how long `text` lasts at the speaking rate at which `transcript` took `spoken`, in the unit of `spoken`.

    This is the rule of F5-TTS: every byte takes equally long.
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
    """Estimate how long the script will last, in seconds.

    The rate is a geometric mean of the reference's, with the weight `pace_kept` (0 to 1), and the engine's `own_pace` in bytes
    a second; without a reference it is `own_pace`. The speech is `pace` times as fast as that.
    """
    said = " ".join(part.spoken for part in script.parts if isinstance(part, Say))
    own_s = len(said.encode()) / own_pace
    kept_s = own_s if reference is None else lasts(reference.lasted_s, reference.transcript, said)
    return kept_s**pace_kept * own_s ** (1 - pace_kept) / pace + ROOM_S + script.pauses_s
