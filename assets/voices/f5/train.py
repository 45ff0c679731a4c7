"""Train the embedded F5 voice: `python -m assets.voices.f5.train dit|vocoder --data DIR --out DIR --minutes M`.

A training may be spread over calls: give `--total-minutes`, `--done-minutes` and `--resume` so that the learning rate falls
to zero at the end of the last one.
"""

import argparse
import logging
from pathlib import Path

import torch

from assets.voices.f5.training import Course, work
from assets.voices.f5.vocoder_training import Lesson, teach


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("part", choices=("dit", "vocoder"))
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--resume", type=Path, help="folder an earlier call wrote")
    parser.add_argument("--minutes", type=float, required=True, help="of wall time, loading included")
    parser.add_argument("--total-minutes", type=float, help="of the whole training; this call's where absent")
    parser.add_argument("--done-minutes", type=float, default=0.0)
    parser.add_argument("--gpus", default="0", help="comma-separated numbers; the vocoder takes the first")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--steps", type=int, default=10**9, help="stop after so many")
    parser.add_argument("--no-compile", action="store_true")
    parser.add_argument("--save-seconds", type=float, default=110)
    parser.add_argument("--frames", type=int, default=49_152, help="dit: mel frames a step and GPU")
    parser.add_argument("--dim", type=int, help="256 for the dit, 320 for the vocoder")
    parser.add_argument("--depth", type=int, help="12 for the dit, 8 for the vocoder")
    parser.add_argument("--heads", type=int, default=4)
    parser.add_argument("--text-dim", type=int, default=256)
    parser.add_argument("--muon-rate", type=float, default=0.01)
    parser.add_argument("--adam-rate", type=float, help="1e-3 for the dit, 7e-4 for the vocoder")
    parser.add_argument("--average", type=float, default=0.999)
    parser.add_argument("--crops", type=int, default=64, help="vocoder: crops a step")
    parser.add_argument("--adversarial", type=float, default=0.0, help="vocoder: share of the call with discriminators")
    return parser.parse_args()


def train_dit(args: argparse.Namespace) -> None:
    course = Course(
        data=args.data,
        out=args.out,
        resume=args.resume,
        minutes=args.minutes,
        total_minutes=args.total_minutes or args.minutes,
        done_minutes=args.done_minutes,
        gpus=tuple(int(number) for number in args.gpus.split(",") if number),
        seed=args.seed,
        steps=args.steps,
        frames=args.frames,
        dim=args.dim or 256,
        depth=args.depth or 12,
        heads=args.heads,
        text_dim=args.text_dim,
        muon_rate=args.muon_rate,
        adam_rate=args.adam_rate or 1e-3,
        average=args.average,
        compiled=not args.no_compile,
        save_seconds=args.save_seconds,
    )
    if len(course.gpus) > 1:
        torch.multiprocessing.spawn(work, (course,), nprocs=len(course.gpus))
    else:
        work(0, course)


def train_vocoder(args: argparse.Namespace) -> None:
    lesson = Lesson(
        data=args.data,
        out=args.out,
        resume=args.resume,
        minutes=args.minutes,
        total_minutes=args.total_minutes or args.minutes,
        done_minutes=args.done_minutes,
        gpu=int(args.gpus.split(",")[0]),
        seed=args.seed,
        steps=args.steps,
        crops=args.crops,
        dim=args.dim or 320,
        depth=args.depth or 8,
        rate=args.adam_rate or 7e-4,
        compiled=not args.no_compile,
        save_seconds=args.save_seconds,
        adversarial=args.adversarial,
    )
    teach(lesson)


def main() -> None:
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(name)s %(message)s")
    args = parse()
    train_dit(args) if args.part == "dit" else train_vocoder(args)


if __name__ == "__main__":
    main()
