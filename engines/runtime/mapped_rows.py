"""Rows of CUDA memory that are allocated when they are first used.

Recorded graphs keep the addresses of their tensors, so the cache of all rows needs its addresses from the start. CUDA's
virtual memory separates addresses from memory. During warm-up, one spare row backs all unallocated rows, so that graphs of
many rows can be recorded; what they write there is never read.
"""

import weakref
from typing import Any

import torch

from engines.runtime.driver import checked

ROOM = 3  # rows of free memory that must remain after an allocation: torch needs as much when rows are swapped
_ALL: "weakref.WeakSet[MappedRows]" = weakref.WeakSet()


def can_map(device: torch.device) -> bool:
    """Return True if the device supports virtual memory management."""
    if device.type != "cuda":
        return False
    try:
        from cuda.bindings import driver  # type: ignore[import-untyped]  # part of torch's CUDA build for Linux

        attribute = driver.CUdevice_attribute.CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED
        return bool(checked(driver.cuDeviceGetAttribute(attribute, device.index)))
    except (ImportError, AttributeError, RuntimeError):
        return False


def mapped_bytes() -> int:
    """Return the bytes of all allocated rows, which torch's memory figures do not include."""
    return sum(rows.bytes for rows in _ALL)


class MappedRows:
    """(rows, row_bytes) bytes on a device, allocated row by row."""

    def __init__(self, rows: int, row_bytes: int, device: torch.device) -> None:
        """Reserve the addresses and allocate the first row. Raises torch.OutOfMemoryError."""
        self.device = device
        with torch.cuda.device(device):
            self._memory = _Memory(rows, row_bytes, device.index)
            weakref.finalize(self, self._memory.free).atexit = False  # the end of the process frees its memory
            if not self._memory.allocate():
                raise torch.OutOfMemoryError("the device has no memory left for a row")
            self.bytes_of_all = torch.as_tensor(_Array(self._memory), device=device)
        _ALL.add(self)

    @property
    def allocated(self) -> int:
        """Return the number of allocated rows."""
        return len(self._memory.allocated)

    @property
    def bytes(self) -> int:
        """Return the bytes of the allocated rows."""
        return self.allocated * self._memory.stride

    def allocate(self, rows: int) -> None:
        """Allocate the first `rows`, filled with zeros for everything that the current stream does next.

        During warm-up, a new row waits for the device.
        Raises torch.OutOfMemoryError; earlier rows stay allocated.
        """
        if rows <= self.allocated:
            return
        with torch.cuda.device(self.device):
            if not self._memory.warmed_up:
                torch.cuda.synchronize()  # nothing may still write to the spare row at these addresses
            while self.allocated < rows:
                if not self._has_room():
                    torch.cuda.empty_cache()  # frees unused memory in torch's cache
                if not self._has_room() or not self._memory.allocate():
                    raise torch.OutOfMemoryError("the device has no memory left for another row")

    def release(self, rows: int) -> None:
        """Free all rows after the first `rows`."""
        if rows < self.allocated:
            with torch.cuda.device(self.device):
                torch.cuda.synchronize()
                while self.allocated > rows:
                    self._memory.release()

    def finish_warmup(self) -> None:
        """Free the spare row; from now on only allocated rows may be used."""
        with torch.cuda.device(self.device):
            torch.cuda.synchronize()
            self._memory.release_spare()

    def close(self) -> None:
        """Free all memory; nothing may use it afterwards."""
        self._memory.free()

    def _has_room(self) -> bool:
        free, _ = torch.cuda.mem_get_info(self.device)
        return free >= (1 + ROOM) * self._memory.stride


