"""Train both voices in one call: `python -m training --out DIR --work DIR --seconds 530 --gpus 0,1,2,3 --sentences FILE`.

The corpus is made on all cores while the trainings compile. Then both voices train at the same time, each on half of the GPUs:
F5's flow and then its student of few steps; S1's codec and then its language model. A training starts from the shipped
checkpoint, or from the output of an earlier call (--resume). When the time is over, --out has few, small files, from which a
later call can resume or export.
"""

import argparse
import logging
import sys

from training.arguments import add_options, parse_options
from training.pipeline import PipelineOptions, train_both


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_options(parser, PipelineOptions)
    options = parse_options(PipelineOptions, parser.parse_args())
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s", datefmt="%H:%M:%S")
    sys.exit(1 if train_both(options) else 0)


if __name__ == "__main__":
    main()
