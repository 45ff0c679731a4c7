"""Fine-tuned weights from outside, opened where they can do no harm: in a process of its own, with bounded memory and time.

This module imports no torch; `python -m engines.f5.vetting.process` is that process.
"""

import json
import logging
import os
import subprocess
import sys
import threading
import time
from collections.abc import Generator, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Any, TypeVar

from engines.base import Checkpoint
from engines.errors import BadCheckpoint, Cancelled, EngineFailed
from engines.f5.files import locate_design
from engines.f5.vetting.file_kind import is_pytorch
from engines.f5.vetting.sandbox import Limits, forbid_deeds, limit

log = logging.getLogger(__name__)

T = TypeVar("T")

ROOT = Path(__file__).parents[3]
POLL_S = 0.05
SAID_MOST = 64_000  # bytes of an answer that are read
PASSED_ON = ("PATH", "PYTHONPATH", "LD_LIBRARY_PATH", "LANG", "SYSTEMROOT")  # no credentials among them
TOO_MUCH = "{} asks for far more memory than F5-TTS weights need; it is broken or no checkpoint, fetch it again"
WORKING_BYTES = 2_000_000_000  # torch itself, one tensor in work, the file's list of tensors
RESTORED_MOST = 4_000_000_000  # of tensors kept as int8, which are restored to float32


@dataclass(frozen=True, slots=True)
class Vetted:
    """What was found in the weights, and the SHA-256 of the safetensors file written from them."""

    parameters: int
    dtype: str  # as in the file; several are joined by +
    tensors: int
    sha256: str


@dataclass(frozen=True, slots=True)
class Errand:
    """What the process is to do."""

    weights: str
    safetensors: str  # where to write
    pt: str  # likewise; empty = not at all
    architecture: str
    vocabulary: str
    design: str  # the name of the checkpoint the weights must be like
    limits: Limits


def usual_limits(weights: Path) -> Limits:
    """What an honest file of this size needs at most: it is mapped, and an int8 one grows fourfold."""
    size = weights.stat().st_size
    grown = min(3 * size, RESTORED_MOST)
    return Limits(size + grown + WORKING_BYTES, size + grown + 1_000_000, seconds=600.0)


def vet(
    weights: Path,
    safetensors: Path,
    *,
    against: Checkpoint,
    pt: Path | None = None,
    limits: Limits | None = None,
    stop: threading.Event | None = None,
) -> Vetted:
    """Read F5 weights (.pt or .safetensors), check every tensor, write exactly the network's tensors to `safetensors`.

    `against` is the checkpoint whose network they must fit. Of weights that came as .safetensors a `pt` is written too, in
    f5-tts's own layout. What is written appears whole or not at all, and the same weights give the same bytes. Raises
    BadCheckpoint saying what is wrong with them, Cancelled once `stop` is set, EngineFailed where nothing could be written.
    """
    if not weights.is_file():
        raise BadCheckpoint(f"{weights.name} is not there; choose the weights again")
    design = _last(locate_design(against))
    with _published(safetensors, pt) as parts:
        errand = Errand(
            weights=str(weights.absolute()),
            safetensors=str(parts[safetensors]),
            pt=str(parts[pt]) if pt is not None else "",
            architecture=str(design.architecture),
            vocabulary=str(design.vocabulary),
            design=design.name,
            limits=limits or usual_limits(weights),
        )
        answer = _send(errand, weights.name, stop)
        if "refused" in answer:
            raise BadCheckpoint(answer["refused"])
        if "failed" in answer:
            raise EngineFailed(answer["failed"])
        return Vetted(**answer["vetted"])


def _send(errand: Errand, name: str, stop: threading.Event | None) -> Mapping[str, Any]:
    """The process's answer. Its own words about what broke go to the log alone."""
    with TemporaryFile() as said, TemporaryFile() as grumbled:
        environment = {key: os.environ[key] for key in PASSED_ON if key in os.environ}
        child = subprocess.Popen(
            [sys.executable, "-m", "engines.f5.vetting.process", json.dumps(asdict(errand))],
            cwd=ROOT,
            env={**environment, "CUDA_VISIBLE_DEVICES": "", "OMP_NUM_THREADS": "2"},
            stdin=subprocess.DEVNULL,
            stdout=said,
            stderr=grumbled,
        )
        try:
            _wait(child, name, errand.limits.seconds, stop)
        finally:
            child.kill()
            child.wait()
        if grumbles := _tail(grumbled).strip():
            log.info("vetting %s ended with %s: %s", name, child.returncode, grumbles)
        try:
            answer: Mapping[str, Any] = json.loads(_tail(said))
        except ValueError as error:
            raise BadCheckpoint(TOO_MUCH.format(name)) from error
        return answer


def _wait(child: subprocess.Popen[bytes], name: str, seconds: float, stop: threading.Event | None) -> None:
    due = time.monotonic() + seconds
    while child.poll() is None:
        if stop is not None and stop.is_set():
            raise Cancelled("stopped")
        if time.monotonic() > due:
            raise BadCheckpoint(
                f"{name} could not be checked within {seconds:.0f} s; try again when the machine is idle"
            )
        time.sleep(POLL_S)


def _tail(file: IO[bytes]) -> str:
    file.seek(max(0, file.seek(0, os.SEEK_END) - SAID_MOST))
    return file.read(SAID_MOST).decode("utf-8", "replace")


@contextmanager
def _published(*targets: Path | None) -> Iterator[dict[Path | None, Path]]:
    """Files to write beside these, which take their places at the end, or leave nothing."""
    parts: dict[Path | None, Path] = {
        target: target.absolute().with_name(f".{target.name}.part") for target in targets if target is not None
    }
    try:
        yield parts
        for target, part in parts.items():
            if target is not None and part.exists():
                with part.open("rb") as file:
                    os.fsync(file.fileno())
                part.replace(target)
    finally:
        for part in parts.values():
            part.unlink(missing_ok=True)


def _last(work: Generator[object, None, T]) -> T:
    while True:
        try:
            next(work)
        except StopIteration as end:
            result: T = end.value
            return result


def main(arguments: str) -> None:
    """The process: bound itself, do the errand, answer with one line of JSON."""
    told = json.loads(arguments)
    errand = Errand(**{**told, "limits": Limits(**told["limits"])})
    limit(errand.limits)
    sys.stdout.write(json.dumps(_answer(errand)) + "\n")


def _answer(errand: Errand) -> dict[str, object]:
    """`vetted` with what was found, `refused` with what is wrong, or `failed` with why nothing could be written."""
    name = Path(errand.weights).name
    try:
        is_pytorch(Path(errand.weights))  # what is wrong by its kind is told before torch is imported, for seconds
        work = import_module("engines.f5.vetting.tensors")
        forbid_deeds({errand.safetensors, errand.pt})
        return {"vetted": work.vetted(errand)}
    except BadCheckpoint as error:
        return {"refused": str(error)}
    except EngineFailed as error:
        return {"failed": str(error)}
    except (MemoryError, ImportError):
        return {"refused": TOO_MUCH.format(name)}
    except Exception:  # whatever a stranger's file can bring about in a reader means the same
        log.exception("%s", name)
        return {"refused": f"{name} is broken or holds no F5-TTS weights; save it again from F5-TTS"}


if __name__ == "__main__":
    main(sys.argv[1])
