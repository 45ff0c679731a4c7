"""Measure a voice and write its model card: `python -m assets.voices.f5.evaluate [--checkpoint DIR] [--every N]`.

`--originals` first measures the synthesizers' own audio of the same lines (needs flite and espeak-ng) and keeps the figures in
`originals.json`, so that later runs need no synthesizer.
"""

import argparse
import json
import logging
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from assets.voices.corpus.heldout import heldout
from assets.voices.corpus.spelling import normalise, words
from assets.voices.f5 import recogniser as ears
from assets.voices.f5.card import write_card
from assets.voices.f5.export import CHECKPOINT
from assets.voices.f5.measuring import Heard, Speak, Trial, figures, listen, plan
from assets.voices.f5.sampling import Studio, load_voice
from assets.voices.samples import HELDOUT, SHIPPED, read_references, write_wav
from engines.f5.mel import log_mel

log = logging.getLogger(__name__)
ORIGINALS = Path(__file__).with_name("originals.json")
HUMAN = "Some call me nature, others call me mother nature."  # what the example clip of f5-tts says

References = dict[str, tuple[NDArray[np.float32], str]]


def references() -> References:
    found = read_references(HELDOUT)
    human = _human()
    if human is not None:
        found["human"] = (human, HUMAN)
    return found


def _human() -> Any:
    """The example clip inside the installed f5-tts package; None where that is not installed."""
    import importlib.util

    import soundfile
    import soxr

    spec = importlib.util.find_spec("f5_tts")
    folder = Path(next(iter(spec.submodule_search_locations or []))) if spec else Path()
    path = folder / "infer" / "examples" / "basic" / "basic_ref_en.wav"
    if not path.exists():
        return None
    clip, rate = soundfile.read(path, dtype="float32", always_2d=True)
    return soxr.resample(clip.mean(1), rate, 24_000).astype(np.float32)


def original(name: str, line: str) -> NDArray[np.float32]:
    """The synthesizer's own audio of a line by a held-out speaker."""
    from assets.voices.corpus.speakers import Speaker, render

    settings = next(speaker for speaker in heldout()["speakers"] if speaker["name"] == name)
    numbers = {key: float(settings[key]) for key in ("ratio", "pitch_hz", "spread", "stretch")}
    speaker = Speaker(voice=settings["voice"], **numbers, noise_db=-75.0)
    return render(speaker, normalise(line) or "", np.random.default_rng(1), quick=0).astype(np.float32) / 32768


def measure(trials: list[Trial], say: Speak, known: References) -> list[Heard]:
    prints = {name: ears.voice_print(clip) for name, (clip, _) in known.items() if name != "human"}
    heard = []
    for trial in trials:
        if trial.reference in known:
            heard.append(listen(trial, say, prints))
            log.info("%s %s: %d of %d wrong", trial.kind, trial.reference, heard[-1].wrong, heard[-1].count)
    return heard


def copy_synthesis(checkpoint: Path) -> dict[str, float]:
    """Word error rate of the recordings in the tree, themselves and through the vocoder."""
    vocoder = load_voice(checkpoint).vocoder
    own = made = count = 0
    for clip, transcript in (read_references(HELDOUT) | read_references(SHIPPED)).values():
        copy = vocoder(log_mel(torch.from_numpy(clip))).numpy()
        own += ears.errors(words(transcript), ears.hear(clip))
        made += ears.errors(words(transcript), ears.hear(copy))
        count += len(words(transcript))
    return {"copy_own_wer": own / count, "copy_wer": made / count}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--checkpoint", type=Path, default=CHECKPOINT, help="an exported folder; the shipped one if absent"
    )
    parser.add_argument("--every", type=int, default=1, help="measure one line in so many; the card says how many")
    parser.add_argument("--originals", action="store_true")
    parser.add_argument("--keep", type=Path, help="write every take here")
    args = parser.parse_args()
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    known, trials = references(), plan(args.every)
    if args.originals:
        heard = measure([trial for trial in plan() if trial.kind != "human"], original, known)
        rows = [[row.trial.kind, row.trial.reference, row.trial.line, row.wrong, row.count, row.whole] for row in heard]
        content = {"figures": figures(heard), "rows": rows}
        ORIGINALS.write_text(json.dumps(content, indent=1), encoding="utf-8")
        log.info("%s", json.dumps(content["figures"], indent=1))
        return
    studio = Studio(args.checkpoint)
    costs = []

    def say(name: str, line: str) -> NDArray[np.float32]:
        take = studio.speak(*known[name], line, seed=7)
        costs.append(take.cost)
        clip = take.audio.samples
        if args.keep:
            path = args.keep / f"{name}-{'_'.join(words(line)[:4])}.wav"
            write_wav(path, (np.clip(clip, -1, 1) * 32767).astype(np.int16))
        return clip

    say("awb-plain", "A first line warms the caches.")
    heard = measure(trials, say, known)
    studio.close()
    found = figures(heard) | copy_synthesis(args.checkpoint) | _baseline(heard)
    found["ttfa_s"] = float(np.median([cost.ttfa_s for cost in costs[1:]]))
    log.info("%s", json.dumps(found, indent=1))
    write_card(args.checkpoint, found, len(heard))


def _baseline(heard: list[Heard]) -> dict[str, float]:
    """What the same ears find in the synthesizers' own audio of the very lines that were measured."""
    if not ORIGINALS.exists():
        return {}
    rows = json.loads(ORIGINALS.read_text(encoding="utf-8"))["rows"]
    spoken = {(row.trial.kind, row.trial.reference, row.trial.line) for row in heard}
    kept = [
        Heard(Trial(kind, name, line), wrong, count, whole, name, 1.0, 0.0)
        for kind, name, line, wrong, count, whole in rows
        if (kind, name, line) in spoken
    ]
    own = figures(kept)
    return {f"own_{key}": own[key] for key in ("open_wer", "open_wer_flite", "digits_wer", "closed_right", "whole")}


if __name__ == "__main__":
    main()
