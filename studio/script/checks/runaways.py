"""Takes in which the engine lost control: they go on after the text, repeat themselves, fall silent, or stop early."""

from engines.audio import silences
from engines.types import Audio
from studio.ears.spoken import spoken_as
from studio.ears.vocabulary import Comparison
from studio.script.checks.sounds import (
    CUT_BELOW_SPEECH_DB,
    EDGE_S,
    NEAR_S,
    SILENCE_FAIL_S,
    below_speech_db,
    longest_pause_s,
    sound_after_s,
)

RUNAWAY = "runaway"  # the name of this fault
AFTER_S = 0.8  # seconds of sound after the last word
ADDED_MIN = 3  # words that are added
LOST_MIN = 2  # words at the end that are missing; one is enough if the take ends in the middle of a sound


def runaway(text: str, audio: Audio, found: Comparison) -> str:
    """Return how a take ran away, as a sentence; empty for other takes. There is at least one expected word."""
    longest_s = max((gap.length_s for gap in silences(audio)), default=0.0)
    if longest_s - longest_pause_s(text) > SILENCE_FAIL_S:
        return f"The take is silent for {longest_s:.1f} s."
    if len(found.added) >= ADDED_MIN:
        known = {spoken for word in found.words for spoken in spoken_as(word.word.word)}
        repeats = sum({*spoken_as(one.heard.text)} <= known for one in found.added) * 2 > len(found.added)
        after = all(one.place >= len(found.words) for one in found.added)
        more = f"The take has {len(found.added)} words more than the text."
        return _REPEATS if repeats else _AFTER if after else more
    lost = _lost_at_end(found)
    if lost >= LOST_MIN or (lost and _is_cut(audio)):
        return "The take stops before the end of the text."
    spoken_to_s = found.words[len(found.words) - 1 - lost].word.end_s
    return _AFTER if sound_after_s(audio, spoken_to_s + NEAR_S) > AFTER_S else ""


_AFTER = "The take goes on after the text."
_REPEATS = "The take repeats words."


def _lost_at_end(found: Comparison) -> int:
    """Return how many words at the end are missing, at most all but one."""
    verdicts = [word.verdict for word in found.words]
    lost = next((count for count, verdict in enumerate(reversed(verdicts)) if verdict != "missing"), len(verdicts))
    return min(lost, len(verdicts) - 1)


def _is_cut(audio: Audio) -> bool:
    return below_speech_db(audio, audio.samples[-round(EDGE_S * audio.sample_rate) :]) < CUT_BELOW_SPEECH_DB
