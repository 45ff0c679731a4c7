"""Which clips become references: the rule of the page's report, for every way in."""

import tempfile
from pathlib import Path

from engines.audio import Decoded
from engines.errors import BadAudio
from engines.types import Audio, Reference
from studio.references.clip import Source
from studio.references.library import NoRoom, decode_clip
from studio.references.report import Report, mixdown, no_voice, report
from studio.references.window import Window, reference_of

INSIST = "Send ignore_report to use it all the same."  # the page's "Speak anyway"


class BadReference(BadAudio):
    """The report on the clip finds a failure."""


def read_reference(sound: bytes, transcript: str, *, ignore_report: bool = False) -> Reference:
    """Return a whole sound file that a program sent as a reference.

    Raises BadAudio for what cannot be a clip, BadReference for what the report finds unusable, BadText without a transcript,
    NoRoom.
    """
    try:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "reference"
            path.write_bytes(sound)
            decoded = decode_clip(path)
    except OSError as error:
        raise NoRoom("the clip could not be written to the disk; free some disk space and send it again") from error
    return accepted(decoded, transcript, ignore_report=ignore_report)


def accepted(decoded: Decoded, transcript: str, *, ignore_report: bool = False) -> Reference:
    """Return the clip as a reference, with one channel of it where the mix of all cancels the voice.

    The page offers this mend, and its loss is nothing; it refuses what else the report fails until the designer insists,
    which `ignore_report` does here. Without a voice no insisting helps. Raises BadReference, BadText.
    """
    audio, source = decoded.mix, Source.of(decoded)
    if mixdown(source).mend == "mono":
        audio, source = decoded.loudest, Source(sample_rate=audio.sample_rate)
    require_voice(audio, source)
    reference = reference_of(audio, Window(0.0, audio.duration_s), transcript)
    failed = [] if ignore_report else failures(report(audio, source, transcript))
    if failed:
        raise BadReference(" ".join([*failed, INSIST]))
    return reference


def require_voice(audio: Audio, source: Source) -> None:
    """Raise BadReference where no voice is heard, with what the report says of it."""
    found = no_voice(audio)
    if found is not None:
        offered = [check for check in [mixdown(source)] if check.mend]
        raise BadReference(" ".join(check.message for check in [found, *offered]))


def failures(found: Report) -> list[str]:
    """Return what makes a clip unusable, in the report's sentences."""
    return [check.message for check in found.checks if check.state == "fail"]


def file_failures(path: Path, transcript: str) -> list[str]:
    """Return the same of a sound file that was accepted elsewhere, such as in an archive. Raises BadAudio."""
    decoded = decode_clip(path)
    return failures(report(decoded.mix, Source.of(decoded), transcript))
