"""Transcribe a sound file that a program sent. Nothing is stored."""

from dataclasses import dataclass
from functools import partial
from typing import BinaryIO

from engines.audio import decode_channels
from studio.ears.ears import Ears
from studio.ears.vocabulary import Transcript
from studio.references.acceptance import audible, decode_sent
from studio.references.report import no_voice

LONGEST_S = 300.0


@dataclass(frozen=True, slots=True)
class HeardFile:
    """The words in a sound file; none if no voice is heard."""

    transcript: Transcript
    duration_s: float


def transcribe_file(ears: Ears, sound: BinaryIO) -> HeardFile:
    """Decode and transcribe a file.

    Raises BadAudio for a file that is not sound or is longer than LONGEST_S, NoRoom, EarsFailed.
    """
    audio, _ = audible(decode_sent(sound, partial(decode_channels, max_duration_s=LONGEST_S)))
    # The recogniser hears words in silence.
    transcript = Transcript(words=()) if no_voice(audio) else ears.transcribe(audio)
    return HeardFile(transcript, audio.duration_s)
