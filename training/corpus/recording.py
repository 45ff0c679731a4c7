"""Record the shipped and the held-out references: `python -m training.corpus.recording`.

Needs flite, espeak-ng and the programs of corpus/programs.py; the recordings are kept in the tree, so evaluation and tests
need none of them.
"""

import logging
import wave
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from training.corpus import programs
from training.corpus.heldout import heldout
from training.corpus.speakers import RATE_HZ, Speaker, render
from training.corpus.spelling import normalise

log = logging.getLogger(__name__)
VOICES = Path(__file__).parents[2] / "assets" / "voices"
SHIPPED = VOICES / "references"
HELDOUT = VOICES / "heldout"
STRANGERS = VOICES / "strangers"


def record(settings: dict[str, Any], folder: Path) -> None:
    """Write NAME.wav and NAME.txt."""
    numbers = {key: float(settings[key]) for key in ("ratio", "pitch_hz", "spread", "stretch")}
    speaker = Speaker(voice=settings["voice"], **numbers, images=settings.get("images", 0.0), noise_db=-75.0)
    line = normalise(settings["line"])
    if line is None:
        raise ValueError(f"{settings['name']}: the line holds characters the voices do not know")
    samples = render(speaker, line, np.random.default_rng(0))
    write_wav(folder / f"{settings['name']}.wav", samples)
    (folder / f"{settings['name']}.txt").write_text(settings["line"] + "\n", encoding="utf-8")
    log.info("%s: %.2f s", settings["name"], len(samples) / RATE_HZ)


def record_stranger(settings: dict[str, str]) -> None:
    """The same for a voice of a synthesizer that is held out."""
    samples = programs.speak(settings["name"].partition("-")[0], settings["voice"], settings["line"])
    write_wav(STRANGERS / f"{settings['name']}.wav", (samples * 32767).astype(np.int16))
    (STRANGERS / f"{settings['name']}.txt").write_text(settings["line"] + "\n", encoding="utf-8")
    log.info("%s: %.2f s", settings["name"], len(samples) / RATE_HZ)


def write_wav(path: Path, samples: NDArray[np.int16]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(RATE_HZ)
        file.writeframes(samples.astype("<i2").tobytes())


def read_wav(path: Path) -> NDArray[np.float32]:
    """Samples in [-1, 1] of a mono 24 kHz 16-bit file."""
    with wave.open(str(path), "rb") as file:
        if (file.getnchannels(), file.getsampwidth(), file.getframerate()) != (1, 2, RATE_HZ):
            raise ValueError(f"{path}: mono, 16 bit and {RATE_HZ} Hz are wanted; record it again with samples.py")
        return np.frombuffer(file.readframes(file.getnframes()), "<i2").astype(np.float32) / 32768


def read_references(folder: Path) -> dict[str, tuple[NDArray[np.float32], str]]:
    """name -> samples and transcript of every reference of a folder."""
    return {
        path.stem: (read_wav(path), path.with_suffix(".txt").read_text(encoding="utf-8").strip())
        for path in sorted(folder.glob("*.wav"))
    }


def main() -> None:
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    for settings in heldout()["shipped"]:
        record(settings, SHIPPED)
    for settings in heldout()["speakers"]:
        record(settings, HELDOUT)
    for settings in heldout()["strangers"]:
        record_stranger(settings)


if __name__ == "__main__":
    main()
