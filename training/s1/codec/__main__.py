"""Make the S1 voice's codec: `train` it, `evaluate` it by copy-synthesis, `export` it for fish-speech.

python -m training.s1.codec train --data CORPUS --out FOLDER --minutes 9 --total-minutes 18 --gpus 2,3
python -m training.s1.codec train --data CORPUS --out FOLDER --minutes 9 --resume assets/voices/s1/checkpoint
python -m training.s1.codec train --data CORPUS --out OTHER --minutes 9 --resume FOLDER --decoder-only
python -m training.s1.codec evaluate --checkpoint FOLDER --data CORPUS
python -m training.s1.codec export --checkpoint FOLDER --out FOLDER
"""

import argparse
import logging
import sys
from dataclasses import fields
from pathlib import Path
from typing import Any

from training.s1.codec.options import Plan


def main(arguments: list[str] | None = None) -> None:
    """Read the command line and do the one thing it names."""
    options = vars(_parser().parse_args(arguments))
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s", datefmt="%H:%M:%S", stream=sys.stdout)
    verb = options.pop("verb")
    {"train": _train, "evaluate": _evaluate, "export": _export}[verb](options)


def _train(options: dict[str, Any]) -> None:
    from training.parallel import gather
    from training.s1.codec.trainer import work

    plan = Plan(**options)
    gather(work, plan, plan.gpus, port=29541)


def _evaluate(options: dict[str, Any]) -> None:
    from training.s1.codec import evaluation

    evaluation.evaluate(**options)


def _export(options: dict[str, Any]) -> None:
    from training.s1.codec import weights

    options["folder"], options["target"] = options.pop("checkpoint"), options.pop("out")
    weights.export(**options)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    verbs = parser.add_subparsers(dest="verb", required=True)
    train = verbs.add_parser("train")
    for name in ("data", "out"):
        train.add_argument(f"--{name}", type=Path, required=True)
    train.add_argument("--minutes", type=float, required=True, help="of wall time, loading and compiling included")
    train.add_argument(
        "--total-minutes", type=float, default=0.0, help="of the whole; default: this portion is the last"
    )
    train.add_argument("--done-minutes", type=float, help="default: what the checkpoint to resume says")
    train.add_argument("--resume", type=Path, help="a folder an earlier portion wrote, or an exported checkpoint")
    train.add_argument("--state", type=Path, help="folder of the full state on this machine; default: --out")
    train.add_argument("--gpus", type=gpus, default=(0,), help="comma-separated numbers")
    train.add_argument("--config", type=Path, help="of a new training; default: the shipped codec's")
    defaults = {field.name: field.default for field in fields(Plan)}
    for name in ("batch", "crop_frames", "open_steps", "read_every", "read_batch", "read_frames", "steps", "seed"):
        train.add_argument(f"--{name.replace('_', '-')}", type=int, default=defaults[name])
    for name in ("learning_rate", "read_weight", "ear_weight", "dropout", "critics_from", "save_seconds"):
        train.add_argument(f"--{name.replace('_', '-')}", type=float, default=defaults[name])
    train.add_argument("--persons", action="store_true", help="every crop is said by a person of its own")
    train.add_argument("--decoder-only", action="store_true", help="leave the codes of a sound as they are")
    train.add_argument("--eager", dest="compiled", action="store_false", help="do not compile")
    evaluate = verbs.add_parser("evaluate")
    evaluate.add_argument("--checkpoint", type=Path, required=True)
    evaluate.add_argument("--data", type=Path, required=True, help="a corpus folder")
    evaluate.add_argument("--count", type=int, default=50)
    evaluate.add_argument("--levels", type=int, help="use only the first so many codes of a frame")
    evaluate.add_argument("--wavs", type=Path, help="also write what is heard here")
    export = verbs.add_parser("export")
    for name in ("checkpoint", "out"):
        export.add_argument(f"--{name}", type=Path, required=True)
    export.add_argument("--packed", action="store_true", help="int8 with a scale a channel, for the tree")
    return parser


def gpus(text: str) -> tuple[int, ...]:
    """GPU numbers of a comma-separated list."""
    return tuple(int(number) for number in text.split(",") if number)


if __name__ == "__main__":
    main()
