"""Measure how well the ears find planted faults: `python -m bench.hearing FOLDER [--takes N]`.

Takes of both embedded engines are made once and stored in FOLDER. Words are cut out, replaced, repeated and added at the
boundaries that the ears find, where the sound is quiet on both sides. False alarms are counted on clips of assets/voices and on
recordings of persons that installed packages ship. The script prints a table and writes `bench/results/hearing.json`.

Limits: the thresholds of the ears are tuned on the synthetic clips of assets/voices, so their false alarms are too few. Only
words that the ears hear are cut, at boundaries that the ears find. Takes as made have faults of the engine, so their figure is
not a rate of false alarms.
"""

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import soundfile

from bench.planted import Fault, planted
from engines.types import Audio
from studio.ears.comparison import compare
from studio.ears.models import Models
from studio.ears.recogniser import Recogniser
from studio.ears.vocabulary import Comparison
from studio.script.checks.wording import typed_words
from training.corpus.heldout import heldout
from training.evaluation.humans import read_humans
from training.evaluation.synthesizer import Synthesizer, reference_of, samples_of
from training.references import RATE_HZ, VOICES, checkpoint, read_references

RESULTS = Path(__file__).parent / "results" / "hearing.json"
ENGINES = ("f5", "s1")
LINES = 12  # of each speaker, at most
SPEAKERS = ("natural-00", "natural-03", "natural-05", "natural-06", "natural-07", "natural-08")


@dataclass(frozen=True, slots=True)
class Spoken:
    """A take or a clip with its text."""

    name: str
    audio: Audio
    text: str


def takes(folder: Path, each: int) -> list[Spoken]:
    """Return `each` takes of every voice and engine. Make the takes that the folder does not have."""
    folder.mkdir(parents=True, exist_ok=True)
    known = read_references(VOICES / "natural")
    found = []
    for engine in ENGINES:
        synthesizer = None
        for number, speaker in enumerate(SPEAKERS):
            for line in range(each):
                text = heldout()["open"][(number * LINES + line) % len(heldout()["open"])]
                path = folder / f"{engine}-{speaker}-{line}.flac"
                if not path.exists():
                    synthesizer = synthesizer or Synthesizer(engine, checkpoint(engine))
                    take = synthesizer.speak(reference_of(*known[speaker]), text, seed=line + 1)
                    soundfile.write(path, samples_of(take), RATE_HZ)
                samples, rate = soundfile.read(path, dtype="float32")
                found.append(Spoken(path.stem, Audio(samples, rate), text))
        if synthesizer:
            synthesizer.close()
    return found


def clean() -> Iterator[tuple[str, Spoken]]:
    """Yield clips without faults: recordings of persons, and synthetic ones."""
    for name, (clip, text) in read_humans().items():
        yield "human", Spoken(name, Audio(clip, RATE_HZ), text)
    for folder in ("natural", "references", "heldout"):
        for name, (clip, text) in sorted(read_references(VOICES / folder).items()):
            yield "synthetic", Spoken(name, Audio(clip, RATE_HZ), text)


def found(fault: Fault, heard: Comparison) -> bool:
    """Return True if the fault is noticed at its word or beside it."""
    near = {fault.place - 1, fault.place, fault.place + 1}
    lost = bool(near & {*heard.missing, *heard.misheard})
    return lost if fault.kind in ("missing", "replaced") else bool(heard.added) or lost


def measure(recogniser: Recogniser, folder: Path, each: int) -> dict[str, dict[str, int]]:
    """Return how many faults of each kind there are, how many are found, and how many are at least doubted."""
    tally: dict[str, Counter[str]] = {}
    spoken = takes(folder, each)
    for fault in planted(recogniser, [(one.name, one.audio, one.text) for one in spoken]):
        heard = compare(recogniser, fault.audio, typed_words(fault.text))
        near = {fault.place - 1, fault.place, fault.place + 1}
        one = tally.setdefault(f"{fault.kind} {fault.name[:2]}", Counter())
        one.update(lines=1, found=found(fault, heard), doubted=found(fault, heard) or bool(near & {*heard.unsure}))
    for kind, clip in clean():
        heard = compare(recogniser, clip.audio, typed_words(clip.text))
        tally.setdefault(f"clean {kind}", Counter()).update(
            lines=1, found=not heard.complete, doubted=bool(heard.unsure) or not heard.complete
        )
    for take in spoken:
        heard = compare(recogniser, take.audio, typed_words(take.text))
        tally.setdefault(f"take as made {take.name[:2]}", Counter()).update(
            lines=1, found=not heard.complete, doubted=bool(heard.unsure) or not heard.complete
        )
    return {kind: {name: int(count[name]) for name in ("lines", "found", "doubted")} for kind, count in tally.items()}


def main() -> None:
    """Print the table and write the results."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--takes", type=int, default=6, help=f"of every voice and engine, at most {LINES}")
    given = parser.parse_args()
    results = measure(Models().recogniser, given.folder, given.takes)
    for kind, counts in results.items():
        share = counts["found"] / max(1, counts["lines"])
        sys.stdout.write(f"{kind:>24}: {counts['lines']:4} lines, found {share:6.1%}, doubted {counts['doubted']:4}\n")
    RESULTS.write_text(json.dumps(results, indent=2) + "\n", "utf-8")


if __name__ == "__main__":
    main()
