"""CUDA C++ to machine code: compiled by NVRTC, which torch for CUDA brings along, and kept on disk.

`python -m engines.s1.resident.compiling` compiles beside whoever speaks, and imports no torch.
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


DIGEST = 32  # bytes before kept code, its own SHA-256: what the disk spoiled is compiled again


def source() -> str:
    """All of it, in the order in which it is read."""
    return "\n".join(path.read_text(encoding="utf-8") for path in SOURCES)


def machine_code(macros: Mapping[str, int], architecture: str, folder: Path | None = None) -> bytes:
    """The kernel for an architecture such as "sm_90"; from the folder, Triton's own if none is given, if it is kept there.

    Else it is compiled by a process of its own. Raises RuntimeError with the compiler's words.
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
    code = _compiled_beside([f"--gpu-architecture={architecture}", "--std=c++17", *options])
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


def _compiled_beside(options: list[str]) -> bytes:
    command = [sys.executable, "-m", "engines.s1.resident.compiling"]
    done = subprocess.run(command, cwd=ROOT, input=json.dumps(options).encode(), capture_output=True, check=False)
    if done.returncode:
        raise RuntimeError(done.stderr.decode(errors="replace").strip())
    return done.stdout


def _compiled(text: str, options: list[str]) -> bytes:
    """Raises RuntimeError with the compiler's words."""
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


def main() -> None:
    """Options as JSON come in, machine code goes out; what is wrong is told beside it."""
    try:
        code = _compiled(source(), json.load(sys.stdin))
    except Exception as error:
        sys.exit(str(error))
    sys.stdout.buffer.write(code)


if __name__ == "__main__":
    main()
