"""Formats libsndfile cannot read (m4a, aac, webm), through imageio-ffmpeg's own ffmpeg in a child process.

The child reads the one descriptor it is given: its only protocol is `fd`, and playlists, which name other files and
hosts, are not among its formats. Output length, output bytes and time are capped.
"""

import re
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from engines.errors import BadAudio

FORMATS = "mov,mp4,m4a,3gp,3g2,mj2,matroska,webm,aac,asf,amr,aiff,mp3,ogg,flac,wav"
OUTPUT_MAX_BYTES = 256 * 2**20
TIME_MAX_S = 60
DURATION = re.compile(r"Duration: (\d+):(\d\d):(\d\d\.\d+)")


@contextmanager
def transcoded(path: Path, max_duration_s: float) -> Iterator[tuple[Path, float]]:
    """A float WAV of the first `max_duration_s`, at the source's rate and channels, and the length its header claims.

    The length is 0.0 where the header does not say. Raises BadAudio if ffmpeg cannot read it within the caps.
    """
    with tempfile.TemporaryDirectory(prefix="studio-decode-") as folder:
        wav = Path(folder) / "decoded.wav"
        log = _run(path, wav, max_duration_s)
        if not wav.exists() or wav.stat().st_size >= OUTPUT_MAX_BYTES:
            raise BadAudio("the file unpacks to far more sound than a clip may hold; cut it to under 2 minutes first")
        yield wav, _duration_s(log)


def _run(path: Path, wav: Path, max_duration_s: float) -> str:
    """ffmpeg's log."""
    try:
        import imageio_ffmpeg  # absent on machines that only speak

        with path.open("rb") as file:
            command = [imageio_ffmpeg.get_ffmpeg_exe(), *_arguments(wav, max_duration_s)]
            log = subprocess.run(command, stdin=file, capture_output=True, timeout=TIME_MAX_S, check=True).stderr
    except subprocess.TimeoutExpired as error:
        raise BadAudio(f"decoding took over {TIME_MAX_S} s; export the clip as WAV and upload that") from error
    except subprocess.CalledProcessError as error:
        raise BadAudio(
            "this is not sound the studio can read, or it is cut off; export it as WAV, FLAC or MP3"
        ) from error
    except (ImportError, OSError, RuntimeError) as error:
        raise BadAudio(
            "this format needs ffmpeg, which cannot run here; export the clip as WAV, FLAC or MP3"
        ) from error
    return log.decode(errors="replace")


def _arguments(wav: Path, max_duration_s: float) -> list[str]:
    source = ["-protocol_whitelist", "fd", "-format_whitelist", FORMATS, "-i", "fd:"]
    limits = ["-t", f"{max_duration_s:.3f}", "-fs", str(OUTPUT_MAX_BYTES)]
    target = ["-map", "0:a:0", "-map_metadata", "-1", "-c:a", "pcm_f32le", "-f", "wav", str(wav)]
    return ["-hide_banner", "-xerror", "-threads", "1", *source, *limits, *target]


def _duration_s(log: str) -> float:
    found = DURATION.search(log)
    if found is None:
        return 0.0
    hours, minutes, seconds = found.groups()
    return int(hours) * 3600 + int(minutes) * 60 + float(seconds)
