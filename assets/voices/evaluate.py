"""Measure a voice and write its model card: `python -m assets.voices.evaluate f5|s1 [--checkpoint DIR] [--every N]`.

`originals` in the engine's place measures the synthesizers' own audio of the same lines (needs flite and espeak-ng) and keeps
the figures in `evaluation/originals.json`, so that later runs need no synthesizer.
"""

import argparse
import importlib.util
import json
import logging
from pathlib import Path

import numpy as np
import soundfile
import soxr

from assets.voices.corpus.heldout import heldout
from assets.voices.corpus.spelling import normalise, words
from assets.voices.distance import edits
from assets.voices.evaluation import ears
from assets.voices.evaluation.card import write_card
from assets.voices.evaluation.copying import copier
from assets.voices.evaluation.mouth import Clip, Mouth
from assets.voices.evaluation.mouth import heard as at_ear
from assets.voices.evaluation.trials import Heard, Speak, Trial, figures, listen, plan
from assets.voices.samples import HELDOUT, SHIPPED, read_references, write_wav

log = logging.getLogger(__name__)
ORIGINALS = Path(__file__).parent / "evaluation" / "originals.json"
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
    from assets.voices.corpus.speakers import Speaker, render

    settings = next(speaker for speaker in heldout()["speakers"] if speaker["name"] == name)
    numbers = {key: float(settings[key]) for key in ("ratio", "pitch_hz", "spread", "stretch")}
    speaker = Speaker(voice=settings["voice"], **numbers, noise_db=-75.0)
    return render(speaker, normalise(line) or "", np.random.default_rng(1)).astype(np.float32) / 32768


def measure(trials: list[Trial], say: Speak, known: References) -> list[Heard]:
    prints = {name: ears.voice_print(clip) for name, (clip, _) in known.items() if name != "human"}
    heard = []
    for trial in trials:
        if trial.reference in known:
            heard.append(listen(trial, say, prints))
            log.info("%s %s: %d of %d wrong", trial.kind, trial.reference, heard[-1].wrong, heard[-1].count)
    return heard


def measure_originals() -> None:
    heard = measure([trial for trial in plan() if trial.kind != "human"], original, references())
    rows = [[row.trial.kind, row.trial.reference, row.trial.line, row.wrong, row.count, row.whole] for row in heard]
    content = {"figures": figures(heard), "rows": rows}
    ORIGINALS.write_text(json.dumps(content, indent=1), encoding="utf-8")
    log.info("%s", json.dumps(content["figures"], indent=1))


def measure_voice(engine: str, checkpoint: Path, every: int, keep: Path | None) -> None:
    """Every figure of the card, from the checkpoint as the studio speaks it."""
    known, mouth, first_s = references(), Mouth(engine, checkpoint), []

    def say(name: str, line: str) -> Clip:
        take = mouth.say(*known[name], line, seed=SEED)
        first_s.append(take.cost.ttfa_s)
        if keep:
            path = keep / f"{name}-{'_'.join(words(line)[:4])}.wav"
            write_wav(path, (np.clip(at_ear(take), -1, 1) * 32767).astype(np.int16))
        return at_ear(take)

    say("awb-plain", "A first line warms the caches.")
    heard = measure(plan(every), say, known)
    mouth.close()
    found = figures(heard) | copy_synthesis(engine, checkpoint) | baseline(heard)
    found["ttfa_s"] = float(np.median(first_s[1:]))
    log.info("%s", json.dumps(found, indent=1))
    write_card(engine, checkpoint, found, len(heard))


def recordings() -> list[tuple[Clip, str]]:
    """Those in the tree, and the open lines as the synthesizers say them where these are installed."""
    found = [*(read_references(HELDOUT) | read_references(SHIPPED)).values()]
    try:
        return found + [(original(one.reference, one.line), one.line) for one in plan() if one.kind == "open"]
    except OSError:
        log.info("without flite and espeak-ng, copy synthesis is measured on %d recordings alone", len(found))
        return found


def copy_synthesis(engine: str, checkpoint: Path) -> dict[str, float]:
    """Word error rate of recordings, themselves and through the vocoder or codec."""
    copy = copier(engine, checkpoint)
    own = made = count = 0
    for clip, transcript in recordings():
        own += edits(words(transcript), ears.hear(clip))
        made += edits(words(transcript), ears.hear(copy(clip)))
        count += len(words(transcript))
    return {"copy_own_wer": own / count, "copy_wer": made / count}


def baseline(heard: list[Heard]) -> dict[str, float]:
    """What the same ears find in the synthesizers' own audio of the very lines that were measured."""
    rows = json.loads(ORIGINALS.read_text(encoding="utf-8"))["rows"]
    spoken = {(row.trial.kind, row.trial.reference, row.trial.line) for row in heard}
    own = figures(
        [
            Heard(Trial(kind, name, line), wrong, count, whole, name, 1.0, 0.0)
            for kind, name, line, wrong, count, whole in rows
            if (kind, name, line) in spoken
        ]
    )
    return {f"own_{key}": own[key] for key in ("open_wer", "open_wer_flite", "digits_wer", "closed_right", "whole")}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("engine", choices=("f5", "s1", "originals"))
    parser.add_argument("--checkpoint", type=Path, help="an exported folder; the shipped one if absent")
    parser.add_argument("--every", type=int, default=1, help="measure one line in so many; the card says how many")
    parser.add_argument("--keep", type=Path, help="write every take here")
    args = parser.parse_args()
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    if args.engine == "originals":
        measure_originals()
    else:
        shipped = Path(__file__).parent / args.engine / "checkpoint"
        measure_voice(args.engine, args.checkpoint or shipped, args.every, args.keep)


if __name__ == "__main__":
    main()
