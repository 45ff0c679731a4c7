"""Compare the speed of two trees of this project on one machine: `python -m bench.two_trees OLD NEW --out FILE`.

OLD and NEW are folders, such as unpacked `git archive`s. Each round runs `bench/tree_speed.py` of this tree in both of them, in
new processes. The result has the medians of each figure and their ratio.
"""

import argparse
import json
import logging
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

PARTS = "frames", "speech", "flow"
SCRIPT = Path(__file__).with_name("tree_speed.py")
log = logging.getLogger("bench.two_trees")


def measure(tree: Path, arguments: list[str]) -> dict[str, float]:
    """Return the figures of one tree."""
    paths = [str(tree), *filter(None, [os.environ.get("PYTHONPATH")])]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(paths)}
    done = subprocess.run(
        [sys.executable, str(SCRIPT), *arguments],
        cwd=tree,
        env=environment,
        stdout=subprocess.PIPE,
        check=True,
        text=True,
    )
    figures: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    log.info("%s %s", tree, figures)
    return figures


def compare(trees: list[Path], rounds: int, arguments: list[str]) -> dict[str, dict[str, float]]:
    """Return the medians of both trees for each figure, and the ratio of the second to the first."""
    measured = [[measure(tree.resolve(), arguments) for tree in trees] for _ in range(rounds)]
    found = {}
    for name in measured[0][0]:
        old, new = (statistics.median(each[number][name] for each in measured) for number in (0, 1))
        found[name] = {"old": old, "new": new, "new_of_old": round(new / old, 4)}
    return found


def main() -> None:
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("trees", type=Path, nargs=2, metavar="TREE", help="the old and the new folder")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--tiny", action="store_true", help="a small network on the CPU, S1 only")
    parser.add_argument("--only", nargs="*", default=PARTS, help="parts of `bench/tree_speed.py`")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        arguments = ["--folder", f"{folder}/s1", *["--tiny"] * options.tiny, "--only", *options.only]
        found = compare(options.trees, options.rounds, arguments)
    options.out.write_text(json.dumps(found, indent=1) + "\n")
    log.info("%s", json.dumps(found, indent=1))


if __name__ == "__main__":
    main()
