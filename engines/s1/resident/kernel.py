"""Launch machine code as a kernel."""

import ctypes
from typing import Any

import torch
from torch import Tensor

from engines.runtime.driver import checked


class Kernel:
    """A kernel on this thread's device whose only argument is an address."""

    def __init__(self, code: bytes, name: str, shared_bytes: int) -> None:
        """Load the kernel. Raises RuntimeError if the device does not support it."""
        from cuda.bindings import driver  # type: ignore[import-untyped]  # only CUDA builds of torch bring it

        self._driver: Any = driver
        self._module = checked(driver.cuModuleLoadData(code))
        self._function = checked(driver.cuModuleGetFunction(self._module, name.encode()))
        self._shared_bytes = shared_bytes
        attribute = driver.CUfunction_attribute.CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
        checked(driver.cuFuncSetAttribute(self._function, attribute, shared_bytes))

    def launch(self, programs: int, threads: int, arguments: Tensor) -> None:
        """Launch the kernel on torch's current stream."""
        stream = self._driver.CUstream(torch.cuda.current_stream().cuda_stream)
        parameters = ((arguments.data_ptr(),), (ctypes.c_void_p,))
        checked(
            self._driver.cuLaunchKernel(
                self._function, programs, 1, 1, threads, 1, 1, self._shared_bytes, stream, parameters, 0
            )
        )
