"""Change the length of a take at constant pitch, with ffmpeg's `atempo` filter.

The filter overlaps similar parts of the waveform (WSOLA), which suits speech. Every build of ffmpeg has it. A line takes less
than 0.1 s on one core.
"""

import subprocess

import numpy as np

from engines.audio import speech_span
from engines.errors import BadAudio
from engines.types import Audio

ROUNDS = 3  # the filter is accurate to about 20 ms; each further round reduces the error
NEAR_S = 0.01
ROOM_S = 0.1  # seconds of silence that are added after the sound, because the filter drops the end
TIME_MAX_S = 60


def spoken_s(audio: Audio) -> float:
    """Return the seconds from the start of the first sound to the end of the last, with an accuracy of 5 ms; 0 for silence."""
    start, end = speech_span(audio.samples, audio.sample_rate)
    return (end - start) / audio.sample_rate


def stretched(audio: Audio, speech_s: float) -> Audio:
    """Return the take with a speech length, pauses included, of `speech_s`. Raises BadAudio if ffmpeg cannot run."""
    tempo, best = spoken_s(audio) / speech_s, audio
    for _ in range(ROUNDS):
        made = _at_tempo(audio, tempo)
        best = min(best, made, key=lambda each: abs(spoken_s(each) - speech_s))
        if abs(spoken_s(best) - speech_s) <= NEAR_S:
            break
        tempo *= spoken_s(made) / speech_s
    return best


def _at_tempo(audio: Audio, tempo: float) -> Audio:
    padded = np.concatenate((audio.samples, np.zeros(round(ROOM_S * audio.sample_rate), np.float32)))
    raw = ["-f", "f32le", "-ar", str(audio.sample_rate), "-ac", "1"]
    source, filter = ["-protocol_whitelist", "pipe", *raw, "-i", "pipe:0"], ["-af", f"atempo={tempo:.6f}"]
    try:
        import imageio_ffmpeg  # absent on machines that only generate speech

        command = [imageio_ffmpeg.get_ffmpeg_exe(), "-hide_banner", "-threads", "1", *source, *filter, *raw, "pipe:1"]
        sound = padded.astype("<f4").tobytes()
        made = subprocess.run(command, input=sound, capture_output=True, timeout=TIME_MAX_S, check=True).stdout
    except (ImportError, OSError, RuntimeError, subprocess.SubprocessError) as error:
        raise BadAudio(
            "ffmpeg cannot run here, so takes cannot be fitted to a length; install imageio-ffmpeg"
        ) from error
    length = round(len(audio.samples) / tempo)
    return Audio(np.frombuffer(made, "<f4")[:length].astype(np.float32), audio.sample_rate)
