"""Make the corpus of natural speech in two steps. Only the first needs espeak-ng, and only the second needs a GPU.

python -m training.corpus.kokoro plan --out PLAN.gz --hours 36 --seed 1
python -m training.corpus.kokoro speak --plan PLAN.gz --out CORPUS --gpus 0,1 [--weights kokoro.npz] [--seconds 150]
python -m training.corpus.kokoro pack --out kokoro.npz
python -m training.corpus.kokoro styles --voices kokoro-js/voices --out styles.npz
"""

import argparse
import logging
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from training.arguments import add_options, parse_options
from training.corpus.kokoro import weights
from training.corpus.kokoro.plan import make_plan, write_plan
from training.corpus.kokoro.speakers import pack_styles
from training.corpus.kokoro.speaking import SpeakOptions, speak
from training.corpus.sentences import build, read_sentences


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanOptions:
    out: Annotated[Path, "gzipped file of lines and their symbols"]
    sentences: Annotated[Path | None, "a gzipped list made by the corpus's --write-sentences"] = None
    hours: Annotated[float, "about, of speech"] = 36.0
    lines: Annotated[int, "of each speaker"] = 10
    seed: Annotated[int, "of the lines"] = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class PackOptions:
    out: Annotated[Path, "one smaller file of the weights"]


@dataclass(frozen=True, slots=True, kw_only=True)
class StylesOptions:
    voices: Annotated[Path, "folder `voices` of the npm package kokoro-js"]
    out: Annotated[Path, "one small file of all styles"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    verbs = parser.add_subparsers(dest="verb", required=True)
    for verb, kind in {
        "plan": PlanOptions,
        "speak": SpeakOptions,
        "pack": PackOptions,
        "styles": StylesOptions,
    }.items():
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
        case "styles":
            chosen = parse_options(StylesOptions, args)
            pack_styles(chosen.voices, chosen.out)


if __name__ == "__main__":
    main()
