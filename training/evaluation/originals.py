"""A baseline: the synthesizers' own audio of the evaluation's lines, measured like the takes of a voice."""

import json
from collections.abc import Sequence

import numpy as np

from training.corpus.heldout import heldout
from training.corpus.speakers import Speaker, render
from training.corpus.spelling import normalise
from training.evaluation.measurement import EvaluationLine, Measurement, evaluation_lines, measure_lines
from training.references import HELDOUT, Clip, read_references

ORIGINALS = HELDOUT / "originals.json"


def original(reference: str, line: str) -> Clip:
    """Return a line in the voice of a held-out speaker; needs flite and espeak-ng. Raises OSError without them."""
    settings = next(speaker for speaker in heldout()["speakers"] if speaker["name"] == reference)
    numbers = {key: float(settings[key]) for key in ("ratio", "pitch_hz", "spread", "stretch")}
    speaker = Speaker(voice=settings["voice"], **numbers, noise_db=-75.0)
    samples = render(speaker, normalise(line) or "", np.random.default_rng(1))
    return samples.astype(np.float32) / np.float32(32768)


def measure_originals() -> None:
    """Measure every line and write `originals.json`."""
    lines = [line for line in evaluation_lines() if line.kind != "human"]
    rows = [
        [row.line.kind, row.line.reference, row.line.text, row.wrong, row.count, row.whole]
        for row in measure_lines(lines, original, read_references(HELDOUT))
    ]
    ORIGINALS.write_text(json.dumps(rows, indent=1), encoding="utf-8")


def baseline(measured: Sequence[Measurement]) -> list[Measurement]:
    """Return the rows of `originals.json` for the measured lines."""
    wanted = {row.line for row in measured}
    rows = json.loads(ORIGINALS.read_text(encoding="utf-8"))
    own = [Measurement(EvaluationLine(*row[:3]), *row[3:]) for row in rows]
    return [row for row in own if row.line in wanted]
