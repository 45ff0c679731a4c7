"""What every test stands on."""

import gc
import os
from pathlib import Path

os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")  # as engines.registry sets it, before any test imports torch
if "PYTEST_XDIST_WORKER" in os.environ:  # beside other workers, whose threads would wait for one another's cores
    os.environ.setdefault("OMP_NUM_THREADS", "1")

# What is compiled for this processor, once for all studios that the tests start.
os.environ.setdefault("NUMBA_CACHE_DIR", str(Path(__file__).parents[1] / ".cache" / "numba"))

import httpx._config

for part in ("connect", "read", "write", "pool"):  # of requests that name no time limit; a busy machine is no fault
    setattr(httpx._config.DEFAULT_TIMEOUT_CONFIG, part, 300.0)


def pytest_collection_finish() -> None:
    """Exclude imported modules and collected tests from garbage collection, which would take a fifth of a run."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 20)
