"""Rows of a CUDA device's memory, each of which is taken when it is first used.

Recorded graphs keep the addresses they were recorded with, so a cache of as many rows as may ever be in use must have all its
addresses from the start. CUDA's virtual memory keeps addresses and memory apart: until all that rows do was tried, one spare
row's memory stands behind those that are not taken, so that graphs of many rows can be recorded; what is written there means
nothing.
"""

import weakref
from typing import Any

import torch

from engines.runtime.driver import checked

ROOM = 3  # rows that others must still have memory for when one more is taken: torch asks for as much when rows are swapped
_ALL: "weakref.WeakSet[MappedRows]" = weakref.WeakSet()


def can_map(device: torch.device) -> bool:
    """Whether there can be such rows on this device."""
    if device.type != "cuda":
        return False
    try:
        from cuda.bindings import driver  # type: ignore[import-untyped]  # it comes with CUDA's torch for Linux

        attribute = driver.CUdevice_attribute.CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED
        return bool(checked(driver.cuDeviceGetAttribute(attribute, device.index)))
    except (ImportError, AttributeError, RuntimeError):
        return False


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
            weakref.finalize(self, self._memory.free).atexit = False  # a process's memory ends with it
            if not self._memory.take():
                raise torch.OutOfMemoryError("the device has no memory left for a row")
            self.bytes_of_all = torch.as_tensor(_Array(self._memory), device=device)
        _ALL.add(self)

    @property
    def taken(self) -> int:
        """Rows that have memory of their own."""
        return len(self._memory.taken)

    @property
    def bytes(self) -> int:
        """Bytes of theirs."""
        return self.taken * self._memory.stride

    def take(self, rows: int) -> None:
        """Have memory behind the first `rows`, zeros for all that the current stream does from now on.

        Until they are settled it waits for the device where that is new.
        Raises torch.OutOfMemoryError; those that were taken before stay as they are.
        """
        if rows <= self.taken:
            return
        with torch.cuda.device(self.device):
            if not self._memory.settled:
                torch.cuda.synchronize()  # nothing may still write to the spare row at these addresses
            while self.taken < rows:
                if not self._has_room():
                    torch.cuda.empty_cache()  # what torch holds without using it
                if not self._has_room() or not self._memory.take():
                    raise torch.OutOfMemoryError("the device has no memory left for another row")

    def give_back(self, rows: int) -> None:
        """Keep memory behind the first `rows` alone."""
        if rows < self.taken:
            with torch.cuda.device(self.device):
                torch.cuda.synchronize()
                while self.taken > rows:
                    self._memory.give_back()

    def settle(self) -> None:
        """Give the spare row's memory back; from now on only rows that are taken may be used."""
        with torch.cuda.device(self.device):
            torch.cuda.synchronize()
            self._memory.give_spare_back()

    def close(self) -> None:
        """Give all memory back; nothing may use it any more."""
        self._memory.free()

    def _has_room(self) -> bool:
        free, _ = torch.cuda.mem_get_info(self.device)
        return free >= (1 + ROOM) * self._memory.stride


class _Memory:
    """The driver's side of it. Rows fill whole steps of what the device can map."""

    def __init__(self, rows: int, row_bytes: int, card: int) -> None:
        from cuda.bindings import driver

        self._driver: Any = driver
        place = driver.CUmemLocationType.CU_MEM_LOCATION_TYPE_DEVICE
        self._kind, self._access = driver.CUmemAllocationProp(), driver.CUmemAccessDesc()
        self._kind.type = driver.CUmemAllocationType.CU_MEM_ALLOCATION_TYPE_PINNED
        self._kind.location.type, self._kind.location.id = place, card
        self._access.location.type, self._access.location.id = place, card
        self._access.flags = driver.CUmemAccess_flags.CU_MEM_ACCESS_FLAGS_PROT_READWRITE
        least = driver.CUmemAllocationGranularity_flags.CU_MEM_ALLOC_GRANULARITY_MINIMUM
        grain = checked(driver.cuMemGetAllocationGranularity(self._kind, least))
        self.card, self.rows, self.row_bytes = card, rows, row_bytes
        self.stride = -(-row_bytes // grain) * grain
        self.taken: list[Any] = []  # memory of rows, from the first on
        self._spare = self._allocated()
        if self._spare is None:
            raise torch.OutOfMemoryError("the device has no memory left for a row")
        self.address = int(checked(driver.cuMemAddressReserve(rows * self.stride, 0, driver.CUdeviceptr(0), 0)))
        for row in range(rows):
            self._map(row, self._spare)

    @property
    def settled(self) -> bool:
        """Whether nothing stands behind rows that are not taken."""
        return self._spare is None

    def take(self) -> bool:
        """One row more; False where the device has no memory for it."""
        memory, row = self._allocated(), len(self.taken)
        if memory is None:
            return False
        if not self.settled:
            self._unmap(row, row + 1)
        self._map(row, memory)
        self.taken.append(memory)
        stream = self._driver.CUstream(torch.cuda.current_stream().cuda_stream)
        checked(self._driver.cuMemsetD8Async(self.address + row * self.stride, 0, self.stride, stream))
        return True

    def give_back(self) -> None:
        """One row less."""
        memory, row = self.taken.pop(), len(self.taken)
        self._unmap(row, row + 1)
        checked(self._driver.cuMemRelease(memory))
        if self._spare is not None:
            self._map(row, self._spare)

    def give_spare_back(self) -> None:
        if self._spare is not None:
            self._unmap(len(self.taken), self.rows)
            checked(self._driver.cuMemRelease(self._spare))
            self._spare = None

    def free(self) -> None:
        """Once nothing works with it any more."""
        if not self.address:
            return
        with torch.cuda.device(self.card):
            torch.cuda.synchronize()
            self.give_spare_back()
            while self.taken:
                self.give_back()
            checked(self._driver.cuMemAddressFree(self.address, self.rows * self.stride))
        self.address = 0

    def _allocated(self) -> Any:
        """Memory of one row; None where there is none."""
        outcome, memory = self._driver.cuMemCreate(self.stride, self._kind, 0)
        return None if outcome == self._driver.CUresult.CUDA_ERROR_OUT_OF_MEMORY else checked((outcome, memory))

    def _map(self, row: int, memory: Any) -> None:
        at = self.address + row * self.stride
        checked(self._driver.cuMemMap(at, self.stride, 0, memory, 0))
        checked(self._driver.cuMemSetAccess(at, self.stride, [self._access], 1))

    def _unmap(self, first: int, stop: int) -> None:
        for row in range(first, stop):
            checked(self._driver.cuMemUnmap(self.address + row * self.stride, self.stride))


class _Array:
    """How torch is told of it: https://numba.readthedocs.io/en/stable/cuda/cuda_array_interface.html."""

    def __init__(self, memory: _Memory) -> None:
        self.memory = memory
        self.__cuda_array_interface__ = {
            "shape": (memory.rows, memory.row_bytes),
            "strides": (memory.stride, 1),
            "typestr": "|u1",
            "data": (memory.address, False),
            "version": 3,
        }
