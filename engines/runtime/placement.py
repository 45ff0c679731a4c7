"""Which device an engine runs on, and in which precision."""

import math
import time
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import psutil
import torch

from engines.errors import BadSetting, NotReady
from engines.registry import Device

TIMINGS = 8  # of each precision, in turns; the best counts, so that other work on the cores does not decide
CGROUP_LIMIT = Path("/sys/fs/cgroup/memory.max")  # a container's own ceiling; psutil gives the host's memory


@dataclass(frozen=True, slots=True)
class Placement:
    """A device and the precision a network runs in there."""

    device: torch.device  # a CUDA device always has its index; `cuda` is the first card
    dtype: torch.dtype  # of the network; state that is integrated over steps stays float32

    def __post_init__(self) -> None:
        if self.device.type == "cuda" and self.device.index is None:
            object.__setattr__(self, "device", torch.device("cuda", 0))


def place(settings: Device) -> Placement:
    """CUDA in half precision, else MPS, else CPU, both in float32.

    Raises BadSetting for a device that is not here, NotReady for one that failed. On CUDA, kernels and graphs of the
    calling thread go to that card from here on, and attention is not cuDNN's: that is planned anew for every length, for 46 ms
    on an H100 and for one or two seconds where it is the first of a kind.
    """
    name = settings.name if settings.name != "auto" else _best()
    device = torch.device(name)
    if not _present(device):
        raise BadSetting(f"STUDIO_DEVICE={name}: this machine has no such device; use auto")
    placement = Placement(device, torch.float16 if device.type == "cuda" else torch.float32)
    if device.type == "cuda":
        torch.cuda.set_device(placement.device)
        torch.backends.cuda.enable_cudnn_sdp(False)
        _answers(placement.device)
    return placement


def width(settings: Device, device: torch.device) -> int:
    """Rows in one step: as set, else 8 on a GPU and 2 elsewhere."""
    return settings.max_batch or (8 if device.type == "cuda" else 2)


@cache
def fastest_cpu_dtype() -> torch.dtype:
    """bfloat16 where products of a network's size take a fifth less time in it, as with AMX or AVX512-BF16; else float32."""
    matrices = {dtype: torch.ones(512, 512, dtype=dtype) for dtype in (torch.float32, torch.bfloat16)}
    best = dict.fromkeys(matrices, math.inf)
    for _ in range(TIMINGS):
        for dtype, matrix in matrices.items():
            started = time.perf_counter()
            torch.mm(matrix, matrix)
            best[dtype] = min(best[dtype], time.perf_counter() - started)
    return torch.bfloat16 if best[torch.bfloat16] < 0.8 * best[torch.float32] else torch.float32


def free_device_bytes(device: torch.device) -> int:
    """Free memory of a CUDA device."""
    return int(torch.cuda.mem_get_info(device)[0])


def free_host_bytes() -> int:
    """Free memory of the machine, at most the container's limit."""
    available = int(psutil.virtual_memory().available)
    try:
        return min(available, int(CGROUP_LIMIT.read_text()))
    except (OSError, ValueError):  # no cgroup, or `max`
        return available


def _present(device: torch.device) -> bool:
    if device.type == "cuda":
        return torch.cuda.is_available() and (device.index or 0) < torch.cuda.device_count()
    return device.type == "cpu" or (device.type == "mps" and torch.backends.mps.is_available())


def _answers(device: torch.device) -> None:
    """Raises NotReady for a card on which a kernel failed: a process cannot use it any more."""
    try:
        torch.cuda.synchronize(device)
    except torch.AcceleratorError as error:
        reason = str(error).partition("\n")[0]
        raise NotReady(f"the GPU failed ({reason}); stop the studio and start it again") from error


def _best() -> str:
    if torch.cuda.is_available():
        return "cuda"
    return "mps" if torch.backends.mps.is_available() else "cpu"
