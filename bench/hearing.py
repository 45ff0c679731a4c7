"""Measure how well the ears find planted faults: `python -m bench.hearing FOLDER [--takes N]`.

Takes of both embedded engines are made once and stored in FOLDER. Words are cut out, replaced, repeated and added at the
boundaries that the ears find, where the sound is quiet on both sides. False alarms are counted on clips of assets/voices, on
recordings of persons that installed packages ship, and on takes with made-up names that a lexicon respells. The script prints
a table and writes `bench/results/hearing.json`.

The thresholds of the ears are tuned on the first three speakers and on the synthetic clips of assets/voices; the other speakers
and their sentences are held out. Only words that the ears hear are cut, at boundaries that the ears find. Takes as made have
faults of the engine, so their figures are upper bounds of false alarms. Only takes with a predicted MOS above 3 count.
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
from training.evaluation.opinion import opinion
from training.evaluation.synthesizer import Synthesizer, reference_of, samples_of
from training.references import RATE_HZ, VOICES, checkpoint, read_references

MOS_MIN = 3.0
NAMES = {
    "Kael'thas": "KAYL-thass", "Nyxara": "nick-SAH-ruh", "Zor'vath": "zor-vahth", "Thrandriel": "THRAN-dree-el",
    "Ysolde": "iz-OLD-uh", "Morghul": "mor-gool", "Ashenvale": "ASH-en-vale", "Quel'dorei": "kwel-DOR-eye",
    "Brynjar": "BRIN-yar", "Xilonen": "shee-LO-nen",
}  # fmt: skip
NAMED = (
    "{} guards the old gate.", "Nobody has seen {} since winter.", "Tell {} that the bridge is out.",
    "We ride for {} at first light.", "The road to {} is closed.", "My brother serves {} in the north.",
)  # fmt: skip
RESULTS = Path(__file__).parent / "results" / "hearing.json"
ENGINES = ("f5", "s1")
LINES = 12  # maximum number of lines of each speaker
TUNED = ("natural-00", "natural-03", "natural-05")  # speakers on whose takes the thresholds are tuned
SPEAKERS = (*TUNED, "natural-06", "natural-07", "natural-08")


@dataclass(frozen=True, slots=True)
class Spoken:
    """A take or a clip with its text."""

    name: str
    audio: Audio
    text: str  # as the engine got it
    written: str = ""  # before the lexicon; "" = equal


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


def named(folder: Path) -> list[Spoken]:
    """Return takes with made-up names, of all voices and both engines. Make the takes that the folder does not have."""
    known, found = read_references(VOICES / "natural"), []
    for engine in ENGINES:
        synthesizer = None
        for number, (name, respelled) in enumerate(list(NAMES.items()) * 2):
            line, speaker = NAMED[number % len(NAMED)], SPEAKERS[number % len(SPEAKERS)]
            path = folder / f"{engine}-{speaker}-name-{number}.flac"
            if not path.exists():
                synthesizer = synthesizer or Synthesizer(engine, checkpoint(engine))
                take = synthesizer.speak(reference_of(*known[speaker]), line.format(respelled), seed=number + 1)
                soundfile.write(path, samples_of(take), RATE_HZ)
            samples, rate = soundfile.read(path, dtype="float32")
            found.append(Spoken(path.stem, Audio(samples, rate), line.format(respelled), line.format(name)))
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
    """Return True if the fault is noticed at its word or at a neighbour of its word."""
    near = {fault.place - 1, fault.place, fault.place + 1}
    lost = bool(near & {*heard.missing, *heard.misheard})
    return lost if fault.kind in ("missing", "replaced") else bool(heard.added) or lost


def _group(name: str) -> str:
    """Return engine and group of the speaker of a take."""
    engine, _, rest = name.partition("-")
    return f"{engine} {'tuned' if rest.startswith(TUNED) else 'held out'}"


def measure(recogniser: Recogniser, folder: Path, each: int) -> dict[str, dict[str, int]]:
    """Count lines, found lines, and found or doubted lines, for each kind of fault or clip."""
    tally: dict[str, Counter[str]] = {}
    spoken = takes(folder, each)
    for fault in planted(recogniser, [(one.name, one.audio, one.text) for one in spoken]):
        heard = compare(recogniser, fault.audio, typed_words(fault.text))
        near = {fault.place - 1, fault.place, fault.place + 1}
        one = tally.setdefault(f"{fault.kind} {_group(fault.name)}", Counter())
        one.update(lines=1, found=found(fault, heard), doubted=found(fault, heard) or bool(near & {*heard.unsure}))
    for kind, clip in clean():
        heard = compare(recogniser, clip.audio, typed_words(clip.text))
        tally.setdefault(f"clean {kind}", Counter()).update(
            lines=1, found=heard.complete is False, doubted=bool(heard.unsure) or not heard.complete
        )
    for kind, take in [
        *(("take as made", one) for one in spoken),
        *(("take with a name", one) for one in named(folder)),
    ]:
        if opinion(take.audio.samples) > MOS_MIN:
            heard = compare(recogniser, take.audio, typed_words(take.text, take.written))
            tally.setdefault(f"{kind} {_group(take.name)}", Counter()).update(
                lines=1, found=heard.complete is False, doubted=bool(heard.unsure) or not heard.complete
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
