"""Measure a voice and write its model card: `python -m training.evaluation f5|s1 [--timing] [--checkpoint DIR] [--every N]`.

`originals` in the engine's place measures the synthesizers' own audio of the same lines (needs flite and espeak-ng) and keeps
the figures in `assets/voices/heldout/originals.json`, so that later runs need no synthesizer.
"""

import argparse
import importlib.util
import json
import logging
import time
from pathlib import Path

import numpy as np
import soundfile
import soxr
import torch

from training.corpus.heldout import heldout
from training.corpus.recording import HELDOUT, SHIPPED, read_references, write_wav
from training.corpus.spelling import normalise, words
from training.evaluation import recognizer
from training.evaluation.card import write_card
from training.evaluation.copy_synthesis import Copy, copier
from training.evaluation.edit_distance import edits
from training.evaluation.figures import Figure, figures, update
from training.evaluation.measurement import Heard, Speak, Trial, listen, plan
from training.evaluation.synthesizer import Clip, Mouth
from training.evaluation.synthesizer import heard as at_ear

log = logging.getLogger(__name__)
ORIGINALS = HELDOUT / "originals.json"
HUMAN = "Some call me nature, others call me mother nature."  # what the example clip of f5-tts says
SEED = 7

References = dict[str, tuple[Clip, str]]


def references() -> References:
    """The held-out ones, and the human example clip inside the installed f5-tts package where there is one."""
    found = read_references(HELDOUT)
    spec = importlib.util.find_spec("f5_tts")
    folder = Path(next(iter(spec.submodule_search_locations or []))) if spec else Path()
    path = folder / "infer" / "examples" / "basic" / "basic_ref_en.wav"
    if path.exists():
        clip, rate = soundfile.read(path, dtype="float32", always_2d=True)
        found["human"] = (soxr.resample(clip.mean(1), rate, 24_000).astype(np.float32), HUMAN)
    return found


def original(name: str, line: str) -> Clip:
    """The synthesizer's own audio of a line by a held-out speaker."""
    from training.corpus.speakers import Speaker, render

    settings = next(speaker for speaker in heldout()["speakers"] if speaker["name"] == name)
    numbers = {key: float(settings[key]) for key in ("ratio", "pitch_hz", "spread", "stretch")}
    speaker = Speaker(voice=settings["voice"], **numbers, noise_db=-75.0)
    return render(speaker, normalise(line) or "", np.random.default_rng(1)).astype(np.float32) / 32768


def measure(trials: list[Trial], say: Speak, known: References) -> list[Heard]:
    prints = {name: recognizer.voice_print(clip) for name, (clip, _) in known.items() if name != "human"}
    heard = []
    for trial in trials:
        if trial.reference in known:
            heard.append(listen(trial, say, prints))
            log.info("%s %s: %d of %d wrong", trial.kind, trial.reference, heard[-1].wrong, heard[-1].count)
    return heard


def measure_originals() -> None:
    heard = measure([trial for trial in plan() if trial.kind != "human"], original, references())
    rows = [[row.trial.kind, row.trial.reference, row.trial.line, row.wrong, row.count, row.whole] for row in heard]
    ORIGINALS.write_text(json.dumps(rows, indent=1), encoding="utf-8")


def measure_voice(engine: str, checkpoint: Path, every: int, keep: Path | None) -> None:
    """What is heard, from the checkpoint as the studio speaks it."""
    known, mouth = references(), Mouth(engine, checkpoint)

    def say(name: str, line: str) -> Clip:
        take = mouth.say(*known[name], line, seed=SEED)
        if keep:
            path = keep / f"{name}-{'_'.join(words(line)[:4])}.wav"
            write_wav(path, (np.clip(at_ear(take), -1, 1) * 32767).astype(np.int16))
        return at_ear(take)

    heard = measure(plan(every), say, known)
    mouth.close()
    publish(engine, checkpoint, figures(heard, baseline(heard)) | copy_synthesis(engine, checkpoint))


