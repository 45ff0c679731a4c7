"""Write docs/backends.md from the backend tables of the engines: `python -m bench.backends`."""

import argparse
import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch

from bench import s1_checkpoints
from engines.codec_lm import backends as codec_lm
from engines.f5 import backends as f5
from engines.runtime.backends import Computation, Hardware
from engines.s1 import backends as s1
from engines.s1.config import DualARConfig

PAGE = Path(__file__).parents[1] / "docs" / "backends.md"
H100 = Hardware(kind="cuda", capability=(9, 0), multiprocessors=132, shared_memory_bytes=232_448)  # equal in an H200
A100 = Hardware(kind="cuda", capability=(8, 0), multiprocessors=108, shared_memory_bytes=166_912)
CPU = Hardware(kind="cpu")
RTX_4090 = Hardware(kind="cuda", capability=(8, 9), multiprocessors=128, shared_memory_bytes=101_376)
MPS = Hardware(kind="mps")
ROWS = 1, 4, 64
LARGE, SMALL = 800_000_000, 10_000_000  # weights of the layers of S1-Mini and of the embedded network
EMBEDDED = Path(__file__).parents[1] / "assets" / "voices" / "s1" / "checkpoint" / "config.json"
INTRODUCTION = """# Backends

Each engine has several implementations (backends) of its computations. At loading, the engine selects the fastest one
that the machine and the network allow. The Monitor page, `GET /studio/engines` and `GET /v1/models` show the selected
backends and why each faster one does not apply. A backend that fails is replaced by the next one that applies; the log
and the Monitor page name the error. `STUDIO_COMPILE=off` excludes the backends that compile kernels or record CUDA
graphs: `resident`, `graphs`, `triton` and `numba`.

The column *numerics* compares results with those of the last backend of the table: *bit-identical*, or *rounding* (other
order of sums or lower precision). `make test` and `make test-gpu` check the differences.

The studio was tested and measured on H100, H200 and CPUs only. The tables also state what is selected on other hardware.
The row *RTX 4090* also applies to other GPUs without a row, if their compute capability is below 9.0, or if they have less
than 227 KiB of shared memory for each block. The row *MPS* applies to Apple's GPUs. F5-TTS uses the same backends for
every network and number of rows.

`python -m bench.backends` writes this page.
"""


def page() -> str:
    """Return the text of docs/backends.md."""
    return "\n".join([INTRODUCTION, *_s1(), *_f5(), *_language_models()])


def _s1() -> Iterator[str]:
    yield "## S1-Mini\n"
    for computation in (s1.DECODE, codec_lm.PREFILL, codec_lm.CODEC):
        yield _backends(computation)
    yield "Selected for the decode step, by rows in one step:\n"
    machines = {
        "H100 or H200, S1-Mini in bfloat16": _s1_conditions(H100, LARGE, torch.bfloat16),
        "H100 or H200, S1-Mini quantised to int8": _s1_conditions(H100, LARGE, torch.int8),
        "H100 or H200, embedded network": _s1_conditions(H100, SMALL, torch.bfloat16),
        "A100, S1-Mini in bfloat16": _s1_conditions(A100, LARGE, torch.bfloat16),
        "RTX 4090, S1-Mini in bfloat16": _s1_conditions(RTX_4090, LARGE, torch.bfloat16),
        "CPU, embedded network": _s1_conditions(CPU, SMALL, torch.float32),
        "CPU, S1-Mini": _s1_conditions(CPU, LARGE, torch.float32),
        "MPS, any network": _s1_conditions(MPS, LARGE, torch.float32),
    }
    rows = [
        [name, *(s1.DECODE.select(replace(conditions, rows=rows)).backend for rows in ROWS)]
        for name, conditions in machines.items()
    ]
    yield _table(["machine and network", *(f"{count} row{'s' * (count > 1)}" for count in ROWS)], rows)


def _f5() -> Iterator[str]:
    yield "## F5-TTS\n"
    for computation in (f5.FLOW_STEP, f5.ATTENTION, f5.TEXT_ENCODER):
        yield _backends(computation)
    machines = {
        "any CUDA GPU": _f5_conditions(RTX_4090, torch.float16),
        "any CUDA GPU, `STUDIO_COMPILE=off`": replace(_f5_conditions(RTX_4090, torch.float16), compile=False),
        "CPU that is faster in bfloat16": _f5_conditions(CPU, torch.bfloat16),
        "other CPU": _f5_conditions(CPU, torch.float32),
        "MPS": _f5_conditions(MPS, torch.float32),
    }
    selected = {name: [each.choice for each in f5.selections(conditions)] for name, conditions in machines.items()}
    yield "Selected backends:\n"
    titles = [choice.computation.lower() for choice in next(iter(selected.values()))]
    yield _table(["machine", *titles], [[name, *(each.backend for each in found)] for name, found in selected.items()])


def _language_models() -> Iterator[str]:
    yield "## Orpheus and Spark-TTS\n"
    yield "Prompts use the prefill of S1-Mini.\n"
    tables = {
        "Codec of Orpheus": codec_lm.CODEC,
        "Codec of Spark-TTS": codec_lm.CODEC_WINDOWS,
        "Decode step of both": codec_lm.TOKEN_STEP,
    }
    for title, computation in tables.items():
        yield _backends(replace(computation, title=title))


def _s1_conditions(hardware: Hardware, weights: int, dtype: torch.dtype) -> s1.S1Conditions:
    return s1.S1Conditions(
        hardware=hardware,
        compile=True,
        network=DualARConfig.from_mapping(
            json.loads(EMBEDDED.read_text()) if weights == SMALL else s1_checkpoints.FULL.network
        ),
        semantic_count=4096,
        residual_size=1024,
        weights=weights,
        dtype=dtype,
    )


def _f5_conditions(hardware: Hardware, dtype: torch.dtype) -> f5.F5Conditions:
    return f5.F5Conditions(hardware=hardware, compile=True, dtype=dtype)


def _backends(computation: Computation[Any]) -> str:
    rows = [[f"`{each.name}`", each.title, each.condition, each.numerics] for each in computation.backends]
    table = _table(["backend", "implementation", "applies to", "numerics"], rows)
    return f"### {computation.title}\n\n{table}"


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines) + "\n"


def main() -> None:
    argparse.ArgumentParser(description=__doc__).parse_args()
    PAGE.write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main()
