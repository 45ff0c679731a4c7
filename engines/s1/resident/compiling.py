"""CUDA C++ to a kernel that can be started: compiled by NVRTC, which torch for CUDA brings along, and kept on disk."""

import ctypes
import hashlib
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from engines.runtime.driver import checked
from engines.runtime.publishing import publishing

SOURCES = tuple(
    Path(__file__).with_name(name)
    for name in (
        "primitives.cuh", "layout.cuh", "ring.cuh", "exchange.cuh", "products.cuh", "attention.cuh", "drawing.cuh",
        "frame.cu",
    )
)  # fmt: skip


DIGEST = 32  # bytes before kept code, its own SHA-256: what the disk spoiled is compiled again


def source() -> str:
    """All of it, in the order in which it is read."""
    return "\n".join(path.read_text(encoding="utf-8") for path in SOURCES)


def machine_code(macros: Mapping[str, int], architecture: str, folder: Path | None = None) -> bytes:
    """The kernel for an architecture such as "sm_90"; from the folder, Triton's own if none is given, if it is kept there.

    Raises RuntimeError with the compiler's words.
    """
    folder = folder or _tritons()
    text = source()
    options = [f"-D{name}={value}" for name, value in macros.items()]
    digest = hashlib.sha256("\n".join([text, architecture, *options]).encode()).hexdigest()
    kept = folder / f"frame-{digest}.cubin"
    if kept.exists():
        held = kept.read_bytes()
        if hashlib.sha256(held[DIGEST:]).digest() == held[:DIGEST]:
            return held[DIGEST:]
    code = _compiled(text, [f"--gpu-architecture={architecture}", "--std=c++17", *options])
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with publishing(kept, sync=False) as (part,):
            part.write_bytes(hashlib.sha256(code).digest() + code)
    except OSError:
        pass  # a folder that cannot be written to keeps nothing
    return code


def _tritons() -> Path:
    """Where Triton keeps what it compiles; asked here, it would be imported first, which others would wait for."""
    return Path(
        os.environ.get("TRITON_CACHE_DIR") or Path(os.environ.get("TRITON_HOME", Path.home()), ".triton", "cache")
    )


def _compiled(text: str, options: list[str]) -> bytes:
    from cuda.bindings import nvrtc  # type: ignore[import-untyped]  # it comes with CUDA's torch alone

    program = checked(nvrtc.nvrtcCreateProgram(text.encode(), b"frame.cu", 0, [], []))
    try:
        outcome, *_ = nvrtc.nvrtcCompileProgram(program, len(options), [option.encode() for option in options])
        if outcome != nvrtc.nvrtcResult.NVRTC_SUCCESS:
            said = b" " * checked(nvrtc.nvrtcGetProgramLogSize(program))
            checked(nvrtc.nvrtcGetProgramLog(program, said))
            raise RuntimeError(said.decode(errors="replace").strip("\0 \n"))
        code = b" " * checked(nvrtc.nvrtcGetCUBINSize(program))
        checked(nvrtc.nvrtcGetCUBIN(program, code))
        return code
    finally:
        nvrtc.nvrtcDestroyProgram(program)


class Kernel:
    """A kernel of one argument, the address of what it is told, in this thread's device."""

    def __init__(self, code: bytes, name: str, shared_bytes: int) -> None:
        """Raises RuntimeError where the device cannot have it."""
        from cuda.bindings import driver

        self._driver: Any = driver
        self._module = checked(driver.cuModuleLoadData(code))
        self._function = checked(driver.cuModuleGetFunction(self._module, name.encode()))
        self._shared_bytes = shared_bytes
        attribute = driver.CUfunction_attribute.CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
        checked(driver.cuFuncSetAttribute(self._function, attribute, shared_bytes))

    def launch(self, programs: int, threads: int, told: Tensor) -> None:
        """Start it in torch's current stream."""
        stream = self._driver.CUstream(torch.cuda.current_stream().cuda_stream)
        arguments = ((told.data_ptr(),), (ctypes.c_void_p,))
        checked(
            self._driver.cuLaunchKernel(
                self._function, programs, 1, 1, threads, 1, 1, self._shared_bytes, stream, arguments, 0
            )
        )