def time_voice(engine: str, checkpoint: Path, every: int) -> None:
    """RTF and TTFA: worth something on two cores that do nothing else."""
    known, mouth = references(), Mouth(engine, checkpoint)
    mouth.say(*known["awb-plain"], "A first line warms the caches.", seed=SEED)
    before = gflops()
    takes = [mouth.say(*known[one.reference], one.line, seed=SEED) for one in plan(every) if one.reference in known]
    on = f"{len(takes)} lines, {before:.0f} GFLOP/s before and {gflops():.0f} after"
    mouth.close()
    rtf = sum(take.cost.total_s for take in takes) / sum(take.audio.duration_s for take in takes)
    ttfa_s = float(np.median([take.cost.ttfa_s for take in takes]))
    publish(engine, checkpoint, {"rtf": Figure(rtf, on), "ttfa_s": Figure(ttfa_s, on)})


def gflops(products: int = 50) -> float:
    """Of a 1024 x 1024 float32 product, the median of some: how fast the machine is at this hour."""
    one, spent = torch.rand(1024, 1024), []
    for _ in range(products):
        began = time.perf_counter()
        torch.mm(one, one)
        spent.append(time.perf_counter() - began)
    return 2 * 1024**3 / float(np.median(spent)) / 1e9


def publish(engine: str, checkpoint: Path, found: dict[str, Figure]) -> None:
    for name, figure in found.items():
        log.info("%s: %s", name, figure)
    write_card(engine, checkpoint, update(checkpoint, found))


def copy_synthesis(engine: str, checkpoint: Path) -> dict[str, Figure]:
    """Word error rates of recordings, themselves and through the vocoder or codec."""
    copy = copier(engine, checkpoint)
    tree = [*(read_references(HELDOUT) | read_references(SHIPPED)).values()]
    heard = [copied(copy, *recording) for recording in tree]
    found = {"copy_tree_wer": word_errors(heard)}
    try:
        spoken = [(original(one.reference, one.line), one.line) for one in plan() if one.kind == "open"]
    except OSError:
        log.info("without flite and espeak-ng, copy synthesis is measured on the recordings in the tree alone")
        return found
    return found | {"copy_wer": word_errors(heard + [copied(copy, *recording) for recording in spoken])}


def copied(copy: Copy, clip: Clip, transcript: str) -> tuple[int, int, int]:
    """Wrong words of a recording, of its copy, and words in all."""
    said = words(transcript)
    return edits(said, recognizer.hear(clip)), edits(said, recognizer.hear(copy(clip))), len(said)


def word_errors(heard: list[tuple[int, int, int]]) -> Figure:
    own, made, count = (sum(column) for column in zip(*heard, strict=True))
    return Figure(made / count, f"{len(heard)} recordings, {count} words", own / count)


def baseline(heard: list[Heard]) -> list[Heard]:
    """The synthesizers' own audio of the very lines that were measured, by the same ears."""
    spoken = {row.trial for row in heard}
    rows = json.loads(ORIGINALS.read_text(encoding="utf-8"))
    own = [Heard(Trial(kind, name, line), wrong, count, whole) for kind, name, line, wrong, count, whole in rows]
    return [row for row in own if row.trial in spoken]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("engine", choices=("f5", "s1", "originals"))
    parser.add_argument("--checkpoint", type=Path, help="an exported folder; the shipped one if absent")
    parser.add_argument("--every", type=int, default=1, help="measure one line in so many; the card says how many")
    parser.add_argument(
        "--timing", action="store_true", help="measure RTF and TTFA, and nothing else; on a quiet machine"
    )
    parser.add_argument("--keep", type=Path, help="write every take here")
    args = parser.parse_args()
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    if args.engine == "originals":
        return measure_originals()
    checkpoint = args.checkpoint or HELDOUT.parent / args.engine / "checkpoint"
    if args.timing:
        return time_voice(args.engine, checkpoint, args.every)
    return measure_voice(args.engine, checkpoint, args.every, args.keep)


if __name__ == "__main__":
    main()
