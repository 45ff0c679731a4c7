"""How like a stranger a voice speaks: `python -m training.evaluation.likeness f5|s1 --keep DIR [--checkpoint DIR] [--lines N]`.

References are voices of synthesizers that training never heard, recorded when they are first asked for (the programs'
terms keep them out of the tree; corpus/programs.py names them), and the human clips of the installed f5-tts package. Takes
stay in the folder of --keep, and those that are there are not spoken again. `originals` in the engine's place records the
synthesizers' own audio of the same lines instead (needs the programs of corpus/programs.py), which tells what the recogniser
makes of them and how well each judge tells one voice from another.
"""

import argparse
import importlib.util
import json
import logging
from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import soundfile
import soxr
from numpy.typing import NDArray

from training.corpus import programs
from training.corpus.heldout import heldout
from training.corpus.recording import HELDOUT, SHIPPED, STRANGERS, read_references, read_wav, write_wav
from training.corpus.spelling import words
from training.evaluation import recognizer, timbre
from training.evaluation.copy_synthesis import copier
from training.evaluation.edit_distance import edits
from training.evaluation.synthesizer import Clip, Mouth, heard

log = logging.getLogger(__name__)
ORIGINALS = STRANGERS / "originals.json"
SEED, RATE_HZ = 7, 24_000
References = dict[str, tuple[Clip, str]]
Print = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Spoken:
    """A take, or a recording, of one line by one reference."""

    name: str
    line: str
    clip: Clip
    spent: float = 0.0  # seconds of computing

    @property
    def family(self) -> str:
        return self.name.partition("-")[0]


def strangers() -> References:
    """The held-out families' references and the human clips that are installed."""
    for voice in heldout()["strangers"]:
        path = STRANGERS / f"{voice['name']}.wav"
        if not path.exists():
            _record(voice["name"], voice["voice"], path.with_suffix(".txt").read_text("utf-8").strip(), path)
    return read_references(STRANGERS) | humans()


def _record(name: str, voice: str, line: str, path: Path) -> None:
    clip = programs.speak(name.partition("-")[0], voice, line)
    write_wav(path, (clip * 32767).astype(np.int16))


def humans() -> References:
    spec = importlib.util.find_spec("f5_tts")
    folder = Path(next(iter(spec.submodule_search_locations or []))) / "infer" / "examples" if spec else Path()
    found: References = {}
    for settings in heldout()["humans"]:
        path = folder / settings["file"]
        if path.exists():
            clip, rate = soundfile.read(path, dtype="float32", always_2d=True)
            found[settings["name"]] = (soxr.resample(clip.mean(1), rate, RATE_HZ).astype(np.float32), settings["line"])
    return found


def pairs(names: list[str], lines: int) -> list[tuple[str, str]]:
    """`lines` open lines for every reference, another stretch of them for each."""
    texts = heldout()["open"]
    return [
        (name, texts[(place * lines + number) % len(texts)])
        for place, name in enumerate(names)
        for number in range(lines)
    ]


def speak(engine: str, checkpoint: Path, keep: Path, lines: int) -> list[Spoken]:
    """Takes of every reference, spoken as the studio does or read from an earlier run's folder."""
    known = strangers()
    wanted = pairs(sorted(known), lines)
    missing = [pair for pair in wanted if not _path(keep, *pair).exists()]
    mouth = Mouth(engine, checkpoint) if missing else None
    for name, line in missing:
        take = mouth.say(*known[name], line, seed=SEED)  # type: ignore[union-attr]
        clip = heard(take)
        write_wav(_path(keep, name, line), (np.clip(clip, -1, 1) * 32767).astype(np.int16))
        log.info("%s: %s", name, line)
    if mouth:
        mouth.close()
    return [Spoken(name, line, read_wav(_path(keep, name, line))) for name, line in wanted]


def _path(folder: Path, name: str, line: str) -> Path:
    return folder / f"{name}--{'_'.join(words(line))[:60]}.wav"


def own_audio(keep: Path, lines: int) -> list[Spoken]:
    """The synthesizers' own audio of the lines that their references are given."""
    voices = {settings["name"]: settings["voice"] for settings in heldout()["strangers"]}
    wanted = [(name, line) for name, line in pairs(sorted(strangers()), lines) if name in voices]
    for name, line in wanted:
        if not _path(keep, name, line).exists():
            _record(name, voices[name], line, _path(keep, name, line))
    return [Spoken(name, line, read_wav(_path(keep, name, line))) for name, line in wanted]


