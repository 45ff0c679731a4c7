"""Compile CUDA C++ to machine code with NVRTC, which is part of torch for CUDA, and cache it on disk.

`python -m engines.s1.resident.compiling` is a separate process, which does not import torch.
"""

import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from engines.runtime.driver import checked
from engines.runtime.publishing import publishing

ROOT = Path(__file__).parents[3]
SOURCES = tuple(
    Path(__file__).with_name(name)
    for name in (
        "primitives.cuh", "layout.cuh", "ring.cuh", "exchange.cuh", "products.cuh", "attention.cuh", "drawing.cuh",
        "frame.cu",
    )
)  # fmt: skip


DIGEST = 32  # bytes before cached code: its SHA-256, so that damaged files are compiled again


def source() -> str:
    """Return the source of all files, in the order of reading."""
    return "\n".join(path.read_text(encoding="utf-8") for path in SOURCES)


def machine_code(macros: Mapping[str, int], architecture: str, folder: Path | None = None) -> bytes:
    """Return the kernel for an architecture such as "sm_90", from the folder (by default Triton's cache) if it is there.

    Otherwise another process compiles it. Raises RuntimeError with the compiler's messages.
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
    code = _compile_in_process([f"--gpu-architecture={architecture}", "--std=c++17", *options])
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with publishing(kept, sync=False) as (part,):
            part.write_bytes(hashlib.sha256(code).digest() + code)
    except OSError:
        pass  # a read-only folder caches nothing
    return code


def _tritons() -> Path:
    """Return Triton's cache folder, without importing Triton, which takes long."""
    return Path(
        os.environ.get("TRITON_CACHE_DIR") or Path(os.environ.get("TRITON_HOME", Path.home()), ".triton", "cache")
    )


def _compile_in_process(options: list[str]) -> bytes:
    command = [sys.executable, "-m", "engines.s1.resident.compiling"]
    done = subprocess.run(command, cwd=ROOT, input=json.dumps(options).encode(), capture_output=True, check=False)
    if done.returncode:
        raise RuntimeError(done.stderr.decode(errors="replace").strip())
    return done.stdout


def _compiled(text: str, options: list[str]) -> bytes:
    """Compile the source. Raises RuntimeError with the compiler's messages."""
    from cuda.bindings import nvrtc  # type: ignore[import-untyped]  # only CUDA builds of torch bring it

    program = checked(nvrtc.nvrtcCreateProgram(text.encode(), b"frame.cu", 0, [], []))
    try:
        status, *_ = nvrtc.nvrtcCompileProgram(program, len(options), [option.encode() for option in options])
        if status != nvrtc.nvrtcResult.NVRTC_SUCCESS:
            said = b" " * checked(nvrtc.nvrtcGetProgramLogSize(program))
            checked(nvrtc.nvrtcGetProgramLog(program, said))
            raise RuntimeError(said.decode(errors="replace").strip("\0 \n"))
        code = b" " * checked(nvrtc.nvrtcGetCUBINSize(program))
        checked(nvrtc.nvrtcGetCUBIN(program, code))
        return code
    finally:
        nvrtc.nvrtcDestroyProgram(program)


def main() -> None:
    """Read options as JSON, write machine code, or exit with an error message."""
    try:
        code = _compiled(source(), json.load(sys.stdin))
    except Exception as error:
        sys.exit(str(error))
    sys.stdout.buffer.write(code)


if __name__ == "__main__":
    main()
