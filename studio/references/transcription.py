"""Transcribe a sound file that a program sent. Nothing is stored."""

from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from engines.audio import decode
from engines.types import Audio
from studio.ears.ears import Ears
from studio.ears.vocabulary import Transcript
from studio.references.acceptance import decode_sent
from studio.references.report import no_voice

LONGEST_S = 300.0


@dataclass(frozen=True, slots=True)
class HeardFile:
    """The words in a sound file; none if no voice is heard."""

    transcript: Transcript
    duration_s: float


def transcribe_file(ears: Ears, sound: BinaryIO, language: str = "") -> HeardFile:
    """Decode and transcribe a file; without a language, a multilingual recogniser detects it.

    Raises BadAudio for a file that is not sound or is longer than LONGEST_S, NoRoom, EarsFailed.
    """
    audio = decode_sent(sound, _decode)
    # The recogniser would hear words even in silence.
    transcript = Transcript(words=()) if no_voice(audio) else ears.transcribe(audio, language)
    return HeardFile(transcript, audio.duration_s)


def _decode(path: Path) -> Audio:
    """Return the mix of all channels, or the loudest channel if the mix has no voice. One signal is in memory at a time."""
    audio = decode(path, max_duration_s=LONGEST_S)
    if no_voice(audio) is None:
        return audio
    del audio
    return decode(path, max_duration_s=LONGEST_S, channel="loudest")