def judge(spoken: list[Spoken]) -> dict[str, Any]:
    """Words, likeness by both judges and nearest reference, for all families, the humans and each reference."""
    known = strangers()
    clips = known | read_references(HELDOUT) | read_references(SHIPPED)
    prints = {name: recognizer.voice_print(clip) for name, (clip, _) in clips.items()}
    rows = []
    for one in spoken:
        own = recognizer.voice_print(one.clip)
        near = {name: float(own @ vector) for name, vector in prints.items()}
        said = words(one.line)
        rows.append(
            {
                "name": one.name,
                "family": one.family,
                "wrong": edits(said, recognizer.hear(one.clip)),
                "count": len(said),
                "likeness": float(own @ prints[one.name]),
                "timbre": timbre.likeness(one.clip, known[one.name][0]),
                "nearest": max(near, key=near.__getitem__),
                "nearest_stranger": max(known, key=near.__getitem__),
            }
        )
    return {"rows": rows, **summary(rows)}


def summary(rows: list[dict[str, Any]]) -> dict[str, Any]:
    groups: dict[str, Callable[[dict[str, Any]], bool]] = {"families": lambda row: row["family"] != "human"}
    groups |= {family: (lambda row, f=family: row["family"] == f) for family in sorted({r["family"] for r in rows})}
    groups |= {name: (lambda row, n=name: row["name"] == n) for name in sorted({row["name"] for row in rows})}
    return {name: _figures([row for row in rows if chosen(row)]) for name, chosen in groups.items()}


def _figures(rows: list[dict[str, Any]]) -> dict[str, float]:
    count = max(1, sum(row["count"] for row in rows))
    return {
        "takes": len(rows),
        "wer": round(sum(row["wrong"] for row in rows) / count, 3),
        "likeness": round(recognizer.mean(row["likeness"] for row in rows), 3),
        "timbre": round(recognizer.mean(row["timbre"] for row in rows), 3),
        "own_nearest": round(recognizer.mean(row["nearest"] == row["name"] for row in rows), 3),
        "own_nearest_of_strangers": round(recognizer.mean(row["nearest_stranger"] == row["name"] for row in rows), 3),
    }


def copies(engine: str, checkpoint: Path) -> dict[str, dict[str, float]]:
    """Likeness of every reference through the vocoder or the codec, by family."""
    copy = copier(engine, checkpoint)
    found: dict[str, list[tuple[float, float]]] = {}
    for name, (clip, _) in strangers().items():
        made = copy(clip)
        pair = float(recognizer.voice_print(clip) @ recognizer.voice_print(made)), timbre.likeness(clip, made)
        for group in (name.partition("-")[0], "families" if not name.startswith("human") else "humans"):
            found.setdefault(group, []).append(pair)
    return {
        group: dict(zip(("likeness", "timbre"), np.round(np.mean(values, 0), 3).tolist(), strict=True))
        for group, values in found.items()
    }


def verification(spoken: list[Spoken]) -> dict[str, dict[str, float]]:
    """For each judge: likeness of two recordings of one voice, of two voices, and the equal error rate between them."""
    prints = [recognizer.voice_print(one.clip) for one in spoken]
    found: dict[str, dict[str, float]] = {}
    for judged in ("likeness", "timbre"):
        same, different = [], []
        for (i, one), (j, other) in combinations(enumerate(spoken), 2):
            value = float(prints[i] @ prints[j]) if judged == "likeness" else timbre.likeness(one.clip, other.clip)
            (same if one.name == other.name else different).append(value)
        found[judged] = {
            "same": round(float(np.mean(same)), 3),
            "different": round(float(np.mean(different)), 3),
            "equal_error": round(equal_error(np.array(same), np.array(different)), 3),
        }
    return found


def equal_error(same: NDArray[np.float64], different: NDArray[np.float64]) -> float:
    """The rate at which as many pairs of one voice are refused as pairs of two voices pass."""
    limits = np.sort(np.concatenate((same, different)))
    refused = np.array([(same < limit).mean() for limit in limits])
    passed = np.array([(different >= limit).mean() for limit in limits])
    return float(np.min(np.maximum(refused, passed)))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("engine", choices=("f5", "s1", "originals"))
    parser.add_argument("--keep", type=Path, required=True, help="folder of the takes")
    parser.add_argument("--checkpoint", type=Path, help="an exported folder; the shipped one if absent")
    parser.add_argument("--lines", type=int, default=5, help="of each reference")
    args = parser.parse_args()
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    if args.engine == "originals":
        spoken = own_audio(args.keep, args.lines)
        found = judge(spoken) | {"verification": verification(spoken)}
        ORIGINALS.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    else:
        checkpoint = args.checkpoint or HELDOUT.parent / args.engine / "checkpoint"
        found = {"copies": copies(args.engine, checkpoint)}
        log.info("%s", json.dumps(found["copies"], indent=1))
        found |= judge(speak(args.engine, checkpoint, args.keep, args.lines))
        (args.keep / "figures.json").write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    log.info("%s", json.dumps({name: value for name, value in found.items() if name != "rows"}, indent=1))


if __name__ == "__main__":
    main()