class _Memory:
    """The calls of CUDA's driver. A row is rounded up to the granularity of the driver."""

    def __init__(self, rows: int, row_bytes: int, card: int) -> None:
        from cuda.bindings import driver

        self._driver: Any = driver
        location_type = driver.CUmemLocationType.CU_MEM_LOCATION_TYPE_DEVICE
        self._kind, self._access = driver.CUmemAllocationProp(), driver.CUmemAccessDesc()
        self._kind.type = driver.CUmemAllocationType.CU_MEM_ALLOCATION_TYPE_PINNED
        self._kind.location.type, self._kind.location.id = location_type, card
        self._access.location.type, self._access.location.id = location_type, card
        self._access.flags = driver.CUmemAccess_flags.CU_MEM_ACCESS_FLAGS_PROT_READWRITE
        least = driver.CUmemAllocationGranularity_flags.CU_MEM_ALLOC_GRANULARITY_MINIMUM
        grain = checked(driver.cuMemGetAllocationGranularity(self._kind, least))
        self.card, self.rows, self.row_bytes = card, rows, row_bytes
        self.stride = -(-row_bytes // grain) * grain
        self.allocated: list[Any] = []  # memory handles of the allocated rows, in order
        self._spare = self._create()
        if self._spare is None:
            raise torch.OutOfMemoryError("the device has no memory left for a row")
        self.address = int(checked(driver.cuMemAddressReserve(rows * self.stride, 0, driver.CUdeviceptr(0), 0)))
        for row in range(rows):
            self._map(row, self._spare)

    @property
    def warmed_up(self) -> bool:
        """Return True if unallocated rows have no backing memory."""
        return self._spare is None

    def allocate(self) -> bool:
        """Allocate one more row; return False if the device has too little memory."""
        memory, row = self._create(), len(self.allocated)
        if memory is None:
            return False
        if not self.warmed_up:
            self._unmap(row, row + 1)
        self._map(row, memory)
        self.allocated.append(memory)
        stream = self._driver.CUstream(torch.cuda.current_stream().cuda_stream)
        checked(self._driver.cuMemsetD8Async(self.address + row * self.stride, 0, self.stride, stream))
        return True

    def release(self) -> None:
        """Free the last allocated row."""
        memory, row = self.allocated.pop(), len(self.allocated)
        self._unmap(row, row + 1)
        checked(self._driver.cuMemRelease(memory))
        if self._spare is not None:
            self._map(row, self._spare)

    def release_spare(self) -> None:
        if self._spare is not None:
            self._unmap(len(self.allocated), self.rows)
            checked(self._driver.cuMemRelease(self._spare))
            self._spare = None

    def free(self) -> None:
        """Free all memory and addresses, once nothing uses them."""
        if not self.address:
            return
        with torch.cuda.device(self.card):
            torch.cuda.synchronize()
            self.release_spare()
            while self.allocated:
                self.release()
            checked(self._driver.cuMemAddressFree(self.address, self.rows * self.stride))
        self.address = 0

    def _create(self) -> Any:
        """Create memory for one row; None if the device has too little."""
        status, memory = self._driver.cuMemCreate(self.stride, self._kind, 0)
        return None if status == self._driver.CUresult.CUDA_ERROR_OUT_OF_MEMORY else checked((status, memory))

    def _map(self, row: int, memory: Any) -> None:
        at = self.address + row * self.stride
        checked(self._driver.cuMemMap(at, self.stride, 0, memory, 0))
        checked(self._driver.cuMemSetAccess(at, self.stride, [self._access], 1))

    def _unmap(self, first: int, stop: int) -> None:
        for row in range(first, stop):
            checked(self._driver.cuMemUnmap(self.address + row * self.stride, self.stride))


class _Array:
    """The interface by which torch wraps the memory: https://numba.readthedocs.io/en/stable/cuda/cuda_array_interface.html."""

    def __init__(self, memory: _Memory) -> None:
        self.memory = memory
        self.__cuda_array_interface__ = {
            "shape": (memory.rows, memory.row_bytes),
            "strides": (memory.stride, 1),
            "typestr": "|u1",
            "data": (memory.address, False),
            "version": 3,
        }
