"""Memory and load of the device: NVML on an NVIDIA GPU, otherwise this process's memory, and the CPU."""

import logging
import os
import platform
import time
from collections.abc import Callable
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
    machine: float | None = (
        None  # 0 to 1: all programs on all cores; None for a GPU, whose utilisation contains all programs
    )
    temperature_c: float | None = None  # of the GPU; None if unknown
    power_w: float | None = None  # of the GPU; None if unknown
    power_limit_w: float | None = None  # of the GPU; None if unknown


class Gauge(Protocol):
    """A device that one thread can read cheaply."""

    @property
    def device(self) -> str: ...

    @property
    def memory(self) -> Literal["VRAM", "process memory"]: ...

    def read(self) -> Reading: ...


class GpuGauge:
    """The whole GPU with all its processes, because the free memory is what counts."""

    memory: Literal["VRAM"] = "VRAM"

    def __init__(self, index: int) -> None:
        """Open the GPU with this index among the visible devices, as torch counts. Raises pynvml.NVMLError."""
        pynvml.nvmlInit()
        self._handle = _handle(index)
        self.device = str(pynvml.nvmlDeviceGetName(self._handle))

    def read(self) -> Reading:
        memory: Any = pynvml.nvmlDeviceGetMemoryInfo(self._handle, pynvml.nvmlMemory_v2)  # without the driver's reserve
        busy = self._known(lambda handle: pynvml.nvmlDeviceGetUtilizationRates(handle).gpu / 100)
        return Reading(
            int(memory.used),
            int(memory.total),
            busy or 0.0,
            temperature_c=self._known(
                lambda handle: pynvml.nvmlDeviceGetTemperature(handle, pynvml.NVML_TEMPERATURE_GPU)
            ),
            power_w=self._known(lambda handle: pynvml.nvmlDeviceGetPowerUsage(handle) / 1_000),
            power_limit_w=self._known(lambda handle: pynvml.nvmlDeviceGetEnforcedPowerLimit(handle) / 1_000),
        )

    def _known(self, read: Callable[[Any], float]) -> float | None:
        """Return a value of the GPU; None if the GPU does not report this value (MIG slices, virtual GPUs)."""
        try:
            return float(read(self._handle))
        except pynvml.NVMLError:
            return None


class ProcessGauge:
    """This process: resident memory, and the share of all cores that it uses together with its child processes.

    Mapped weights count once they are read.
    """

    memory: Literal["process memory"] = "process memory"

    def __init__(self) -> None:
        self._process = psutil.Process()
        self._cores = psutil.cpu_count() or 1
        self._total = _memory_limit()
        self._spent_s, self._read_at = self.spent_s(), time.monotonic()
        self._busy_s, self._passed_s = _machine_s()
        self._machine = self._busy_s / self._passed_s
        self.device = f"CPU, {self._cores} cores ({platform.machine()})"

    def read(self) -> Reading:
        spent_s, now = self.spent_s(), time.monotonic()
        could_s = max(1e-3, now - self._read_at) * self._cores
        busy = (spent_s - self._spent_s) / could_s  # negative if a child process ended
        self._spent_s, self._read_at = spent_s, now
        return Reading(self._process.memory_info().rss, self._total, min(1.0, max(0.0, busy)), self._load())

    def _load(self) -> float:
        """Return the load of all cores since the last reading. `psutil.cpu_percent` first returns 0 on each thread."""
        busy_s, passed_s = _machine_s()
        if passed_s > self._passed_s:
            self._machine = (busy_s - self._busy_s) / (passed_s - self._passed_s)
            self._busy_s, self._passed_s = busy_s, passed_s
        return min(1.0, max(0.0, self._machine))

    def spent_s(self) -> float:
        """Return the CPU time of this process and its child processes, such as the speech recogniser."""
        return sum(map(_spent_s, [self._process, *self._process.children(recursive=True)]))


def open_gauge(device: str) -> Gauge:
    """Return the gauge for STUDIO_DEVICE: a readable GPU for `auto` and `cuda`, else this process."""
    if device == "auto" or device.startswith("cuda"):
        try:
            return GpuGauge(int(device.partition(":")[2] or 0))
        except pynvml.NVMLError as error:
            log.info("no GPU found (%s); showing the memory of this process instead", error)
    return ProcessGauge()


def _machine_s() -> tuple[float, float]:
    """Return the seconds that all cores were busy since the start of the machine, and all seconds of all cores."""
    times = psutil.cpu_times()._asdict()
    passed_s = sum(times.values()) - times.get("guest", 0.0) - times.get("guest_nice", 0.0)  # user time contains both
    return passed_s - times["idle"] - times.get("iowait", 0.0), passed_s


def _spent_s(process: psutil.Process) -> float:
    try:
        times = process.cpu_times()
    except psutil.Error:  # the process has ended
        return 0.0
    return float(times.user + times.system)


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
