"""Decide which clips can become references. The same report is used for all sources of clips."""

import base64
import io
import shutil
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO, TypeVar

from engines.audio import Decoded
from engines.errors import BadAudio
from engines.types import Audio, Reference
from studio.references.clip import Source
from studio.references.library import NoRoom, decode_clip
from studio.references.report import failures, mixdown, no_voice
from studio.references.window import Window, reference_of

INSIST = 'To use the clip anyway, set "ignore_report" to true.'  # the API's form of "Speak anyway" on the page


class BadReference(BadAudio):
    """The report on the clip finds a failure."""


@dataclass(frozen=True)
class SentReference:
    """A reference that a program sent, before its report. An engine can encode it while `check` runs."""

    reference: Reference
    source: Source
    _reports: list[list[str]] = field(
        default_factory=list, init=False
    )  # empty before `check`; then one list, the failures

    def check(self, find: "FindFailures | None" = None) -> None:
        """Raise BadReference if the report finds the clip unusable. `find` is used in place of `failures`."""
        if not self._reports:
            clip = self.reference
            self._reports.append((find or failures)(clip.audio, self.source, clip.transcript))
        if self._reports[0]:
            raise BadReference(" ".join([*self._reports[0], INSIST]))


T = TypeVar("T")
Hear = Callable[[Audio], str]  # a function that returns the words of a clip
FindFailures = Callable[[Audio, Source, str], list[str]]


def read_reference(
    sound: BinaryIO, transcript: str, *, ignore_report: bool = False, hear: Hear | None = None
) -> Reference:
    """Return the reference in a sound file that a program sent.

    Without a transcript, `hear` returns one. Raises BadAudio if the file cannot be a clip, BadReference if the report finds the
    clip unusable, BadText if there is no transcript at all, NoRoom, and the errors of `hear`.
    """
    return accepted(decode_sent(sound, decode_clip), transcript, ignore_report=ignore_report, hear=hear)


def read_sent_reference(encoded: str, transcript: str) -> SentReference:
    """Return the reference in a sound file in base64, before its report.

    Raises BadAudio, BadReference if there is no voice, BadText, and NoRoom.
    """
    try:
        sound = base64.b64decode("".join(encoded.split()), validate=True)
    except ValueError as error:
        raise BadAudio(
            "reference_audio is not base64; encode the bytes of the file as base64 and send the request again"
        ) from error
    return _without_report(decode_sent(io.BytesIO(sound), decode_clip), transcript)


def decode_sent(sound: BinaryIO, decode: Callable[[Path], T]) -> T:
    """Decode a sound file that a program sent; nothing is stored. Raises NoRoom, and the errors of `decode`."""
    try:
        with tempfile.NamedTemporaryFile() as file:
            shutil.copyfileobj(sound, file)
            file.flush()
            return decode(Path(file.name))
    except OSError as error:
        raise NoRoom(
            "the clip could not be written to the disk; free some disk space and send the clip again"
        ) from error


def accepted(decoded: Decoded, transcript: str, *, ignore_report: bool = False, hear: Hear | None = None) -> Reference:
    """Return the clip as a reference; without a transcript, `hear` returns one.

    A clip that fails the report is refused, unless `ignore_report` is set ("Speak anyway" on the page). A clip without a voice
    is always refused. Raises BadReference, BadText.
    """
    sent = _without_report(decoded, transcript, hear)
    if not ignore_report:
        sent.check()
    return sent.reference


def _without_report(decoded: Decoded, transcript: str, hear: Hear | None = None) -> SentReference:
    audio, source = audible(decoded)
    require_voice(audio, source)
    if hear and not transcript and not (transcript := hear(audio)):
        raise BadReference("no words were recognised in the clip; send its transcript, or another clip")
    return SentReference(reference_of(audio, Window(0.0, audio.duration_s), transcript), source)


def audible(decoded: Decoded) -> tuple[Audio, Source]:
    """Return the mix of all channels, or the loudest channel if the mix cancels the voice."""
    source = Source.of(decoded)
    if mixdown(source).repair == "mono":
        return decoded.loudest, Source(sample_rate=decoded.mix.sample_rate)
    return decoded.mix, source


def require_voice(audio: Audio, source: Source) -> None:
    """Raise BadReference with the report's messages if no voice is heard."""
    found = no_voice(audio)
    if found is not None:
        offered = [check for check in [mixdown(source)] if check.repair]
        raise BadReference(" ".join(check.message for check in [found, *offered]))


def file_failures(path: Path, transcript: str) -> list[str]:
    """Return the `failures` of a sound file from a trusted source, such as an archive. Raises BadAudio."""
    decoded = decode_clip(path)
    return failures(decoded.mix, Source.of(decoded), transcript)
