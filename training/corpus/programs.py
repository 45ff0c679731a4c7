"""Synthesizers that training never uses: RHVoice, Pico and Festival, as programs on the PATH.

Debian packages: `rhvoice` and `rhvoice-english`, `libttspico-utils`, `festival` with `festvox-kdlpc16k`, `festvox-don` and
`festvox-rablpc16k`.
"""

import subprocess
import tempfile
from pathlib import Path

import numpy as np
import soundfile
import soxr

from training.references import RATE_HZ, Clip

TIMEOUT_S = 60.0


def speak(family: str, voice: str, line: str) -> Clip:
    """Return a line, spoken by a voice of `rhvoice`, `pico` or `festival`: samples at 24 kHz with a peak of 0.5."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "line.wav"
        command, text = {"rhvoice": _rhvoice, "pico": _pico, "festival": _festival}[family](voice, line, path)
        subprocess.run(command, input=text.encode(), check=True, capture_output=True, timeout=TIMEOUT_S)
        clip, rate = soundfile.read(path, dtype="float32")
    clip = soxr.resample(clip, rate, RATE_HZ)
    return (clip / np.abs(clip).max() / 2).astype(np.float32)


def _rhvoice(voice: str, line: str, path: Path) -> tuple[list[str], str]:
    return ["RHVoice-test", "-p", voice, "-o", str(path)], line


def _pico(voice: str, line: str, path: Path) -> tuple[list[str], str]:
    return ["pico2wave", "-l", voice, "-w", str(path), line], ""


def _festival(voice: str, line: str, path: Path) -> tuple[list[str], str]:
    script = f'(utt.save.wave (utt.synth (Utterance Text "{line}")) "{path}" (quote riff))'
    return ["festival", "--libdir", "/usr/share/festival", "-b", f"(voice_{voice})", script], ""
