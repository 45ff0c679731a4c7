"""References of every pace, made of the shipped ones, and how long their takes are expected to last."""

import subprocess
from functools import cache

import imageio_ffmpeg
import numpy as np

from engines.audio import paced_s
from engines.text import Spoken, estimate_s, parse, spoken_form
from engines.types import Audio, EngineInfo, Reference, Samples
from training.references import SHIPPED, read_references

RATE_HZ = 24_000
LINES = ("The bridge is out, take the long way round.", "I found your letter on the table this morning, and I read it.")


@cache
def references() -> dict[str, Reference]:
    """The shipped ones, one with a silence within, a slow one and a fast one."""
    shipped = read_references(SHIPPED)
    amber, basil, delia = (shipped[name][0] for name in ("amber", "basil", "delia"))
    between = round(1.3 * RATE_HZ)  # amber's two sentences
    silence = np.zeros(round(1.5 * RATE_HZ), np.float32)
    sounds = {name: samples for name, (samples, _) in shipped.items()} | {
        "amber, silent": np.concatenate((amber[:between], silence, amber[between:])),
        "basil, slow": _at_tempo(basil, 0.75),
        "delia, fast": _at_tempo(delia, 1.35),
    }
    return {name: Reference(Audio(each, RATE_HZ), shipped[name.split(",")[0]][1]) for name, each in sounds.items()}


def spoken(name: str) -> Spoken:
    """What an estimate stands on, of the reference of this name."""
    voice = references()[name]
    return Spoken(spoken_form(voice.transcript), paced_s(voice.audio))


def estimated_s(info: EngineInfo, name: str, text: str) -> float:
    return estimate_s(parse(text), spoken(name), pace_kept=info.pace_kept, own_pace=info.own_pace)


def _at_tempo(samples: Samples, tempo: float) -> Samples:
    """Faster or slower at the same pitch."""
    raw = ["-f", "f32le", "-ar", str(RATE_HZ), "-ac", "1"]
    command = [imageio_ffmpeg.get_ffmpeg_exe(), "-v", "error", *raw, "-i", "-", "-af", f"atempo={tempo}", *raw, "-"]
    made = subprocess.run(command, input=samples.astype("<f4").tobytes(), capture_output=True, check=True).stdout
    return np.frombuffer(made, "<f4").copy()
