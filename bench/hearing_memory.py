"""Measure the memory of the ears' process over many takes: `python -m bench.hearing_memory FOLDER --hours 1`.

FOLDER has the takes of `bench.hearing`. The process of the ears hears them repeatedly, as lines and joined as paragraphs, until
it has heard `--hours` of audio: words and quality, as the studio does after each take. After every 100 takes, the script prints
the resident memory between two takes, and the highest since the last 100.
"""

import argparse
import sys
from collections.abc import Sequence
from itertools import cycle
from pathlib import Path

import numpy as np
import psutil

from bench.hearing import LINES, Spoken, takes
from engines.types import Audio
from studio.ears.ears import Ears
from studio.ears.models import Models
from studio.hearing.heard_take import hear_take

STEP = 100
JOINED, PAUSE_S = 6, 0.3  # takes of a paragraph, of which LINES is a multiple, and the silence after each


def joined(lines: Sequence[Spoken]) -> Spoken:
    """Return takes of one voice as one take."""
    rate = lines[0].audio.sample_rate
    pause = np.zeros(round(PAUSE_S * rate), np.float32)
    samples = np.concatenate([part for line in lines for part in (line.audio.samples, pause)])
    return Spoken(lines[0].name, Audio(samples, rate), " ".join(line.text for line in lines))


def peak_mb(pid: int) -> float:
    """Return the highest resident memory of a process since the last call."""
    folder = Path(f"/proc/{pid}")
    sizes = dict(line.split(":", 1) for line in (folder / "status").read_text("ascii").splitlines())
    (folder / "clear_refs").write_text("5", "ascii")  # resets VmHWM
    return int(sizes["VmHWM"].split()[0]) * 1024 / 1e6


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.hearing_memory", description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--hours", type=float, default=1.0)
    options = parser.parse_args()
    lines, ears = takes(options.folder, LINES), Ears(idle_s=3600)
    paragraphs = [joined(lines[at : at + JOINED]) for at in range(0, len(lines), JOINED)]
    spoken = [*lines, *paragraphs * JOINED]
    heard_s, pids = 0.0, set[int]()
    for number, take in enumerate(cycle(spoken), 1):
        ears.ask(hear_take, take.text, take.audio)
        heard_s += take.audio.duration_s
        (pid,) = ears.pids
        pids.add(pid)
        if number % STEP == 0:
            highest_mb = peak_mb(pid)
            ears.ask(Models.knows, "en")  # answered after the memory of the take has been returned
            size_mb = psutil.Process(pid).memory_info().rss / 1e6
            heard = f"{number} takes, {heard_s / 3600:.2f} h"
            sys.stdout.write(f"{heard}: {size_mb:.0f} MB, at most {highest_mb:.0f} MB, {len(pids)} processes\n")
            sys.stdout.flush()
        if heard_s >= options.hours * 3600:
            break
    ears.close()


if __name__ == "__main__":
    main()
