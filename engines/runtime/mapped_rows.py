"""Rows of a CUDA device's memory, each of which is taken when it is first used.

Recorded graphs keep the addresses they were recorded with, so a cache of as many rows as may ever be in use must have all its
addresses from the start. CUDA's virtual memory keeps addresses and memory apart: until a row is taken, one spare row's memory
stands behind it, so that graphs of many rows can be recorded; what is written there means nothing.
"""

import weakref
from typing import Any

import torch

from engines.runtime.driver import checked

_ALL: "weakref.WeakSet[MappedRows]" = weakref.WeakSet()


def mapped_bytes() -> int:
    """Bytes of all rows that are taken, which torch's own figures of memory leave out."""
    return sum(rows.bytes for rows in _ALL)


class MappedRows:
    """(rows, row_bytes) bytes on a device."""

    def __init__(self, rows: int, row_bytes: int, device: torch.device) -> None:
        """The first row is taken. Raises torch.OutOfMemoryError."""
        self.device = device
        with torch.cuda.device(device):
            self._memory = _Memory(rows, row_bytes, device.index)
            weakref.finalize(self, self._memory.free).atexit = False  # the process's memory ends with it
            self.take(1)
            self.bytes_of_all = torch.as_tensor(_Array(self._memory), device=device)
        _ALL.add(self)

    @property
    def taken(self) -> int:
        """Rows that have memory of their own."""
        return len(self._memory.own)

    @property
    def bytes(self) -> int:
        """Bytes of theirs."""
        return self.taken * self._memory.step

    def take(self, rows: int) -> None:
        """Have memory, zeros, behind the first `rows`; waits for the device where that is new.

        Raises torch.OutOfMemoryError; those that were taken before stay as they are.
        """
        if rows <= self.taken:
            return
        with torch.cuda.device(self.device):
            torch.cuda.synchronize()  # nothing may still write to the spare row at these addresses
            while self.taken < rows:
                if not self._memory.take():
                    torch.cuda.empty_cache()  # what torch holds without using it
                    if not self._memory.take():
                        raise torch.OutOfMemoryError("the device has no memory left for another row")

    def settle(self) -> None:
        """Give the spare row's memory back; from now on only rows that are taken may be used."""
        with torch.cuda.device(self.device):
            torch.cuda.synchronize()
            self._memory.give_spare_back()

    def close(self) -> None:
        """Give all memory back; nothing may use it any more."""
        with torch.cuda.device(self.device):
            torch.cuda.synchronize()
            self._memory.free()


class _Memory:
    """The driver's side of it. Rows fill whole steps of what the device can map."""

    def __init__(self, rows: int, row_bytes: int, card: int) -> None:
        from cuda.bindings import driver  # type: ignore[import-untyped]  # it comes with CUDA's torch alone

        self._driver: Any = driver
        device = driver.CUmemLocationType.CU_MEM_LOCATION_TYPE_DEVICE
        self._kind, self._access = driver.CUmemAllocationProp(), driver.CUmemAccessDesc()
        self._kind.type = driver.CUmemAllocationType.CU_MEM_ALLOCATION_TYPE_PINNED
        self._kind.location.type, self._kind.location.id = device, card
        self._access.location.type, self._access.location.id = device, card
        self._access.flags = driver.CUmemAccess_flags.CU_MEM_ACCESS_FLAGS_PROT_READWRITE
        least = driver.CUmemAllocationGranularity_flags.CU_MEM_ALLOC_GRANULARITY_MINIMUM
        grain = checked(driver.cuMemGetAllocationGranularity(self._kind, least))
        self.rows, self.row_bytes = rows, row_bytes
        self.step = -(-row_bytes // grain) * grain
        self.own: list[Any] = []
        self._spare = self._made()
        if self._spare is None:
            raise torch.OutOfMemoryError("the device has no memory left for a row")
        self.address = int(checked(driver.cuMemAddressReserve(rows * self.step, 0, driver.CUdeviceptr(0), 0)))
        for row in range(rows):
            self._map(row, self._spare)

    def take(self) -> bool:
        """One row more; False where the device has no memory for it."""
        made = self._made()
        if made is None:
            return False
        row = len(self.own)
        if self._spare is not None:
            checked(self._driver.cuMemUnmap(self.address + row * self.step, self.step))
        self._map(row, made)
        self.own.append(made)
        checked(self._driver.cuMemsetD8(self.address + row * self.step, 0, self.step))
        return True

    def give_spare_back(self) -> None:
        if self._spare is None:
            return
        if len(self.own) < self.rows:
            first = self.address + len(self.own) * self.step
            checked(self._driver.cuMemUnmap(first, (self.rows - len(self.own)) * self.step))
        checked(self._driver.cuMemRelease(self._spare))
        self._spare = None

    def free(self) -> None:
        if not self.address:
            return
        self.give_spare_back()
        checked(self._driver.cuMemUnmap(self.address, len(self.own) * self.step))
        for handle in self.own:
            checked(self._driver.cuMemRelease(handle))
        checked(self._driver.cuMemAddressFree(self.address, self.rows * self.step))
        self.own, self.address = [], 0

    def _made(self) -> Any:
        """Memory of one row; None where there is none."""
        outcome, handle = self._driver.cuMemCreate(self.step, self._kind, 0)
        if outcome == self._driver.CUresult.CUDA_ERROR_OUT_OF_MEMORY:
            return None
        return checked((outcome, handle))

    def _map(self, row: int, handle: Any) -> None:
        at = self.address + row * self.step
        checked(self._driver.cuMemMap(at, self.step, 0, handle, 0))
        checked(self._driver.cuMemSetAccess(at, self.step, [self._access], 1))


class _Array:
    """How torch is told of it: https://numba.readthedocs.io/en/stable/cuda/cuda_array_interface.html."""

    def __init__(self, memory: _Memory) -> None:
        self.memory = memory
        self.__cuda_array_interface__ = {
            "shape": (memory.rows, memory.row_bytes),
            "strides": (memory.step, 1),
            "typestr": "|u1",
            "data": (memory.address, False),
            "version": 3,
        }
