"""The protocol between the scheduler and an engine.

An engine is single-threaded: only the scheduler calls it, and it never blocks for longer than one step. `prepare` is the
exception: the thread that makes a request calls it, so that no text is read between the steps of other requests.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from engines.errors import EngineError
from engines.types import Audio, EngineInfo, Progress, Request


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """Where an engine's weights come from: `embedded`, `hf://owner/repo[/file]`, or a local path."""

    source: str
    vocoder: str = ""  # f5: likewise for Vocos; empty = the one that belongs to the source


@dataclass(frozen=True, slots=True, eq=False)
class EngineJob:
    """A request the scheduler admitted, with the id that events refer to it by."""

    id: str
    request: Request
    prepared: object = None  # the result of `Engine.prepare`; None without a scheduler, when `admit` calls `prepare`


@dataclass(frozen=True, slots=True)
class Advanced:
    """How much of the job is done, 0 to 1."""

    job_id: str
    fraction: float


@dataclass(frozen=True, slots=True, eq=False)
class Spoke:
    """The next piece of the job's audio."""

    job_id: str
    audio: Audio


@dataclass(frozen=True, slots=True)
class Finished:
    """The job has no more audio to come."""

    job_id: str
    notes: tuple[str, ...] = ()  # sentences for the listener about possible faults of the audio


@dataclass(frozen=True, slots=True)
class Refused:
    """The job cannot be done; the others go on."""

    job_id: str
    error: EngineError


Event = Advanced | Spoke | Finished | Refused


class Engine(Protocol):
    """See the module's docstring; `docs/architecture.md` shows the path of a request through it."""

    def load(self, checkpoint: Checkpoint) -> Iterator[Progress]:
        """Load weights; speech of other engines goes on between items. Raises BadCheckpoint."""
        ...

    def warm(self) -> Iterator[Progress]:
        """Run one shape bucket per item, so that the first request pays for nothing."""
        ...

    @property
    def info(self) -> EngineInfo:
        """What was loaded. Raises NotReady before `load` is through."""
        ...

    @property
    def waiting(self) -> Collection[str]:
        """Jobs that wait for something other than the device, such as weights from the disk; the scheduler soon asks again."""
        ...

    @property
    def between_pieces(self) -> Collection[str]:
        """Return the jobs that are between two pieces of text, so that another job can use their row."""
        ...

    @property
    def figures(self) -> Mapping[str, float]:
        """Counters since it was loaded, by name, such as `codes_found`; reported at the end of every take."""
        ...

    @property
    def memory_bytes(self) -> int:
        """Bytes of weights, buffers and caches on the device."""
        ...

    def prepare(self, request: Request) -> object:
        """Read the text and the transcript of a request, and return what `admit` needs of them; never None.

        Any thread may call this at any time after `load`, several at once. It uses no device. Raises EngineError if the
        request cannot be spoken, and NotReady if the engine is not loaded.
        """
        ...

    def admit(self, job: EngineJob) -> None:
        """Accept the job for the next step, without reading text. Raises EngineError if the job cannot be spoken."""
        ...

    def step(self, held: Collection[str] = (), yielding: Collection[str] = ()) -> Sequence[Event]:
        """Take one ODE step of a batch, or draw one frame of every row. Raises OutOfMemory.

        Jobs in `held` pause in their current state. Jobs in `yielding` finish their current piece of text and start no other.
        """
        ...

    def drop(self, job_id: str) -> None:
        """Forget a job (cancelled, expired, gone); unknown ids are ignored."""
        ...

    def close(self) -> None:
        """Give back weights and memory."""
        ...
