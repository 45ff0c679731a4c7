"""On what, and of which program, figures were measured, and what the device itself can do: the head of every result."""

import platform
import subprocess
import time
from collections.abc import Callable, Mapping
from importlib.metadata import version
from pathlib import Path

import torch

ROOT = Path(__file__).parents[1]
LIBRARIES = ("f5-tts", "fish-speech", "numpy", "torchao", "vocos")
REPEATS = 20


def machine(commit: str | None = None) -> Mapping[str, str]:
    """`commit` where git cannot tell; a tree that differs from its commit says so."""
    return {
        "commit": commit or _described(),
        "device": torch.cuda.get_device_name() if torch.cuda.is_available() else "cpu",
        "torch": torch.__version__,
    }


def versions() -> Mapping[str, str]:
    """Of what else has a part in the figures."""
    return {"python": platform.python_version(), **{name: version(name) for name in LIBRARIES}}


def _described() -> str:
    command = ["git", "describe", "--always", "--dirty", "--abbrev=40", "--exclude=*"]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.strip()


def calibration(device: str) -> Mapping[str, float | str]:
    """Floating point operations a second of a square product, and bytes a second of a copy, read and written.

    On a CPU the product is 1024² in float32 on two threads, on a GPU 8192² in bfloat16.
    """
    on_gpu = device.startswith("cuda")
    size, count, dtype = (8192, 2**28, torch.bfloat16) if on_gpu else (1024, 2**24, torch.float32)
    left, source = torch.randn(size, size, dtype=dtype, device=device), torch.ones(count, device=device)
    target, threads = torch.empty_like(source), torch.get_num_threads()
    torch.set_num_threads(2)
    try:
        product_s, copy_s = best_s(lambda: left @ left), best_s(lambda: target.copy_(source))
    finally:
        torch.set_num_threads(threads)
    product = f"{size}² in {str(dtype).removeprefix('torch.')}" + ("" if on_gpu else " on two threads")
    return {
        "product": product,
        "gflop_s": round(2 * size**3 / product_s / 1e9, 1),
        "copy_gb_s": round(2 * source.nbytes / copy_s / 1e9, 1),
    }


def best_s(work: Callable[[], object]) -> float:
    """Seconds of the quickest of many runs."""
    times = []
    for _ in range(REPEATS):
        wait()
        started = time.perf_counter()
        work()
        wait()
        times.append(time.perf_counter() - started)
    return min(times)


def wait() -> None:
    """For the device."""
    if torch.cuda.is_available():
        torch.cuda.synchronize()
