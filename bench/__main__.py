"""Benchmarks of the engines and of a running studio.

`python -m bench [run] --out FOLDER` times engines in their configurations. `python -m bench load ADDRESS` sends listeners to a
running studio. `python -m bench upstream --out FOLDER` times f5-tts and fish-speech with the same weights in the same run.
`python -m bench quality --out FOLDER` compares takes of our engines with takes of these packages.

Each command writes FOLDER/report.html, which is a single file, and its source FOLDER/results.json: samples, versions, device.
Weights are random, so anybody can repeat a run. A tiny run takes less than a minute on a CPU.
"""

import argparse
import logging
import sys
from importlib import import_module

from studio.network_environment import repair_network_environment

COMMANDS = {
    "run": "bench.runs",
    "load": "bench.load.command",
    "upstream": "bench.upstream",
    "quality": "bench.originals",
}


def main(given: list[str]) -> None:
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    repair_network_environment()
    logging.getLogger("httpx").setLevel(logging.WARNING)  # httpx logs every line
    name, *rest = given if given[:1] and given[0] in COMMANDS else ["run", *given]
    command = import_module(COMMANDS[name])
    parser = argparse.ArgumentParser(prog=f"python -m bench {name}", description=command.__doc__, epilog=__doc__)
    command.arguments(parser)
    command.run(parser.parse_args(rest))


if __name__ == "__main__":
    main(sys.argv[1:])
