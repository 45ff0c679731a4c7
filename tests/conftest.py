"""What every test stands on."""

import os

os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")  # as engines.registry sets it, before any test imports torch
if "PYTEST_XDIST_WORKER" in os.environ:  # beside other workers, whose threads would wait for one another's cores
    os.environ.setdefault("OMP_NUM_THREADS", "1")

import httpx._config

for part in ("connect", "read", "write", "pool"):  # of requests that name no time limit; a busy machine is no fault
    setattr(httpx._config.DEFAULT_TIMEOUT_CONFIG, part, 300.0)
