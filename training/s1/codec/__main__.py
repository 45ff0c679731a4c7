"""Make the codec of the S1 voice: `train` it, `evaluate` it by copy synthesis, `export` it for fish-speech.

python -m training.s1.codec train --data CORPUS --out FOLDER --minutes 9 --total-minutes 18 --gpus 2,3
python -m training.s1.codec train --data CORPUS --out FOLDER --minutes 9 --resume assets/voices/s1/checkpoint
python -m training.s1.codec train --data CORPUS --out OTHER --minutes 9 --resume FOLDER --decoder-only
python -m training.s1.codec evaluate --checkpoint FOLDER --data CORPUS
python -m training.s1.codec export --checkpoint FOLDER --out FOLDER
"""

import argparse
import logging
import sys

from training.arguments import add_options, parse_options
from training.parallel import run
from training.s1.codec.options import CodecEvaluationOptions, CodecExportOptions, CodecOptions


def train(options: CodecOptions) -> None:
    from training.s1.codec.trainer import work

    run(work, options, options.gpus, port=29541)


def evaluate(options: CodecEvaluationOptions) -> None:
    from training.s1.codec import evaluation

    evaluation.evaluate(options)


def export(options: CodecExportOptions) -> None:
    from training.s1.codec import weights

    weights.export(options.checkpoint, options.out, options.packed)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    verbs = parser.add_subparsers(dest="verb", required=True)
    for verb, kind in {"train": CodecOptions, "evaluate": CodecEvaluationOptions, "export": CodecExportOptions}.items():
        add_options(verbs.add_parser(verb), kind)
    args = parser.parse_args()
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s", datefmt="%H:%M:%S", stream=sys.stdout)
    match args.verb:
        case "train":
            train(parse_options(CodecOptions, args))
        case "evaluate":
            evaluate(parse_options(CodecEvaluationOptions, args))
        case "export":
            export(parse_options(CodecExportOptions, args))


if __name__ == "__main__":
    main()
