"""Measure the figures of a voice, with a checkpoint that speaks as in the studio."""

import logging
import time
from pathlib import Path

import numpy as np
import torch

from training.corpus.spelling import words
from training.evaluation.card import write_card
from training.evaluation.copy_synthesis import Copier, copier
from training.evaluation.edit_distance import edits
from training.evaluation.figures import Figure, figures, update
from training.evaluation.humans import read_humans
from training.evaluation.measurement import evaluation_lines, measure_lines
from training.evaluation.originals import baseline, original
from training.evaluation.recognizer import recognize
from training.evaluation.synthesizer import Synthesizer, reference_of, samples_of
from training.references import HELDOUT, SHIPPED, Clip, ReferenceClips, read_references, write_clip

log = logging.getLogger(__name__)
SEED = 7
HUMAN = "human-nature"  # one of the persons


def references() -> ReferenceClips:
    """Return the held-out references, and a clip of a person as `human` if the f5-tts package is installed."""
    humans = read_humans()
    return read_references(HELDOUT) | ({"human": humans[HUMAN]} if HUMAN in humans else {})


def measure_voice(engine: str, checkpoint: Path, every: int, keep: Path | None) -> None:
    """Measure word errors, likeness and complete lines, and write them into the model card.

    One line in `every` is spoken. If `keep` is set, the takes are written to this folder.
    """
    known, synthesizer = references(), Synthesizer(engine, checkpoint)

    def speak(reference: str, line: str) -> Clip:
        clip = samples_of(synthesizer.speak(reference_of(*known[reference]), line, seed=SEED))
        if keep:
            write_clip(keep / f"{reference}-{'_'.join(words(line)[:4])}.wav", clip)
        return clip

    measured = measure_lines(evaluation_lines(every), speak, known)
    synthesizer.close()
    publish(engine, checkpoint, figures(measured, baseline(measured)) | measure_copies(engine, checkpoint))


def time_voice(engine: str, checkpoint: Path, every: int) -> None:
    """Measure RTF and TTFA on two idle cores, and write them into the model card."""
    known, synthesizer = references(), Synthesizer(engine, checkpoint)
    synthesizer.speak(reference_of(*known["awb-plain"]), "A first line warms the caches.", seed=SEED)
    before = gflops()
    takes = [
        synthesizer.speak(reference_of(*known[line.reference]), line.text, seed=SEED)
        for line in evaluation_lines(every)
        if line.reference in known
    ]
    on = f"{len(takes)} lines, {before:.0f} GFLOP/s before and {gflops():.0f} after"
    synthesizer.close()
    rtf = sum(take.cost.total_s for take in takes) / sum(take.audio.duration_s for take in takes)
    ttfa_s = float(np.median([take.cost.ttfa_s for take in takes]))
    publish(engine, checkpoint, {"rtf": Figure(rtf, on), "ttfa_s": Figure(ttfa_s, on)})


def gflops(products: int = 50) -> float:
    """Return the present speed in GFLOP/s of a 1024 x 1024 float32 product, as the median of `products`."""
    one, spent = torch.rand(1024, 1024), []
    for _ in range(products):
        began = time.perf_counter()
        torch.mm(one, one)
        spent.append(time.perf_counter() - began)
    return 2 * 1024**3 / float(np.median(spent)) / 1e9


def publish(engine: str, checkpoint: Path, found: dict[str, Figure]) -> None:
    """Write the figures into the checkpoint's folder and its card."""
    for name, figure in found.items():
        log.info("%s: %s", name, figure)
    write_card(engine, checkpoint, update(checkpoint, found))


def measure_copies(engine: str, checkpoint: Path) -> dict[str, Figure]:
    """Return word error rates of recordings, unchanged and through the vocoder or codec."""
    copy = copier(engine, checkpoint)
    tree = [*(read_references(HELDOUT) | read_references(SHIPPED)).values()]
    counted = [count_errors(copy, *recording) for recording in tree]
    found = {"copy_tree_wer": word_error_rates(counted)}
    try:
        spoken = [(original(one.reference, one.text), one.text) for one in evaluation_lines() if one.kind == "open"]
    except OSError:
        log.info("without flite and espeak-ng, copy synthesis is measured on the recordings in the tree alone")
        return found
    return found | {"copy_wer": word_error_rates(counted + [count_errors(copy, *recording) for recording in spoken])}


def count_errors(copy: Copier, clip: Clip, transcript: str) -> tuple[int, int, int]:
    """Return the number of wrong words of a recording, that of its copy, and the number of words."""
    wanted = words(transcript)
    return edits(wanted, recognize(clip)), edits(wanted, recognize(copy(clip))), len(wanted)


def word_error_rates(counted: list[tuple[int, int, int]]) -> Figure:
    own, made, count = (sum(column) for column in zip(*counted, strict=True))
    return Figure(made / count, f"{len(counted)} recordings, {count} words", own / count)
