"""Judge the sound of a voice with models.

`python -m training.evaluation.listening f5|s1 --keep DIR [--checkpoint DIR] [--lines N]`

The figures are word errors by Whisper tiny.en, predicted MOS by DistillMOS, likeness by Resemblyzer, and the level of the
highest frequencies. The groups of references are the shipped voices, held-out natural speakers, held-out speakers of the
other synthesizers, and persons. With `references` as the engine, the audio of the references is judged, which shows the
errors of the models themselves. `--copies` judges the references after the vocoder or the codec.
"""

import argparse
import json
import logging
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from training.corpus.heldout import heldout
from training.corpus.spelling import words
from training.evaluation.copy_synthesis import copier
from training.evaluation.full_band import top_band_db
from training.evaluation.humans import read_humans
from training.evaluation.opinion import opinion
from training.evaluation.speaker_encoder import Embedding, embed
from training.evaluation.spoken import word_edits
from training.evaluation.synthesizer import Synthesizer, reference_of, samples_of
from training.evaluation.whisper import transcribe
from training.references import (
    HELDOUT,
    NATURAL,
    SHIPPED,
    Clip,
    ReferenceClips,
    checkpoint,
    read_clip,
    read_references,
    write_clip,
)

log = logging.getLogger(__name__)
JUDGES = "words: Whisper tiny.en (int8, beam 5); MOS: distillmos 0.9.1; likeness: Resemblyzer 0.1.4"
SEED = 7


@dataclass(frozen=True, slots=True)
class Judgement:
    """The results of the judges for a take or a recording."""

    group: str
    name: str
    wrong: int
    count: int
    mos: float
    likeness: float
    nearest: bool
    top_db: float
    heard: str


class Judges:
    """The models that judge. They know all references, to find the one that is most similar to a take."""

    def __init__(self) -> None:
        self.embeddings: dict[str, Embedding] = {
            name: embed(clip) for clips in references().values() for name, (clip, _) in clips.items()
        }

    def judge(self, group: str, name: str, line: str, clip: Clip) -> Judgement:
        own, heard = embed(clip), transcribe(clip)
        near = {other: float(own @ embedding) for other, embedding in self.embeddings.items()}
        wrong, count = word_edits(line, heard)
        nearest = max(near, key=near.__getitem__) == name
        return Judgement(group, name, wrong, count, opinion(clip), near[name], nearest, top_band_db(clip), heard)


def references() -> dict[str, ReferenceClips]:
    """Return every group of references that is installed."""
    groups = {
        "shipped": read_references(SHIPPED),
        "natural": read_references(NATURAL),
        "synthesizers": read_references(HELDOUT),
        "humans": read_humans(),
    }
    return {group: clips for group, clips in groups.items() if clips}


def pairs(names: Sequence[str], lines: int) -> list[tuple[str, str]]:
    """Return pairs of a reference and an open line: `lines` for each reference, with different lines for each reference."""
    texts = heldout()["open"]
    return [(name, texts[(place * lines + n) % len(texts)]) for place, name in enumerate(names) for n in range(lines)]


def speak(engine: str, folder: Path, keep: Path, lines: int, groups: Mapping[str, ReferenceClips]) -> list[Judgement]:
    """Judge takes, which are spoken as in the studio or read from the folder of an earlier run."""
    synthesizer: Synthesizer | None = None
    judges, found = Judges(), []
    for group, clips in groups.items():
        for name, line in pairs(sorted(clips), lines):
            path = keep / f"{group}-{name}--{'_'.join(words(line))[:60]}.wav"
            if not path.exists():
                synthesizer = synthesizer or Synthesizer(engine, folder)
                take = synthesizer.speak(reference_of(*clips[name]), line, seed=SEED)
                write_clip(path, samples_of(take))
            found.append(judges.judge(group, name, line, read_clip(path)))
    if synthesizer:
        synthesizer.close()
    return found


def summary(judged: Sequence[Judgement]) -> dict[str, dict[str, float]]:
    """Return the figures of each group."""
    return {
        group: _figures([row for row in judged if row.group == group]) for group in {row.group: 0 for row in judged}
    }


def _figures(rows: Sequence[Judgement]) -> dict[str, float]:
    return {
        "lines": len(rows),
        "words": sum(row.count for row in rows),
        "word_errors": round(sum(row.wrong for row in rows) / max(1, sum(row.count for row in rows)), 3),
        "mos": round(float(np.mean([row.mos for row in rows])), 2),
        "likeness": round(float(np.mean([row.likeness for row in rows])), 3),
        "own_nearest": round(float(np.mean([row.nearest for row in rows])), 3),
        "top_db": round(float(np.median([row.top_db for row in rows])), 1),
        "top_db_worst": round(max(row.top_db for row in rows), 1),
    }


def recordings(engine: str | None, folder: Path | None, groups: Mapping[str, ReferenceClips]) -> list[Judgement]:
    """Judge the references themselves, or their copies after an engine's vocoder or codec."""
    copy = copier(engine, folder) if engine and folder else lambda clip: clip
    judges = Judges()
    return [
        judges.judge(group, name, line, copy(clip))
        for group, clips in groups.items()
        for name, (clip, line) in sorted(clips.items())
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("engine", choices=("f5", "s1", "references"))
    parser.add_argument("--keep", type=Path, help="folder of the takes and of figures.json")
    parser.add_argument("--checkpoint", type=Path, help="an exported folder; the shipped one if absent")
    parser.add_argument("--lines", type=int, default=4, help="of each reference")
    parser.add_argument("--groups", default="", help="comma-separated; all if absent")
    parser.add_argument("--copies", action="store_true", help="judge the references through vocoder or codec alone")
    args = parser.parse_args()
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    logging.getLogger("faster_whisper").setLevel(logging.WARNING)
    chosen = args.groups.split(",") if args.groups else list(references())
    groups = {group: clips for group, clips in references().items() if group in chosen}
    engine = None if args.engine == "references" else args.engine
    folder = args.checkpoint or (checkpoint(engine) if engine else None)
    if engine is None or args.copies:
        judged = recordings(engine, folder, groups)
    elif args.keep is None or folder is None:
        parser.error("give the takes a folder with --keep")
    else:
        judged = speak(engine, folder, args.keep, args.lines, groups)
    found: dict[str, Any] = {"judges": JUDGES, **summary(judged)}
    if args.keep:
        args.keep.mkdir(parents=True, exist_ok=True)
        rows = [asdict(row) for row in judged]
        (args.keep / "figures.json").write_text(json.dumps(found | {"rows": rows}, indent=1) + "\n", encoding="utf-8")
    log.info("%s", json.dumps(found, indent=1))


if __name__ == "__main__":
    main()
