"""Measure how similar a voice is to unknown speakers.

`python -m training.evaluation.likeness f5|s1 --keep DIR [--checkpoint DIR] [--lines N]`

References are voices of synthesizers that training never used, and the human clips of the installed f5-tts package. The former
are recorded on first use, because the terms of the programs keep them out of the repository (corpus/programs.py names the
programs). Takes stay in the folder of --keep, and takes that are there are not spoken again.

With `originals` as the engine, the synthesizers' own audio of the same lines is recorded instead, which needs the programs of
corpus/programs.py. This measures the errors of the recognizer, and how well each measure of likeness separates voices.
"""

import argparse
import json
import logging
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from training.corpus.heldout import heldout
from training.corpus.recording import read_strangers, render_stranger
from training.corpus.spelling import words
from training.evaluation import timbre
from training.evaluation.copy_synthesis import copier
from training.evaluation.edit_distance import edits
from training.evaluation.figures import mean
from training.evaluation.humans import read_humans
from training.evaluation.recognizer import recognize
from training.evaluation.speaker_encoder import embed
from training.evaluation.synthesizer import Synthesizer, reference_of, samples_of
from training.evaluation.verification import verification
from training.references import (
    HELDOUT,
    SHIPPED,
    STRANGERS,
    Clip,
    ReferenceClips,
    checkpoint,
    read_clip,
    read_references,
    write_clip,
)

log = logging.getLogger(__name__)
ORIGINALS = STRANGERS / "originals.json"
SEED = 7
LONG_LINES = 4  # number of open lines that are spoken together as one text of about twelve seconds
PARTS = 3  # number of parts of a long take whose likeness is compared


@dataclass(frozen=True, slots=True)
class Utterance:
    """A take, or a recording, of a line by a reference."""

    name: str
    line: str
    clip: Clip

    @property
    def family(self) -> str:
        return family(self.name)


def family(name: str) -> str:
    """Return the name of the synthesizer at the start of a reference's name, or `human`."""
    return name.partition("-")[0]


def strangers() -> ReferenceClips:
    """Return the held-out synthesizers' references, and the installed human clips."""
    return read_strangers() | read_humans()


def pairs(names: list[str], lines: int) -> list[tuple[str, str]]:
    """Return pairs of a reference and an open line: `lines` for each reference, with different lines for each reference."""
    texts = heldout()["open"]
    return [
        (name, texts[(place * lines + number) % len(texts)])
        for place, name in enumerate(names)
        for number in range(lines)
    ]


def speak(engine: str, folder: Path, keep: Path, lines: int) -> list[Utterance]:
    """Return takes with every reference, spoken as in the studio or read from the folder of an earlier run."""
    return spoken(engine, folder, keep, pairs(sorted(strangers()), lines))


def spoken(engine: str, folder: Path, keep: Path, wanted: list[tuple[str, str]]) -> list[Utterance]:
    """Return takes of these pairs of reference and line. Takes that are not in the folder are spoken now."""
    known = strangers()
    if missing := [pair for pair in wanted if not _path(keep, *pair).exists()]:
        synthesizer = Synthesizer(engine, folder)
        for name, line in missing:
            take = synthesizer.speak(reference_of(*known[name]), line, seed=SEED)
            write_clip(_path(keep, name, line), samples_of(take))
            log.info("%s: %s", name, line)
        synthesizer.close()
    return [Utterance(name, line, read_clip(_path(keep, name, line))) for name, line in wanted]


def originals(keep: Path, lines: int) -> list[Utterance]:
    """Return lines of the references in the synthesizers' own audio."""
    voices = {settings["name"]: settings["voice"] for settings in heldout()["strangers"]}
    wanted = [(name, line) for name, line in pairs(sorted(strangers()), lines) if name in voices]
    for name, line in wanted:
        if not _path(keep, name, line).exists():
            write_clip(_path(keep, name, line), render_stranger(name, voices[name], line))
    return [Utterance(name, line, read_clip(_path(keep, name, line))) for name, line in wanted]


def _path(folder: Path, name: str, line: str) -> Path:
    return folder / f"{name}--{'_'.join(words(line))[:60]}.wav"


