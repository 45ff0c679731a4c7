"""Choose a backend for each computation of an engine: the fastest implementation that the machine and the network allow."""

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Generic, TypeVar

import torch

from engines.types import BackendChoice, Numerics

log = logging.getLogger(__name__)

COMPILE_OFF = "STUDIO_COMPILE is off"
NO_CUDA = "needs a CUDA GPU"
NO_CPU = "runs on a CPU only"
NO_FAILURES: Mapping[str, str] = {}
ConditionsT = TypeVar("ConditionsT", contravariant=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class Hardware:
    """The properties of a device on which backends depend."""

    kind: str  # cpu, cuda, mps
    capability: tuple[int, int] = (0, 0)  # of a CUDA GPU
    multiprocessors: int = 0
    shared_memory_bytes: int = 0  # that one block can have

    @classmethod
    def of(cls, device: torch.device) -> "Hardware":
        """Read the properties of a device."""
        if device.type != "cuda":
            return cls(kind=device.type)
        properties = torch.cuda.get_device_properties(device)
        return cls(
            kind="cuda",
            capability=(properties.major, properties.minor),
            multiprocessors=properties.multi_processor_count,
            shared_memory_bytes=getattr(properties, "shared_memory_per_block_optin", 0),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Conditions:
    """The facts that select a backend; an engine adds facts about its network."""

    hardware: Hardware
    compile: bool  # STUDIO_COMPILE is not off


@dataclass(frozen=True, slots=True, kw_only=True)
class ComputeBackend(Generic[ConditionsT]):
    """An implementation of a computation, such as PyTorch or a CUDA kernel, and when the implementation applies."""

    name: str
    title: str
    condition: str  # when it applies, for the documentation
    numerics: Numerics  # compared with the last backend of the computation
    obstacle: Callable[[ConditionsT], str]  # return why the backend does not apply; empty if it applies


@dataclass(frozen=True, slots=True, kw_only=True)
class Computation(Generic[ConditionsT]):
    """A computation and its backends, the fastest first; the last one applies everywhere."""

    title: str
    backends: Sequence[ComputeBackend[ConditionsT]]

    def select(self, conditions: ConditionsT, failures: Mapping[str, str] = NO_FAILURES) -> BackendChoice:
        """Return the first backend that applies and did not fail, with the reasons against the faster ones.

        `failures` are the errors of backends that failed, by name.
        """
        skipped: dict[str, str] = {}
        for backend in self.backends:
            obstacle = failures.get(backend.name) or backend.obstacle(conditions)
            if not obstacle:
                break
            skipped[backend.name] = obstacle
        failure = next((reason for name, reason in failures.items() if name in skipped), "")
        return BackendChoice(self.title, backend.name, backend.title, backend.numerics, skipped, failure)


class Selection(Generic[ConditionsT]):
    """The backend that a computation uses now; one that fails is replaced by the next that applies."""

    def __init__(self, computation: Computation[ConditionsT], conditions: ConditionsT, label: str = "") -> None:
        """`label` replaces the computation's title, such as for one number of rows."""
        self._computation, self._conditions, self._label = computation, conditions, label or computation.title
        self._failures: dict[str, str] = {}
        self.choice = self._select()

    @property
    def name(self) -> str:
        """The selected backend's name."""
        return self.choice.backend

    def fail(self, error: Exception) -> None:
        """Replace the selected backend, which raised this error, and log a warning."""
        failed = self.name
        self._failures[failed] = f"{type(error).__name__}: {error}"
        self.choice = self._select()
        log.warning("%s: backend %s failed (%s); using %s", self._label, failed, self._failures[failed], self.name)

    def _select(self) -> BackendChoice:
        return replace(self._computation.select(self._conditions, self._failures), computation=self._label)


def everywhere(conditions: object) -> str:
    """Return no obstacle: the backend applies under all conditions."""
    return ""


def on_gpu(conditions: Conditions) -> str:
    """Return why a backend that is compiled for a GPU does not apply; empty if it does."""
    if conditions.hardware.kind != "cuda":
        return NO_CUDA
    return "" if conditions.compile else COMPILE_OFF


def on_cpu(conditions: Conditions) -> str:
    """Return why a backend that is compiled for a CPU does not apply; empty if it does."""
    if conditions.hardware.kind != "cpu":
        return NO_CPU
    return "" if conditions.compile else COMPILE_OFF
