"""Sets of F5 weights in memory. One set is active, in the buffer that compiled code reads; the others are flat copies.

A set is read from disk once, on a separate thread, and kept in host memory. From its first use on it is also kept on the
device while the budget allows. Activating a set is one copy, from the device or from page-locked memory.
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
from engines.types import CacheUse, Weights

log = logging.getLogger(__name__)

BASE = ""  # key of the checkpoint's weights; the key of fine-tuned weights is the SHA-256 of their file
SHARE = 4  # inactive sets may use one part in this many of the free memory


@dataclass(frozen=True, slots=True)
class WeightBudget:
    """Bytes for inactive sets. Sets in use may exceed it; there are at most as many as running requests."""

    device: int
    host: int

    @classmethod
    def of(cls, requested: int, device: torch.device) -> "WeightBudget":
        """Return `requested` bytes for the device (on a CPU: the host); 0 means a quarter of the free memory."""
        if device.type == "cuda":
            return cls(requested or free_device_bytes(device) // SHARE, free_host_bytes() // SHARE)
        return cls(0, requested or free_host_bytes() // SHARE)


@dataclass(slots=True, eq=False)
class WeightCopies:
    """Flat copies of one set; at least one of the two exists."""

    host: Tensor | None = None
    device: Tensor | None = None


@dataclass(slots=True)
class WeightCounts:
    """Counts since the engine was loaded."""

    loaded: int = 0  # sets read from disk
    load_s: float = 0.0  # seconds of all reads
    found: int = 0  # requests whose set was in memory
    evicted: int = 0  # sets removed from the device or from memory
    activated: int = 0  # copies into the active buffer


class WeightCache:
    """Holds the base weights and fine-tuned ones. Only the scheduler's thread may call it."""

    def __init__(self, parameters: FlatParameters, budget: WeightBudget, leased: Callable[[], Collection[str]]) -> None:
        """Create the cache; `leased` returns the keys of the sets in use, which stay in memory."""
        self.counts = WeightCounts()
        self.active = BASE  # the set that the network uses
        self._parameters, self._budget, self._leased = parameters, budget, leased
        self._sets: OrderedDict[str, WeightCopies] = OrderedDict()  # least recently used first
        self._loading: dict[str, Future[tuple[Tensor, float]]] = {}
        self._reader = ThreadPoolExecutor(1, "f5-weights")

    @property
    def figures(self) -> Mapping[str, float]:
        """Return the counts by their metric names."""
        counts = self.counts
        return {
            "weights_missed": counts.loaded,
            "weights_load_s": counts.load_s,
            "weights_found": counts.found,
            "weights_evicted": counts.evicted,
            "weights_placed": counts.activated,
        }

    @property
    def memory_bytes(self) -> int:
        """Return the bytes of the copies on the device; on a CPU, of all copies."""
        copies = [held.device for held in self._sets.values()]
        if self._parameters.data.device.type == "cpu":
            copies += [held.host for held in self._sets.values()]
        return self._size * sum(copy is not None for copy in copies)

    @property
    def use(self) -> CacheUse:
        """Return the sets in memory besides the active set, with their copies, and the lookups."""
        return CacheUse(
            name="weights",
            entries=len(self._sets),
            bytes=self.memory_bytes,
            found=self.counts.found,
            missed=self.counts.loaded,
        )

    def clear(self) -> None:
        """Remove the fine-tuned weights that no request uses. The base weights stay."""
        leased = self._leased()
        if self.active not in (BASE, *leased):
            self.activate(BASE)
        for key in [key for key in self._sets if key not in (BASE, *leased)]:
            del self._sets[key]
            self.counts.evicted += 1
        if self.active == BASE:
            self._sets.pop(BASE, None)  # the network has the base weights

    def close(self) -> None:
        """Stop reading. The sets are freed with this object."""
        self._reader.shutdown(wait=False, cancel_futures=True)

    def start_loading(self, weights: Weights) -> None:
        """Start to read a leased set that is not in memory, and return at once. See `collect_loaded`."""
        key = weights.sha256
        if self.is_available(key):
            self.counts.found += 1
        elif key not in self._loading:
            self._cancel_unused()
            self._make_host_room(self._size)
            self._loading[key] = self._reader.submit(self._read, weights)

    def is_available(self, key: str) -> bool:
        """Return True if the set can be activated."""
        return key in self._sets or key in (self.active, BASE)

    def is_loading(self, key: str) -> bool:
        """Return True while the set is being read."""
        return key in self._loading and not self._loading[key].done()

    def collect_loaded(self) -> Mapping[str, EngineError]:
        """Store the sets that were read; return the sets that could not be read, with their errors."""
        failed: dict[str, EngineError] = {}
        for key in [key for key, loading in self._loading.items() if loading.done()]:
            try:
                self._add(key, *self._loading.pop(key).result())
            except EngineError as error:
                failed[key] = error
        return failed

    def _read(self, weights: Weights) -> tuple[Tensor, float]:
        started = time.perf_counter()
        return self._parameters.read(weights), time.perf_counter() - started

    def _add(self, key: str, host: Tensor, took_s: float) -> None:
        self.counts.loaded += 1
        self.counts.load_s += took_s
        self._sets[key] = WeightCopies(host=host)
        self._make_host_room(0)

    def _cancel_unused(self) -> None:
        """Stop reading sets that no request uses any more."""
        leased = self._leased()
        for key in [key for key in self._loading if key not in leased]:
            if self._loading[key].cancel() or self._loading[key].done():
                del self._loading[key]

    def activate(self, key: str) -> None:
        """Copy an available set into the network. Raises OutOfMemory."""
        if key == self.active:
            return
        if self.active not in self._sets and (self.active == BASE or self.active in self._leased()):
            self._sets[self.active] = self._copy_active()
        held = self._sets[key]
        self._sets.move_to_end(key)
        source = held.host if held.device is None else held.device
        if source is None:
            raise KeyError(key)
        self._parameters.data.copy_(source, non_blocking=True)
        self.active = key
        self.counts.activated += 1
        if held.device is None:
            held.device = self._copy_on_device()

    def evict_idle(self) -> bool:
        """Remove every unused set from the device to free its memory; return False if none could be removed."""
        return any([self._evict_from_device(key) for key in self._idle_on_device()])

    def _copy_active(self) -> WeightCopies:
        """Copy the active set, which has no other copy."""
        if (on_device := self._copy_on_device()) is not None:
            return WeightCopies(device=on_device)
        if (on_host := _on_host(self._parameters.data)) is not None:
            return WeightCopies(host=on_host)
        raise OutOfMemory(
            "too little memory for fine-tuned weights; unload an engine, or use a champion without fine-tuned weights"
        )

    def _copy_on_device(self) -> Tensor | None:
        """Copy the active set on the device, evicting idle sets if necessary; None if budget or memory are too small."""
        if self._size > self._budget.device:
            return None
        for leaving in (*self._idle_on_device(), None):
            held = self._size * sum(copies.device is not None for copies in self._sets.values())
            if held + self._size <= self._budget.device:
                try:
                    return self._parameters.data.clone()
                except RuntimeError as error:  # torch raises RuntimeError if a device is full
                    log.warning("too little device memory for another set of weights (%s)", error)
            if leaving is not None:
                self._evict_from_device(leaving)
        return None

    def _idle_on_device(self) -> list[str]:
        """Return the keys of unused sets on the device, least recently used first."""
        leased = self._leased()
        return [key for key, copies in self._sets.items() if copies.device is not None and key not in leased]

    def _evict_from_device(self, key: str) -> bool:
        """Remove a set from the device; return False for the base weights if host memory cannot hold their only copy."""
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
        """Remove unused host copies: first those with a device copy, then the least recently used."""
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
    """Copy to the host; None if memory is too small."""
    try:
        return torch.empty_like(flat, device="cpu").copy_(flat)
    except RuntimeError as error:
        log.warning("too little host memory for another set of weights (%s)", error)
        return None