def measure(utterances: list[Utterance]) -> dict[str, Any]:
    """Return word errors, both likenesses and the nearest reference, for all families, each family and each reference."""
    known = strangers()
    clips = known | read_references(HELDOUT) | read_references(SHIPPED)
    embeddings = {name: embed(clip) for name, (clip, _) in clips.items()}
    rows = []
    for one in utterances:
        own = embed(one.clip)
        near = {name: float(own @ embedding) for name, embedding in embeddings.items()}
        wanted = words(one.line)
        rows.append(
            {
                "name": one.name,
                "family": one.family,
                "wrong": edits(wanted, recognize(one.clip)),
                "count": len(wanted),
                "likeness": near[one.name],
                "timbre": timbre.likeness(one.clip, known[one.name][0]),
                "nearest": max(near, key=near.__getitem__),
                "nearest_stranger": max(known, key=near.__getitem__),
            }
        )
    return {"rows": rows, **summary(rows)}


def summary(rows: list[dict[str, Any]]) -> dict[str, Any]:
    """Return figures of all held-out families together, of each family, and of each reference."""
    groups: dict[str, Callable[[dict[str, Any]], bool]] = {"families": lambda row: row["family"] != "human"}
    groups |= {name: (lambda row, n=name: row["family"] == n) for name in sorted({row["family"] for row in rows})}
    groups |= {name: (lambda row, n=name: row["name"] == n) for name in sorted({row["name"] for row in rows})}
    return {name: _figures([row for row in rows if chosen(row)]) for name, chosen in groups.items()}


def _figures(rows: list[dict[str, Any]]) -> dict[str, float]:
    count = max(1, sum(row["count"] for row in rows))
    return {
        "takes": len(rows),
        "wer": round(sum(row["wrong"] for row in rows) / count, 3),
        "likeness": round(mean(row["likeness"] for row in rows), 3),
        "timbre": round(mean(row["timbre"] for row in rows), 3),
        "own_nearest": round(mean(row["nearest"] == row["name"] for row in rows), 3),
        "own_nearest_of_strangers": round(mean(row["nearest_stranger"] == row["name"] for row in rows), 3),
    }


def copies(engine: str, folder: Path) -> dict[str, dict[str, float]]:
    """Return the mean likeness of references to their copies by vocoder or codec, for each family."""
    copy = copier(engine, folder)
    found: dict[str, list[tuple[float, float]]] = {}
    for name, (clip, _) in strangers().items():
        made = copy(clip)
        pair = float(embed(clip) @ embed(made)), timbre.likeness(clip, made)
        for group in (family(name), "humans" if family(name) == "human" else "families"):
            found.setdefault(group, []).append(pair)
    means = {group: np.mean(values, 0) for group, values in found.items()}
    return {group: {"likeness": round(a, 3), "timbre": round(b, 3)} for group, (a, b) in means.items()}


def drift(engine: str, folder: Path, keep: Path) -> dict[str, list[float]]:
    """Return the likeness of each part of long takes to the reference, by family and for all families without persons."""
    known, long = strangers(), " ".join(heldout()["open"][:LONG_LINES])
    found: dict[str, list[list[float]]] = {}
    for take in spoken(engine, folder, keep, [(name, long) for name in sorted(known)]):
        own = embed(known[take.name][0])
        parts = [float(own @ embed(part)) for part in np.array_split(take.clip, PARTS)]
        for group in {take.family, "humans" if take.family == "human" else "families"}:
            found.setdefault(group, []).append(parts)
    return {group: [round(float(part), 3) for part in np.mean(parts, 0)] for group, parts in found.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("engine", choices=("f5", "s1", "originals"))
    parser.add_argument("--keep", type=Path, required=True, help="folder of the takes")
    parser.add_argument("--checkpoint", type=Path, help="an exported folder; the shipped one if absent")
    parser.add_argument("--lines", type=int, default=5, help="of each reference")
    args = parser.parse_args()
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    if args.engine == "originals":
        utterances = originals(args.keep, args.lines)
        found = measure(utterances) | {"verification": verification([(one.name, one.clip) for one in utterances])}
        ORIGINALS.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    else:
        folder = args.checkpoint or checkpoint(args.engine)
        found = {"copies": copies(args.engine, folder), "drift": drift(args.engine, folder, args.keep)}
        found |= measure(speak(args.engine, folder, args.keep, args.lines))
        (args.keep / "figures.json").write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    log.info("%s", json.dumps({name: value for name, value in found.items() if name != "rows"}, indent=1))


if __name__ == "__main__":
    main()
