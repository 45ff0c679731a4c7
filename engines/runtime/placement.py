"""The device of an engine and the precision of its network."""

import math
import time
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import psutil
import torch

from engines.errors import BadSetting, NotReady
from engines.registry import EngineOptions

THREADS_BESIDE_GPU = 4  # to wake more threads takes longer than the small matrix products that the CPU computes
TIMINGS = 8  # per precision, alternating; the fastest counts, so that other load does not decide
CGROUP_LIMIT = Path("/sys/fs/cgroup/memory.max")  # the memory limit of a container; psutil reports the host's memory


@dataclass(frozen=True, slots=True)
class Placement:
    """A device and the precision of a network on it."""

    device: torch.device  # a CUDA device always has its index; `cuda` is the first card
    dtype: torch.dtype  # of the network; state that is integrated over steps stays float32

    def __post_init__(self) -> None:
        if self.device.type == "cuda" and self.device.index is None:
            object.__setattr__(self, "device", torch.device("cuda", 0))


def place(settings: EngineOptions) -> Placement:
    """Choose CUDA in half precision, else MPS or CPU in float32, and set the CPU threads of PyTorch.

    Raises BadSetting for a missing device, NotReady for a failed one. On CUDA, the calling thread uses that card from now on,
    and cuDNN's attention is disabled: it plans every new length, which takes 46 ms on an H100, and one or two seconds for the
    first length of a kind.
    """
    name = settings.name if settings.name != "auto" else _best()
    device = torch.device(name)
    if not _present(device):
        raise BadSetting(f"STUDIO_DEVICE={name}: this machine has no such device; use auto")
    if threads := settings.threads or (
        min(THREADS_BESIDE_GPU, torch.get_num_threads()) if device.type == "cuda" else 0
    ):
        torch.set_num_threads(threads)
    placement = Placement(device, torch.float16 if device.type == "cuda" else torch.float32)
    if device.type == "cuda":
        torch.cuda.set_device(placement.device)
        torch.backends.cuda.enable_cudnn_sdp(False)
        _answers(placement.device)
    return placement


def width(settings: EngineOptions, device: torch.device) -> int:
    """Return the rows in one step: the setting, else 8 on a GPU and 2 elsewhere."""
    return settings.max_batch or (8 if device.type == "cuda" else 2)


@cache
def fastest_cpu_dtype() -> torch.dtype:
    """Return bfloat16 if this CPU multiplies matrices at least a fifth faster in it (AMX, AVX512-BF16), else float32."""
    matrices = {dtype: torch.ones(512, 512, dtype=dtype) for dtype in (torch.float32, torch.bfloat16)}
    best = dict.fromkeys(matrices, math.inf)
    for _ in range(TIMINGS):
        for dtype, matrix in matrices.items():
            started = time.perf_counter()
            torch.mm(matrix, matrix)
            best[dtype] = min(best[dtype], time.perf_counter() - started)
    return torch.bfloat16 if best[torch.bfloat16] < 0.8 * best[torch.float32] else torch.float32


def free_device_bytes(device: torch.device) -> int:
    """Return the free memory of a CUDA device."""
    return int(torch.cuda.mem_get_info(device)[0])


def free_host_bytes() -> int:
    """Return the free memory of the machine, at most the limit of the container."""
    available = int(psutil.virtual_memory().available)
    try:
        return min(available, int(CGROUP_LIMIT.read_text()))
    except (OSError, ValueError):  # no cgroup, or no limit
        return available


def _present(device: torch.device) -> bool:
    if device.type == "cuda":
        return torch.cuda.is_available() and (device.index or 0) < torch.cuda.device_count()
    return device.type == "cpu" or (device.type == "mps" and torch.backends.mps.is_available())


def _answers(device: torch.device) -> None:
    """Raise NotReady for a card on which a kernel failed: this process cannot use the card any more."""
    try:
        torch.cuda.synchronize(device)
    except torch.AcceleratorError as error:
        reason = str(error).partition("\n")[0]
        raise NotReady(f"the GPU failed ({reason}); restart the studio") from error


def _best() -> str:
    if torch.cuda.is_available():
        return "cuda"
    return "mps" if torch.backends.mps.is_available() else "cpu"
