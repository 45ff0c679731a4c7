"""Make the S1 voice's codec: `train` it, `evaluate` it by copy-synthesis, `export` it for fish-speech.

python -m assets.voices.s1.codec train --data CORPUS --out FOLDER --minutes 8 --total-minutes 24
python -m assets.voices.s1.codec evaluate --checkpoint FOLDER --data CORPUS
python -m assets.voices.s1.codec export --checkpoint FOLDER --out FOLDER
"""

import argparse
import logging
import sys
from pathlib import Path
from typing import Any


def main(arguments: list[str] | None = None) -> None:
    """Read the command line and do the one thing it names."""
    options = vars(_parser().parse_args(arguments))
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s", datefmt="%H:%M:%S", stream=sys.stdout)
    verb = options.pop("verb")
    {"train": _train, "evaluate": _evaluate, "export": _export}[verb](options)


def _train(options: dict[str, Any]) -> None:
    from assets.voices.s1 import listening
    from assets.voices.s1.plan import Plan
    from assets.voices.s1.training import Trainer

    examples = options.pop("examples")
    trainer = Trainer(Plan(**options))
    trainer.run()
    listening.write_examples(trainer.averaged, trainer.crops, trainer.plan.out / "examples", examples)


def _evaluate(options: dict[str, Any]) -> None:
    from assets.voices.s1 import listening

    listening.evaluate(**options)


def _export(options: dict[str, Any]) -> None:
    from assets.voices.s1 import weights

    weights.export(options["checkpoint"], options["out"])


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    verbs = parser.add_subparsers(dest="verb", required=True)
    train = verbs.add_parser("train")
    for name in ("data", "out"):
        train.add_argument(f"--{name}", type=Path, required=True)
    for name in ("minutes", "total-minutes"):
        train.add_argument(f"--{name}", type=float, required=True)
    train.add_argument("--done-minutes", type=float, help="default: what the checkpoint to resume says")
    train.add_argument("--resume", type=Path)
    for name, default in (("gpu", 0), ("batch", 96), ("crop-frames", 28), ("open-steps", 300), ("seed", 0)):
        train.add_argument(f"--{name}", type=int, default=default)
    train.add_argument("--learning-rate", type=float, default=1e-3)
    train.add_argument("--save-minutes", type=float, default=2.0)
    train.add_argument("--examples", type=int, default=8)
    train.add_argument("--adversarial", action="store_true")
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
    return parser


if __name__ == "__main__":
    main()
