"""Hear what the dual-AR model says: the held-out lines from the held-out references, read by the outside recogniser."""

import json
import logging
import time
from pathlib import Path
from typing import Any

import numpy as np
import torch

from assets.voices.corpus.heldout import heldout
from assets.voices.corpus.spelling import normalise
from assets.voices.f5 import recogniser as ears
from assets.voices.f5.measuring import figures, listen, plan
from assets.voices.s1 import language_weights, prompts, speaking, weights
from assets.voices.s1.listening import write_wav
from assets.voices.samples import HELDOUT, SHIPPED, read_references

log = logging.getLogger(__name__)
FRAMES_A_LETTER, MARGIN = 3.2, 40  # no line needs more frames


def evaluate(checkpoint: Path, codec: Path, every: int = 1, wavs: Path | None = None) -> dict[str, Any]:
    """Word errors, likeness and whole lines of a training's weights, as for the F5 voice; logged and kept beside them."""
    torch.manual_seed(0)
    model, sounds = language_weights.load(checkpoint), weights.load(codec)
    known = read_references(HELDOUT) | read_references(SHIPPED)
    coded = {name: (normalise(text) or "", speaking.codes_of(sounds, clip)) for name, (clip, text) in known.items()}
    made: list[float] = []

    def say(name: str, line: str) -> np.ndarray:
        began = time.perf_counter()
        wanted = prompts.prompt(normalise(line) or "", [coded[name]], model.shape.num_codebooks)
        most = int(len(line) * FRAMES_A_LETTER) + MARGIN
        codes = speaking.speak(model, [wanted], most, seed=7)[0]
        clip = speaking.sound(sounds, codes) if len(codes) else np.zeros(2400, np.float32)
        made.append((time.perf_counter() - began) / (len(clip) / 24_000))
        if wavs:
            wavs.mkdir(parents=True, exist_ok=True)
            write_wav(wavs / f"{len(made):03d}-{name}.wav", clip)
        return clip

    prints = {name: ears.voice_print(clip) for name, (clip, _) in known.items()}
    speakers = {speaker["name"] for speaker in heldout()["speakers"]}
    heard = []
    for trial in plan(every):
        if trial.reference in speakers:
            heard.append(listen(trial, say, prints))
            log.info("%s %s: %d of %d wrong", trial.kind, trial.reference, heard[-1].wrong, heard[-1].count)
    found = figures(heard)
    log.info("%s", json.dumps(found, indent=1))
    (checkpoint / "language-figures.json").write_text(json.dumps(found, indent=1), encoding="utf-8")
    return found
