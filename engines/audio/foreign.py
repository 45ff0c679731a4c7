"""Decode formats that only ffmpeg reads, or reads better than libsndfile: MP3, M4A, AAC, WebM.

imageio-ffmpeg's own ffmpeg runs in a child process. The child reads the one descriptor it is given: its only protocol is
`fd`, and playlists, which name other files and hosts, are not among its formats. Output length, output bytes and time are
capped.
"""

import errno
import re
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

import soundfile

from engines.errors import BadAudio

FORMATS = "mov,mp4,m4a,3gp,3g2,mj2,matroska,webm,aac,asf,amr,aiff,mp3,ogg,flac,wav"
OUTPUT_MAX_BYTES = 256 * 2**20
TIME_MAX_S = 60
DURATION = re.compile(r"Duration: (\d+):(\d\d):(\d\d\.\d+)")
ESTIMATED = "Estimating duration from bitrate"
OF_ALL_TRACKS = re.compile(
    r"Input #0, (mov|matroska|asf)"
)  # formats with the length of the longest track, such as the video
MP3 = "Input #0, mp3,"
ENDS_EARLY = re.compile("File ended prematurely|Packet corrupt|corrupt input packet|partial file")
DISK_FULL = "No space left on device"
SEVERAL = "Found duplicated MOOV"
STRICT = ("-xerror",)
# For MP3, which may have tags between frames. More errors are damage.
TOLERANT = ("-v", "fatal", "-max_error_rate", "0.1")
SHORTFALL_MAX_S = 0.5  # headers give the length with the precision of a packet


@contextmanager
def transcoded(source: IO[bytes], max_duration_s: float) -> Iterator[Path]:
    """Decode the first `max_duration_s` to a 32-bit float AU file with the source's rate and channels.

    Raises BadAudio if ffmpeg cannot read the source to its end within the caps.
    """
    with tempfile.TemporaryDirectory(prefix="studio-decode-") as folder:
        target = Path(folder) / "decoded.au"
        code, log = _run(source, target, max_duration_s, STRICT)
        if code and MP3 in log:
            source.seek(0)
            code, log = _run(source, target, max_duration_s, TOLERANT)
        _check(code, log, target, max_duration_s)
        yield target


def _run(source: IO[bytes], target: Path, max_duration_s: float, how: tuple[str, ...]) -> tuple[int, str]:
    """Return ffmpeg's exit status and log. Raises BadAudio if ffmpeg cannot run, OSError if the disk is full."""
    try:
        import imageio_ffmpeg  # absent on machines that only speak

        command = [imageio_ffmpeg.get_ffmpeg_exe(), *_arguments(target, max_duration_s, how)]
        ended = subprocess.run(command, stdin=source, capture_output=True, timeout=TIME_MAX_S, check=False)
    except subprocess.TimeoutExpired as error:
        raise BadAudio(f"decoding took over {TIME_MAX_S} s; export the clip as WAV and upload that") from error
    except (ImportError, OSError, RuntimeError) as error:
        raise BadAudio("this format needs ffmpeg, which cannot run here; export the clip as WAV or FLAC") from error
    log = ended.stderr.decode(errors="replace")
    if ended.returncode and DISK_FULL in log:
        raise OSError(errno.ENOSPC, DISK_FULL)
    return ended.returncode, log


def _arguments(target: Path, max_duration_s: float, how: tuple[str, ...]) -> list[str]:
    """Return ffmpeg's arguments. The output is AU, which has no time stamps: those of joined recordings restart."""
    source = ["-protocol_whitelist", "fd", "-format_whitelist", FORMATS, "-i", "fd:"]
    limits = ["-t", f"{max_duration_s:.3f}", "-fs", str(OUTPUT_MAX_BYTES)]
    output = ["-map", "0:a:0", "-map_metadata", "-1", "-c:a", "pcm_f32be", "-f", "au", str(target)]
    return ["-y", "-hide_banner", "-nostats", *how, "-threads", "1", *source, *limits, *output]


def _check(code: int, log: str, target: Path, max_duration_s: float) -> None:
    decoded_s = _decoded_s(target)
    if target.is_file() and target.stat().st_size >= OUTPUT_MAX_BYTES:
        raise BadAudio("the file is much longer than a clip may be; cut the clip to less than 2 minutes")
    if SEVERAL in log:
        raise BadAudio("the file contains several joined recordings; export them as one recording")
    if code and not decoded_s:
        raise BadAudio(
            "the file is not audio that the studio can read, or is cut off; export the clip as WAV, FLAC or MP3"
        )
    if decoded_s >= max_duration_s - SHORTFALL_MAX_S:
        return
    claimed_s = _claimed_s(log)
    if code or ENDS_EARLY.search(log) or (not OF_ALL_TRACKS.search(log) and decoded_s < claimed_s - SHORTFALL_MAX_S):
        of = f" of {claimed_s:.1f} s" if claimed_s > decoded_s else ""
        raise BadAudio(
            f"the file is damaged or cut off: it can be decoded for {decoded_s:.1f} s{of}; upload or export it again"
        )


def _decoded_s(target: Path) -> float:
    try:
        return float(soundfile.info(target).duration)
    except soundfile.LibsndfileError:
        return 0.0


def _claimed_s(log: str) -> float:
    """Return the length in the header; 0.0 if ffmpeg guessed the length or found none."""
    found = DURATION.search(log)
    if found is None or ESTIMATED in log:
        return 0.0
    hours, minutes, seconds = found.groups()
    return int(hours) * 3600 + int(minutes) * 60 + float(seconds)
