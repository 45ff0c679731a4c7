"""The protocol between the scheduler and an engine.

An engine is single-threaded: only the scheduler calls an engine, and no call takes longer than one step. There are two
exceptions. The thread that makes a request calls `prepare`, so that no text is read between the steps of other requests. Any
thread may call `interrupt`.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from engines.errors import EngineError
from engines.types import Audio, CacheUse, EngineInfo, Progress, Request


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """The source of an engine's weights: `embedded`, `hf://owner/repo[/file]`, or a local path."""

    source: str
    options: Mapping[str, str] = field(default_factory=dict, hash=False)  # of the engine, by name; see `Spec.options`


@dataclass(frozen=True, slots=True, eq=False)
class EngineJob:
    """A request that the scheduler admitted, with the id that events use for it."""

    id: str
    request: Request
    prepared: object = None  # the result of `Engine.prepare`; None without a scheduler, when `admit` calls `prepare`


@dataclass(frozen=True, slots=True)
class Advanced:
    """The progress of a job, 0 to 1."""

    job_id: str
    fraction: float


@dataclass(frozen=True, slots=True, eq=False)
class Spoke:
    """The next part of the job's audio."""

    job_id: str
    audio: Audio


@dataclass(frozen=True, slots=True)
class Finished:
    """The end of a job: no more audio follows."""

    job_id: str
    notes: tuple[str, ...] = ()  # sentences for the listener about possible audio faults
    voice_codes: tuple[int, ...] = ()  # of the voice that the engine designed
    thread_s: float = 0.0  # device seconds outside the engine's steps, in a thread of the engine


@dataclass(frozen=True, slots=True)
class Refused:
    """The engine cannot do this job. Other jobs continue."""

    job_id: str
    error: EngineError


Event = Advanced | Spoke | Finished | Refused


class Engine(Protocol):
    """An engine as the scheduler uses it. The module docstring and `docs/structure.md` describe the order of calls."""

    def load(self, checkpoint: Checkpoint) -> Iterator[Progress]:
        """Load the weights. Other engines speak between two items. Raises BadCheckpoint."""
        ...

    def warm(self) -> Iterator[Progress]:
        """Run one shape bucket per item, so that the first request needs no warm-up."""
        ...

    @property
    def info(self) -> EngineInfo:
        """Describe what is loaded. Raises NotReady before `load` has ended."""
        ...

    @property
    def waiting(self) -> Collection[str]:
        """Return the jobs that wait for something other than the device, such as weights on disk; the scheduler polls this."""
        ...

    @property
    def between_segments(self) -> Collection[str]:
        """Return the jobs that are between two segments of text, so that another job can use their row."""
        ...

    @property
    def figures(self) -> Mapping[str, float]:
        """Return counters since loading, by name, such as `codes_found`; every finished take reports them."""
        ...

    @property
    def memory_bytes(self) -> int:
        """Return the bytes of weights, buffers and caches on the device."""
        ...

    @property
    def memory_parts(self) -> Mapping[str, int]:
        """Return `memory_bytes` by part: network, codec or vocoder, KV cache, graphs, caches, champions."""
        ...

    @property
    def caches(self) -> Sequence[CacheUse]:
        """Return the caches that `clear` can empty."""
        ...

    def clear(self, cache: str) -> None:
        """Empty a cache, also its files. Entries in use stay, or are freed after their use. Raises KeyError."""
        ...

    def prepare(self, request: Request) -> object:
        """Read the text and the transcript of a request, and return what `admit` needs from them; never None.

        Any thread may call this method at any time after `load`, and several threads may call it at once. The method does not
        use the device. Raises EngineError if the engine cannot speak the request, and NotReady if the engine is not loaded.
        """
        ...

    def admit(self, job: EngineJob) -> None:
        """Accept the job for the next step, without reading text. Raises EngineError if the engine cannot speak the job."""
        ...

    def step(self, held: Collection[str] = (), yielding: Collection[str] = ()) -> Sequence[Event]:
        """Take one ODE step of a batch, or generate one frame of every row. Raises OutOfMemory.

        Jobs in `held` pause in their current state. Jobs in `yielding` finish their current segment and start no other.
        """
        ...

    def interrupt(self, job_id: str) -> None:
        """Announce that a job will be dropped. If all jobs of a step are announced, the step may end early and change nothing.

        Any thread may call this method, also during a step. An unknown id is ignored.
        """
        ...

    def drop(self, job_id: str) -> None:
        """Drop a job that was cancelled or expired; ignore an unknown id."""
        ...

    def close(self) -> None:
        """Free weights and memory."""
        ...
