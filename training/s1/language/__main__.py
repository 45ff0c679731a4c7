"""Make the language model of the S1 voice: `train` it, `export` the whole S1 checkpoint (`training.evaluation` measures it).

python -m training.s1.language train --data CORPUS --codec FOLDER --out FOLDER --minutes 9 --gpus 2,3
python -m training.s1.language train … --resume assets/voices/s1/checkpoint
python -m training.s1.language export --checkpoint FOLDER --codec FOLDER --out FOLDER [--packed]
"""

import argparse
import logging
import sys

from training.arguments import add_options, parse_options
from training.parallel import run
from training.s1.language.options import LanguageExportOptions, LanguageOptions


def train(options: LanguageOptions) -> None:
    from training.s1.language.trainer import work

    run(work, options, options.gpus, port=29543)


def export(options: LanguageExportOptions) -> None:
    from training.s1.language import checkpoint

    checkpoint.export(options.checkpoint, options.codec, options.out, options.packed)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    verbs = parser.add_subparsers(dest="verb", required=True)
    add_options(verbs.add_parser("train"), LanguageOptions)
    add_options(verbs.add_parser("export"), LanguageExportOptions)
    args = parser.parse_args()
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s", datefmt="%H:%M:%S", stream=sys.stdout)
    match args.verb:
        case "train":
            train(parse_options(LanguageOptions, args))
        case "export":
            export(parse_options(LanguageExportOptions, args))


if __name__ == "__main__":
    main()
