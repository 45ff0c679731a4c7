"""Train both voices in one call: `python -m training --out DIR --work DIR --seconds 530 --gpus 0,1,2,3 --sentences FILE`.

Makes the corpus on all cores while the trainings compile, then trains side by side, each half of the GPUs its own voice, from
the shipped checkpoints or from what an earlier call wrote (--resume): F5's flow and then its student of few steps; S1's codec
and then its language model.
What has been saved when the time is over lies in --out, in few and small files that can be resumed and exported from.
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
