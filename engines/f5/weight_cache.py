"""Weights in memory: one set is in place, where compiled code points at it; the others wait as flat copies beside it.

A set is read from the disk once, on a thread of its own. It then waits in host memory, and from its first use on also on the
device while the budget allows: another set is a copy away, from the device or from page-locked memory.
"""

import logging
import time
from collections import OrderedDict
from collections.abc import Callable, Collection, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass

import torch
from torch import Tensor

from engines.errors import EngineError, OutOfMemory
from engines.f5.flat_parameters import FlatParameters
from engines.runtime.placement import free_device_bytes, free_host_bytes
from engines.types import Weights

log = logging.getLogger(__name__)

BASE = ""  # the key of the checkpoint's own weights; a champion's is the SHA-256 of its file
SHARE = 4  # of what is free, one part is for weights that wait


@dataclass(frozen=True, slots=True)
class WeightBudget:
    """Bytes that waiting sets may take. Those in use stay beyond it: no more than requests that run at once."""

    device: int
    host: int

    @classmethod
    def of(cls, wish: int, device: torch.device) -> "WeightBudget":
        """`wish` is for the device, or for the host where that is the device; 0 takes a quarter of what is free."""
        if device.type == "cuda":
            return cls(wish or free_device_bytes(device) // SHARE, free_host_bytes() // SHARE)
        return cls(0, wish or free_host_bytes() // SHARE)


@dataclass(slots=True, eq=False)
class WeightCopies:
    """Of one set; at least one of the two is there."""

    host: Tensor | None = None
    device: Tensor | None = None


@dataclass(slots=True)
class WeightCounts:
    """Since the engine was loaded."""

    loaded: int = 0  # sets read from the disk ...
    load_s: float = 0.0  # ... and the seconds of all these readings
    found: int = 0  # requests whose set was in memory
    evicted: int = 0  # sets that left the device, or memory
    placed: int = 0  # copies into place


class WeightCache:
    """Called from the scheduler alone."""

    def __init__(self, parameters: FlatParameters, budget: WeightBudget, leased: Callable[[], Collection[str]]) -> None:
        """`leased` names the sets in use, which stay in memory."""
        self.counts = WeightCounts()
        self.placed = BASE  # the set that the network computes with
        self._parameters, self._budget, self._leased = parameters, budget, leased
        self._sets: OrderedDict[str, WeightCopies] = OrderedDict()  # least recently used first
        self._coming: dict[str, Future[tuple[Tensor, float]]] = {}
        self._reader = ThreadPoolExecutor(1, "f5-weights")

    @property
    def figures(self) -> Mapping[str, float]:
        counts = self.counts
        return {
            "weights_missed": counts.loaded,
            "weights_load_s": counts.load_s,
            "weights_found": counts.found,
            "weights_evicted": counts.evicted,
            "weights_placed": counts.placed,
        }

    @property
    def memory_bytes(self) -> int:
        """Of the copies on the device; on a CPU that is all of them."""
        copies = [held.device for held in self._sets.values()]
        if self._parameters.data.device.type == "cpu":
            copies += [held.host for held in self._sets.values()]
        return self._size * sum(copy is not None for copy in copies)

    def close(self) -> None:
        self._reader.shutdown(wait=False, cancel_futures=True)

    # A set comes.

    def want(self, weights: Weights) -> None:
        """Begin to read a set, already leased, that is not in memory; returns at once."""
        key = weights.sha256
        if self.is_here(key):
            self.counts.found += 1
        elif key not in self._coming:
            self._give_up_unwanted()
            self._make_host_room(self._size)
            self._coming[key] = self._reader.submit(self._read, weights)

    def is_here(self, key: str) -> bool:
        """Whether the set can be put in place."""
        return key in self._sets or key in (self.placed, BASE)

    def is_coming(self, key: str) -> bool:
        """Whether the set is still being read."""
        return key in self._coming and not self._coming[key].done()

    def receive(self) -> Mapping[str, EngineError]:
        """Take in what was read; returns the sets that could not be, with the reason."""
        failed: dict[str, EngineError] = {}
        for key in [key for key, coming in self._coming.items() if coming.done()]:
            try:
                self._take_in(key, *self._coming.pop(key).result())
            except EngineError as error:
                failed[key] = error
        return failed

    def _read(self, weights: Weights) -> tuple[Tensor, float]:
        started = time.perf_counter()
        return self._parameters.read(weights), time.perf_counter() - started

    def _take_in(self, key: str, host: Tensor, took_s: float) -> None:
        self.counts.loaded += 1
        self.counts.load_s += took_s
        self._sets[key] = WeightCopies(host=host)
        self._make_host_room(0)

    def _give_up_unwanted(self) -> None:
        """Whoever wanted these has left."""
        leased = self._leased()
        for key in [key for key in self._coming if key not in leased]:
            if self._coming[key].cancel() or self._coming[key].done():
                del self._coming[key]

    # A set is put in place.

    def place(self, key: str) -> None:
        """Let the network compute with this set, which was received. Raises OutOfMemory."""
        if key == self.placed:
            return
        if self.placed not in self._sets and (self.placed == BASE or self.placed in self._leased()):
            self._sets[self.placed] = self._kept()
        held = self._sets[key]
        self._sets.move_to_end(key)
        source = held.host if held.device is None else held.device
        if source is None:
            raise KeyError(key)
        self._parameters.data.copy_(source, non_blocking=True)
        self.placed = key
        self.counts.placed += 1
        if held.device is None:
            held.device = self._copy_on_device()

    def leave_device(self) -> bool:
        """Let every idle set leave the device, for the work on it; false if none could."""
        return any([self._evict_from_device(key) for key in self._idle_on_device()])

    def _kept(self) -> WeightCopies:
        """What is in place, which no other copy is left of."""
        if (on_device := self._copy_on_device()) is not None:
            return WeightCopies(device=on_device)
        if (on_host := _on_host(self._parameters.data)) is not None:
            return WeightCopies(host=on_host)
        raise OutOfMemory(
            "there is no memory left for a champion's own weights; unload an engine, or use the base voice"
        )

    def _copy_on_device(self) -> Tensor | None:
        """What is in place once more, if the budget and the device have room or get it from idle sets; else None."""
        if self._size > self._budget.device:
            return None
        for leaving in (*self._idle_on_device(), None):
            held = self._size * sum(copies.device is not None for copies in self._sets.values())
            if held + self._size <= self._budget.device:
                try:
                    return self._parameters.data.clone()
                except RuntimeError as error:  # torch's way to say that a device is full
                    log.warning("no room on the device for one more set of weights (%s)", error)
            if leaving is not None:
                self._evict_from_device(leaving)
        return None

    # Sets leave.

    def _idle_on_device(self) -> list[str]:
        """Least recently used first."""
        leased = self._leased()
        return [key for key, copies in self._sets.items() if copies.device is not None and key not in leased]

    def _evict_from_device(self, key: str) -> bool:
        """Whether it left: the base's, which no vetted file holds, stays where it cannot move to host memory."""
        copies = self._sets[key]
        if key == BASE and copies.host is None and copies.device is not None:
            copies.host = _on_host(copies.device)
            if copies.host is None:
                return False
        copies.device = None
        if copies.host is None:
            del self._sets[key]
        self.counts.evicted += 1
        return True

    def _make_host_room(self, needed: int) -> None:
        """Idle copies leave: first those that the device holds too, then the least recently used."""
        leased = self._leased()
        idle = [key for key, copies in self._sets.items() if copies.host is not None and key not in (BASE, *leased)]
        idle.sort(key=lambda key: self._sets[key].device is None)
        used = self._size * sum(copies.host is not None for copies in self._sets.values())
        while idle and used + needed > self._budget.host:
            copies = self._sets[key := idle.pop(0)]
            copies.host = None
            used -= self._size
            if copies.device is None:
                del self._sets[key]
                self.counts.evicted += 1

    @property
    def _size(self) -> int:
        return self._parameters.data.nbytes


def _on_host(flat: Tensor) -> Tensor | None:
    """A copy, or None where there is no memory for it."""
    try:
        return torch.empty_like(flat, device="cpu").copy_(flat)
    except RuntimeError as error:
        log.warning("no room in host memory for one more set of weights (%s)", error)
        return None
