"""Memory and load of the device: NVML on an NVIDIA GPU, otherwise this process's memory and CPU time."""

import logging
import os
import platform
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Protocol

import psutil
import pynvml

log = logging.getLogger(__name__)

CGROUP_LIMIT = Path("/sys/fs/cgroup/memory.max")  # limit of the container; psutil reports the host's memory


@dataclass(frozen=True, slots=True)
class Reading:
    """Memory and load of a device at one time."""

    used_bytes: int
    total_bytes: int
    utilisation: float  # 0 to 1


class Gauge(Protocol):
    """A device that one thread can read cheaply."""

    @property
    def device(self) -> str: ...

    @property
    def memory(self) -> Literal["VRAM", "process memory"]: ...

    def read(self) -> Reading: ...


class GpuGauge:
    """The whole GPU, including other processes, because the free memory is what matters."""

    memory: Literal["VRAM"] = "VRAM"

    def __init__(self, index: int) -> None:
        """Open the GPU with this index among the visible devices, as torch counts. Raises pynvml.NVMLError."""
        pynvml.nvmlInit()
        self._handle = _handle(index)
        self.device = str(pynvml.nvmlDeviceGetName(self._handle))

    def read(self) -> Reading:
        memory: Any = pynvml.nvmlDeviceGetMemoryInfo(self._handle)
        return Reading(int(memory.used), int(memory.total), self._busy())

    def _busy(self) -> float:
        try:
            return float(pynvml.nvmlDeviceGetUtilizationRates(self._handle).gpu) / 100
        except pynvml.NVMLError:  # a MIG slice does not report its load
            return 0.0


class ProcessGauge:
    """This process: resident memory, and its share of all cores. Mapped weights count once they are read."""

    memory: Literal["process memory"] = "process memory"

    def __init__(self) -> None:
        self._process = psutil.Process()
        self._cores = psutil.cpu_count() or 1
        self._total = _memory_limit()
        self._process.cpu_percent()  # the first call only starts the measurement
        self.device = f"CPU, {self._cores} cores ({platform.machine()})"

    def read(self) -> Reading:
        busy = self._process.cpu_percent() / 100 / self._cores
        return Reading(self._process.memory_info().rss, self._total, min(1.0, busy))


def open_gauge(device: str) -> Gauge:
    """Return the gauge for STUDIO_DEVICE: a readable GPU for `auto` and `cuda`, else this process."""
    if device == "auto" or device.startswith("cuda"):
        try:
            return GpuGauge(int(device.partition(":")[2] or 0))
        except pynvml.NVMLError as error:
            log.info("no GPU found (%s); showing the memory of this process instead", error)
    return ProcessGauge()


def _handle(index: int) -> Any:
    """Return the NVML handle of a visible device. NVML ignores CUDA_VISIBLE_DEVICES, which lists numbers or UUIDs."""
    visible = [entry.strip() for entry in os.environ.get("CUDA_VISIBLE_DEVICES", "").split(",") if entry.strip()]
    name = visible[index] if index < len(visible) else str(index)
    return pynvml.nvmlDeviceGetHandleByIndex(int(name)) if name.isdigit() else pynvml.nvmlDeviceGetHandleByUUID(name)


def _memory_limit() -> int:
    total = int(psutil.virtual_memory().total)
    try:
        return min(total, int(CGROUP_LIMIT.read_text()))
    except (OSError, ValueError):  # no cgroup, or `max`
        return total
