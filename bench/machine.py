"""Describe the machine and the program of a measurement, calibrate the device, and profile its kernels."""

import platform
import subprocess
from collections import defaultdict
from collections.abc import Callable, Mapping
from importlib.metadata import version
from pathlib import Path

import torch
from torch.autograd import DeviceType
from torch.profiler import ProfilerActivity, profile
from torch.utils.benchmark import Timer

ROOT = Path(__file__).parents[1]
LIBRARIES = ("f5-tts", "fish-speech", "numpy", "torchao", "vocos")
TOP = 18


def machine(commit: str | None = None) -> Mapping[str, str]:
    """Describe the program and the device. `commit` replaces the answer of git, which marks a changed tree as dirty."""
    return {
        "commit": commit or _described(),
        "device": torch.cuda.get_device_name() if torch.cuda.is_available() else "cpu",
        "torch": torch.__version__,
    }


def versions() -> Mapping[str, str]:
    """Return the versions of Python and of the libraries that affect the figures."""
    return {"python": platform.python_version(), **{name: version(name) for name in LIBRARIES}}


def _described() -> str:
    command = ["git", "describe", "--always", "--dirty", "--abbrev=40", "--exclude=*"]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.strip()


def calibration(device: str) -> Mapping[str, float | str]:
    """Return the speed of the device, in billions a second.

    The figures are the operations of a square product, and the bytes of a copy. On a CPU, two threads are used.
    """
    size, count, dtype = (8192, 2**28, torch.bfloat16) if device.startswith("cuda") else (1024, 2**24, torch.float32)
    given = {"left": torch.randn(size, size, dtype=dtype, device=device), "source": torch.ones(count, device=device)}
    given["target"] = torch.empty_like(given["source"])

    def seconds(work: str) -> float:
        return Timer(work, globals=given, num_threads=2).blocked_autorange(min_run_time=0.3).median

    return {
        "product": f"{size}² in {str(dtype).removeprefix('torch.')}",
        "gflop_s": round(2 * size**3 / seconds("left @ left") / 1e9, 1),
        "copy_gb_s": round(8 * count / seconds("target.copy_(source)") / 1e9, 1),
    }


def wait() -> None:
    """Wait for the device."""
    if torch.cuda.is_available():
        torch.cuda.synchronize()


def device_profile(work: Callable[[], object], steps: int) -> dict[str, object]:
    """Profile `work`, which runs `steps` steps: microseconds and kernels per step, the slowest kernels first."""
    work()
    wait()
    if not torch.cuda.is_available():
        return {"kernels_a_step": 0}
    with profile(
        activities=[ProfilerActivity.CUDA]
    ) as profiler:  # host events are left out, because they would slow the measured work
        work()
        wait()
    spans = sorted(
        (event.time_range.start, event.time_range.end, event.name)
        for event in profiler.events() or []
        if event.device_type == DeviceType.CUDA and not event.is_user_annotation
    )
    by_name: dict[str, list[float]] = defaultdict(list)
    busy, gaps, reached = 0.0, [], spans[0][0]
    for start, end, name in spans:
        by_name[name].append(end - start)
        gaps.append(max(0.0, start - reached))
        busy += max(0.0, end - max(start, reached))
        reached = max(reached, end)
    top = sorted(by_name.items(), key=lambda item: -sum(item[1]))[:TOP]
    return {
        "kernels_a_step": round(len(spans) / steps, 1),
        "busy_us_a_step": round(busy / steps, 1),
        "span_us_a_step": round((reached - spans[0][0]) / steps, 1),
        "longest_gaps_us": [round(gap, 1) for gap in sorted(gaps)[-5:]],
        "top": [
            {"us_a_step": round(sum(each) / steps, 1), "times": round(len(each) / steps, 1), "kernel": name[:110]}
            for name, each in top
        ],
    }
