"""Time engines from their start until they are warm: `python -m bench.starting --out starting.json`.

Both engines load random weights of full size, in a new process each time, with CUDA's libraries in the disk cache: first with
empty kernel caches, then with the kernels of the first start, then uncompiled. Each engine speaks a line, and more after both
have spoken. With kept kernels, the first line is requested when the speaking kernels are compiled, the next ones when all are.
"""

import argparse
import importlib
import json
import logging
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from bench.machine import machine
from bench.runs import random_checkpoint
from engines.registry import embedded

log = logging.getLogger("bench.starting")

STARTS = {"nothing_compiled": "auto", "kernels_kept": "auto", "uncompiled": "off"}  # compile mode by name of the start
BLOCK = 1 << 26  # bytes that are read at a time


def read_libraries() -> None:
    """Read the libraries once, so that no start has to wait for gigabytes from the disk."""
    for package in ("torch", "nvidia", "triton"):
        for folder in importlib.import_module(package).__path__:
            for library in Path(folder).rglob("*.so*"):
                with library.open("rb") as file:
                    while file.read(BLOCK):
                        pass


def main() -> None:
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("starting.json"))
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--tiny", action="store_true", help="small networks, as a test")
    parser.add_argument("--only", nargs="*", default=list(STARTS), choices=STARTS, help="starts, in this order")
    parser.add_argument("--commit", help="commit of this tree, if git is not available")
    options = parser.parse_args()
    found: dict[str, Any] = {**machine(options.commit)}
    if options.device != "cpu":
        read_libraries()
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        for name in embedded():
            random_checkpoint(folder / name, options.device, options.tiny)
        environment = os.environ | {"TRITON_CACHE_DIR": str(folder / "triton")}
        for start in options.only:
            command = [sys.executable, "-m", "bench.one_start", "--out", str(folder / start), "--folder", made]
            command += ["--device", options.device, "--compile", STARTS[start], "--began", str(time.time())]
            command += ["--patient"] * (start == "kernels_kept")
            subprocess.run(command, check=True, env=environment)
            found[start] = json.loads((folder / start).read_text())
            options.out.write_text(json.dumps(found, indent=1) + "\n")
            log.info("%s: %s", start, json.dumps(found[start], indent=1))


if __name__ == "__main__":
    main()
