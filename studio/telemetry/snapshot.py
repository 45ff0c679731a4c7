"""Data for the Monitor page: requests, device samples and statistics."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from engines.types import EngineStatus, TicketState
from studio.disk.disk_space import DiskReading
from studio.idle_unload import IdleState


@dataclass(frozen=True, slots=True)
class Percentiles:
    """Median, 95th and 99th percentile; None without values."""

    p50: float | None
    p95: float | None
    p99: float | None


@dataclass(frozen=True, slots=True)
class Timed:
    """A finished request."""

    at_s: float  # time at which the record was made; like every at_s, in seconds of the studio's clock
    engine: str
    latency_s: float
    ttfa_s: float
    queued_s: float
    rtf: float


@dataclass(frozen=True, slots=True)
class Point:
    """The device over one second."""

    at_s: float
    used_bytes: int
    parts_bytes: Mapping[str, int]  # by engine, and the rest; the sum is used_bytes
    utilisation: float  # 0 to 1: the GPU, or the share of all cores that the studio uses
    machine: float | None  # 0 to 1: all programs on all cores; None for a GPU
    scheduler_busy: float  # 0 to 1: time the scheduler spent in engines' steps
    queued: int
    running: int
    temperature_c: float | None = None  # of the GPU
    power_w: float | None = None  # of the GPU


@dataclass(frozen=True, slots=True)
class Queued:
    """A request that waits in the page's queue, before the scheduler."""

    session_id: str
    engine: str
    eta_s: float | None  # until its take is complete


@dataclass(frozen=True, slots=True)
class Cache:
    """A cache of a loaded engine, with its hits and misses since the engine was loaded."""

    engine: str
    name: str
    entries: int
    bytes: int
    found: int
    missed: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedRequest:
    """A waiting or running request; only its own session sees its id."""

    ticket_id: str  # empty for requests of other sessions, and before the scheduler
    mine: bool
    engine: str
    state: TicketState
    rank: int
    progress: float
    eta_s: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """All that the status bar and the Monitor page show."""

    at_s: float
    engines: Sequence[EngineStatus]
    device: str
    memory: str  # "VRAM" or "process memory": what the bytes mean
    total_bytes: int
    power_limit_w: float | None  # of the GPU; None if unknown
    disk: DiskReading | None  # of the data folder; None if the disk cannot be read
    now: Point
    stalled_s: float  # since the last progress of the scheduler; 0 if it has nothing to do
    latency_s: Percentiles
    ttfa_s: Percentiles
    rtf: Percentiles
    requests: int  # number of requests behind the percentiles
    caches: Sequence[Cache]  # as of the last take, warm-up or clearing of the engine
    idle: Mapping[str, IdleState]  # by engine
    outcomes: Mapping[str, int]  # since start: arrived (in the scheduler), done, failed, cancelled, refused
    queue_length: int  # waiting, not yet admitted
    running: Sequence[ListedRequest]
    waiting: Sequence[ListedRequest]  # in order of rank
    points: Sequence[Point]  # oldest first, one a second, of the last 10 minutes
    timed: Sequence[Timed]  # oldest first
