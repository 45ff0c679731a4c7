"""Make the embedded F5 voice: train its DiT or its vocoder, export the shipped checkpoint.

python -m training.f5 train --data CORPUS --out FOLDER --minutes 9 --gpus 0,1
python -m training.f5 train-vocoder --data CORPUS --out FOLDER --minutes 9
python -m training.f5 export --weights FOLDER

A training may be spread over calls: give `--total-minutes`, `--done-minutes` and `--resume`, so that the learning rate falls
to zero at the end of the last one. `train --teacher FOLDER` distils (see `distillation.py`).
"""

import argparse
import logging

from training.arguments import add_options, parse_options
from training.f5.export import F5ExportOptions, export
from training.f5.options import FlowOptions, VocoderOptions
from training.parallel import run


def train(options: FlowOptions) -> None:
    from training.f5.trainer import work

    run(work, options, options.gpus, port=29517)


def train_vocoder(options: VocoderOptions) -> None:
    from training.f5.vocoder_trainer import work

    run(work, options, options.gpus[:1], port=29519)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    verbs = parser.add_subparsers(dest="verb", required=True)
    kinds = {"train": FlowOptions, "train-vocoder": VocoderOptions, "export": F5ExportOptions}
    for verb, kind in kinds.items():
        add_options(verbs.add_parser(verb), kind)
    args = parser.parse_args()
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(name)s %(message)s", datefmt="%H:%M:%S")
    match args.verb:
        case "train":
            train(parse_options(FlowOptions, args))
        case "train-vocoder":
            train_vocoder(parse_options(VocoderOptions, args))
        case "export":
            export(parse_options(F5ExportOptions, args))


if __name__ == "__main__":
    main()
