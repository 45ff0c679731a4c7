"""Repeat published measurements of Spark-TTS and Orpheus: `python -m bench.published --engine spark --out FOLDER`.

Starts a studio without its page, with a checkpoint of full size and random weights, whose lines end after the usual time, and
runs `python -m bench load` on it. Each load has a folder in FOLDER with results.json and report.html. `--tiny` is a quick test
on the CPU.
"""

import argparse
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from bench import orpheus_checkpoints, spark_checkpoints
from bench.load import command
from bench.served import studio

WRITERS = {"orpheus": orpheus_checkpoints, "spark": spark_checkpoints}
LINE_S = 6.44  # mean seconds of audio of a line in the table of Spark-TTS (latency / RTF)
APP = "import app\nfrom bench.listeners import ended\nwith ended({}): app.main()"
# Spark-TTS publishes a table of 26 pairs of reference and line; for Orpheus, only a number of live listeners is known.
SPARK = ("--offline", "--arrival", "burst", "--listeners", "1", "2", "4")
LISTENERS = ("--arrival", "burst", "poisson", "--listeners", "16", "24")
LOADS: Mapping[str, Mapping[str, Sequence[str]]] = {
    "spark": {"offline": ("--door", "whole", *SPARK), "streaming": ("--door", "http", "--skip", "100", *SPARK)},
    "orpheus": {"listeners": ("--door", "socket", "--set", "own_voice=1", *LISTENERS)},
}


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.published", description=__doc__)
    parser.add_argument("--engine", choices=LOADS, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--tiny", action="store_true", help="a small network on the CPU")
    parser.add_argument("--lines", type=int, default=26)
    parser.add_argument("--rows", type=int, default=64, help="largest batch")
    parser.add_argument("--commit", help="commit of this tree, if git is not available")
    options = parser.parse_args()
    load = argparse.ArgumentParser()
    command.arguments(load)
    device = "cpu" if options.tiny else "cuda"
    with tempfile.TemporaryDirectory() as folder:
        writer, prefix = WRITERS[options.engine], f"STUDIO_{options.engine.upper()}"
        checkpoint = writer.write(Path(folder) / "checkpoint", writer.TINY if options.tiny else writer.FULL, device)
        settings = {
            "STUDIO_PAGE": "false",
            "STUDIO_EARS": "off",
            "STUDIO_DEVICE": device,
            "STUDIO_ENGINES": options.engine,
            "STUDIO_MAX_BATCH": str(options.rows),
            "STUDIO_QUEUE_SIZE": str(options.rows),
            f"{prefix}_CHECKPOINT": checkpoint.source,
            **{f"{prefix}_{name.upper()}": value for name, value in checkpoint.options.items()},
        }
        log = options.out / "studio.log"
        options.out.mkdir(parents=True, exist_ok=True)
        with studio(log, command=("-c", APP.format(LINE_S)), **settings) as (url, _, _):
            commit = ["--commit", options.commit] if options.commit else []
            for name, chosen in LOADS[options.engine].items():
                arguments = [url, "--engine", options.engine, *chosen, "--lines", str(options.lines), *commit]
                command.run(load.parse_args([*arguments, "--out", str(options.out / name)]))


if __name__ == "__main__":
    main()
