"""Make the S1 voice's dual-AR model: `train` it, `export` the whole S1 checkpoint (`training.evaluation` hears it).

python -m training.s1.language train --data CORPUS --codec FOLDER --out FOLDER --minutes 9 --gpus 2,3
python -m training.s1.language train … --resume assets/voices/s1/checkpoint
python -m training.s1.language export --checkpoint FOLDER --codec FOLDER --out FOLDER [--packed]
"""

import argparse
import logging
import sys
from dataclasses import fields
from pathlib import Path
from typing import Any

from training.s1.codec.__main__ import gpus
from training.s1.language.trainer import Course


def main(arguments: list[str] | None = None) -> None:
    """Read the command line and do the one thing it names."""
    options = vars(_parser().parse_args(arguments))
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s", datefmt="%H:%M:%S", stream=sys.stdout)
    verb = options.pop("verb")
    {"train": _train, "export": _export}[verb](options)


def _train(options: dict[str, Any]) -> None:
    from training.parallel import gather
    from training.s1.language.trainer import work

    options["total_minutes"] = options["total_minutes"] or options["minutes"]
    course = Course(**options)
    gather(work, course, course.gpus, port=29543)


def _export(options: dict[str, Any]) -> None:
    from training.s1.language import checkpoint

    checkpoint.export(**options)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    verbs = parser.add_subparsers(dest="verb", required=True)
    train = verbs.add_parser("train")
    for name in ("data", "codec", "out"):
        train.add_argument(f"--{name}", type=Path, required=True)
    train.add_argument("--minutes", type=float, required=True, help="of wall time, the corpus's encoding included")
    train.add_argument("--total-minutes", type=float, help="of the whole training; this portion's where absent")
    train.add_argument("--resume", type=Path, help="a folder an earlier portion wrote, or an exported checkpoint")
    train.add_argument("--state", type=Path, help="folder of the full state on this machine; default: --out")
    train.add_argument("--gpus", type=gpus, default=(0,), help="comma-separated numbers")
    defaults = {field.name: field.default for field in fields(Course)}
    for name in ("seed", "steps", "positions", "fast_frames", "depth", "spoken", "spoken_frames"):
        train.add_argument(f"--{name.replace('_', '-')}", type=int, default=defaults[name])
    rates = (
        "done_minutes",
        "dropout",
        "muon_rate",
        "adam_rate",
        "letters_weight",
        "smoothing",
        "average",
        "save_seconds",
    )
    for name in rates:
        train.add_argument(f"--{name.replace('_', '-')}", type=float, default=defaults[name])
    train.add_argument("--persons", action="store_true", help="every speaker is another person than was recorded")
    train.add_argument("--eager", dest="compiled", action="store_false", help="do not compile")
    export = verbs.add_parser("export")
    for name in ("checkpoint", "codec", "out"):
        export.add_argument(f"--{name}", type=Path, required=True)
    export.add_argument("--packed", action="store_true", help="int8 with a scale a channel, for the tree")
    return parser


if __name__ == "__main__":
    main()
