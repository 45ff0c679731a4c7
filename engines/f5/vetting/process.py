"""Check untrusted fine-tuned weights in a child process with limited memory, time and rights.

This module does not import torch; `python -m engines.f5.vetting.process` is the child process.
"""

import json
import logging
import os
import subprocess
import sys
import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Any, TypeVar

import psutil

from engines.base import Checkpoint
from engines.errors import BadCheckpoint, Cancelled, EngineFailed
from engines.f5.files import locate_design
from engines.f5.vetting.file_kind import is_pytorch
from engines.f5.vetting.sandbox import LIMITS_KNOWN, SandboxLimits, enforce, forbid_side_effects
from engines.f5.vetting.task import VettingTask
from engines.runtime.background import ended
from engines.runtime.publishing import publishing

log = logging.getLogger(__name__)

T = TypeVar("T")

ROOT = Path(__file__).parents[3]
POLL_S = 0.05
OUTPUT_MAX = 64_000  # bytes of the child's output that are read
ENVIRONMENT = ("PATH", "PYTHONPATH", "LD_LIBRARY_PATH", "LANG", "SYSTEMROOT")  # passed on; has no credentials
TOO_MUCH = "{} needs far more memory than F5-TTS weights do; it is damaged or not a checkpoint, download it again"
WORKING_BYTES = 2_000_000_000  # torch itself, one tensor, the file's list of tensors
RESTORED_MAX = 4_000_000_000  # limit of int8 tensors after conversion to float32


@dataclass(frozen=True, slots=True)
class Vetted:
    """The contents of the weights, and the SHA-256 of the safetensors file written from them."""

    parameters: int
    dtype: str  # as in the file; several are joined by +
    tensors: int
    sha256: str


def usual_limits(weights: Path) -> SandboxLimits:
    """Return the limits for a valid file of this size: the file is mapped, and int8 tensors grow fourfold."""
    size = weights.stat().st_size
    grown = min(3 * size, RESTORED_MAX)
    return SandboxLimits(size + grown + WORKING_BYTES, size + grown + 1_000_000, seconds=600.0)


def vet(
    weights: Path,
    safetensors: Path,
    *,
    against: Checkpoint,
    pt: Path | None = None,
    limits: SandboxLimits | None = None,
    stop: threading.Event | None = None,
) -> Vetted:
    """Read F5 weights (.pt or .safetensors), check every tensor, and write the network's tensors to `safetensors`.

    `against` is the checkpoint whose network the weights must fit. For .safetensors input, `pt` is written too, in f5-tts's
    layout. Files appear completely or not at all, and equal weights give equal bytes. Raises BadCheckpoint with the fault of
    the weights, Cancelled when `stop` is set, EngineFailed if a file cannot be written.
    """
    if not weights.is_file():
        raise BadCheckpoint(f"{weights.name} does not exist; choose the weights again")
    design = ended(locate_design(against))
    targets = [safetensors] if pt is None else [safetensors, pt]
    with publishing(*targets) as parts:
        task = VettingTask(
            weights=str(weights.absolute()),
            safetensors=str(parts[0]),
            pt="" if pt is None else str(parts[1]),
            architecture=str(design.architecture),
            vocabulary=str(design.vocabulary),
            design=design.name,
            limits=limits or usual_limits(weights),
        )
        answer = _run(task, weights.name, stop)
        if "refused" in answer:
            raise BadCheckpoint(answer["refused"])
        if "failed" in answer:
            raise EngineFailed(answer["failed"])
        return Vetted(**answer["vetted"])


def _run(task: VettingTask, name: str, stop: threading.Event | None) -> Mapping[str, Any]:
    """Run the child process and return its answer; its stderr goes only to the log."""
    with TemporaryFile() as output, TemporaryFile() as errors:
        environment = {key: os.environ[key] for key in ENVIRONMENT if key in os.environ}
        child = subprocess.Popen(
            [sys.executable, "-m", "engines.f5.vetting.process", task.to_json()],
            cwd=ROOT,
            env={**environment, "CUDA_VISIBLE_DEVICES": "", "OMP_NUM_THREADS": "2"},
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=errors,
        )
        try:
            _wait(child, name, task.limits, stop)
        finally:
            child.kill()
            child.wait()
        if logged := _tail(errors).strip():
            log.info("vetting %s ended with %s: %s", name, child.returncode, logged)
        try:
            answer: Mapping[str, Any] = json.loads(_tail(output))
        except ValueError as error:
            raise BadCheckpoint(TOO_MUCH.format(name)) from error
        return answer


def _wait(child: subprocess.Popen[bytes], name: str, limits: SandboxLimits, stop: threading.Event | None) -> None:
    due = time.monotonic() + limits.seconds
    while child.poll() is None:
        if stop is not None and stop.is_set():
            raise Cancelled("stopped")
        if time.monotonic() > due:
            raise BadCheckpoint(
                f"{name} was not checked within {limits.seconds:.0f} s; try again when the machine is idle"
            )
        if not LIMITS_KNOWN and _memory_bytes(child.pid) > limits.memory_bytes:
            raise BadCheckpoint(TOO_MUCH.format(name))
        time.sleep(POLL_S)


def _memory_bytes(pid: int) -> int:
    with suppress(psutil.NoSuchProcess):
        return int(psutil.Process(pid).memory_info().rss)
    return 0


def _tail(file: IO[bytes]) -> str:
    file.seek(max(0, file.seek(0, os.SEEK_END) - OUTPUT_MAX))
    return file.read(OUTPUT_MAX).decode("utf-8", "replace")


def main(argument: str) -> None:
    """Run the child process: limit resources, do the task, write one line of JSON."""
    task = VettingTask.from_json(argument)
    enforce(task.limits)
    sys.stdout.write(json.dumps(_answer(task)) + "\n")


def _answer(task: VettingTask) -> dict[str, object]:
    """Return `vetted` with the contents, `refused` with the fault of the weights, or `failed` with a write error."""
    name = Path(task.weights).name
    try:
        is_pytorch(Path(task.weights))  # refuse a wrong kind of file before torch is imported, which takes seconds
        tensors = import_module("engines.f5.vetting.tensors")
        forbid_side_effects({task.safetensors, task.pt})
        return {"vetted": tensors.check_and_write(task)}
    except BadCheckpoint as error:
        return {"refused": str(error)}
    except EngineFailed as error:
        return {"failed": str(error)}
    except (MemoryError, ImportError):
        return {"refused": TOO_MUCH.format(name)}
    except Exception:  # a damaged file can make a reader raise anything
        log.exception("%s", name)
        return {"refused": f"{name} is damaged or has no F5-TTS weights; save it again from F5-TTS"}


if __name__ == "__main__":
    main(sys.argv[1])
