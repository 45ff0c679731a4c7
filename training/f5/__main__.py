"""Train the embedded F5 voice: `python -m training.f5 dit|vocoder --data DIR --out DIR --minutes M`.

A training may be spread over calls: give `--total-minutes`, `--done-minutes` and `--resume` so that the learning rate falls
to zero at the end of the last one. `dit --teacher DIR` distils: see `distilling.py`.
"""

import argparse
import logging

import torch

from training.arguments import made, offer
from training.f5.trainer import Course, work
from training.f5.vocoder_trainer import Lesson, teach


def train_dit(course: Course) -> None:
    if len(course.gpus) > 1:
        torch.multiprocessing.spawn(work, (course,), nprocs=len(course.gpus))
    else:
        work(0, course)


def main() -> None:
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(name)s %(message)s")
    parser = argparse.ArgumentParser(description=__doc__)
    part = parser.add_subparsers(dest="part", required=True)
    offer(part.add_parser("dit"), Course)
    offer(part.add_parser("vocoder"), Lesson)
    args = parser.parse_args()
    train_dit(made(Course, args)) if args.part == "dit" else teach(made(Lesson, args))


if __name__ == "__main__":
    main()
