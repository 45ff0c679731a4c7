"""What goes into an engine and what comes out: frozen, with units in the names."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
import numpy.typing as npt

from engines.errors import BadSetting

Samples = npt.NDArray[np.float32]
EngineState = Literal["unloaded", "loading", "warming", "ready", "failed"]
TicketState = Literal["queued", "running", "done", "failed", "cancelled"]


@dataclass(frozen=True, slots=True, eq=False)
class Audio:
    """Mono sound: float32 samples of shape (frames,), full scale at 1.0."""

    samples: Samples
    sample_rate: int  # Hz

    @property
    def duration_s(self) -> float:
        """Length in seconds."""
        return len(self.samples) / self.sample_rate

    @property
    def digest(self) -> str:
        """SHA-256 over sample rate and float32 samples: the same sound has the same digest everywhere."""
        return _hashed(self).hexdigest()


@dataclass(frozen=True, slots=True, eq=False)
class Reference:
    """A clip of a voice and the exact transcript of that clip."""

    audio: Audio
    transcript: str

    @property
    def digest(self) -> str:
        """SHA-256 over sample rate, samples and transcript: the same reference has the same digest everywhere."""
        hashed = _hashed(self.audio)
        hashed.update(self.transcript.encode())
        return hashed.hexdigest()


def _hashed(audio: Audio) -> "hashlib._Hash":
    hashed = hashlib.sha256(f"{audio.sample_rate}\n".encode())
    hashed.update(np.ascontiguousarray(audio.samples, dtype="<f4").tobytes())
    return hashed


@dataclass(frozen=True, slots=True)
class Weights:
    """A champion's fine-tuned weights: a vetted .safetensors file, which never changes."""

    path: str
    sha256: str  # of the file; what engines keep of it they keep under this
    name: str  # shown to the designer

    @property
    def label(self) -> str:
        """What a take records as the checkpoint that spoke."""
        return f"{self.name} ({self.sha256[:12]})"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Request:
    """What is to be spoken."""

    text: str
    reference: Reference
    seed: int
    engine: str = "f5"
    settings: Mapping[str, float] = field(
        default_factory=dict
    )  # of that engine, by name; what is not chosen is left to it
    weights: Weights | None = None  # f5: in place of the checkpoint's own; s1 speaks from the reference alone
    live: bool = True  # heard while it is made: the first sound is early, at the cost of a seam behind it (f5)


@dataclass(frozen=True, slots=True, eq=False)
class Chunk:
    """A piece of a take in playing order, as soon as it can be heard."""

    index: int
    audio: Audio


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """What a take cost, in seconds; latencies count from the request's arrival at the server."""

    queued_s: float  # arrival to admission
    ttfa_s: float  # arrival to the first audio sample
    total_s: float  # arrival to the last audio sample
    compute_s: float  # the take's share of device time
    audio_s: float

    @property
    def rtf(self) -> float:
        """Seconds of compute per second of audio."""
        return self.compute_s / self.audio_s if self.audio_s else 0.0


@dataclass(frozen=True, slots=True, eq=False)
class Take:
    """One piece of audio an engine made, with its request and what it cost."""

    request: Request
    audio: Audio
    cost: Cost
    checkpoint: str  # name of the checkpoint that spoke
    notes: tuple[str, ...] = ()  # sentences about possible faults of the audio


@dataclass(frozen=True, slots=True)
class Status:
    """Where a request stands now."""

    state: TicketState
    rank: int  # 1 = next to be admitted; 0 once admitted
    progress: float  # 0 to 1
    eta_s: float | None  # to the end of the take; None until one has been timed


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a long piece of work is."""

    fraction: float  # 0 to 1
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineInfo:
    """What is known of a loaded engine."""

    name: str
    title: str
    checkpoint: str
    licence: str
    sample_rate: int  # Hz of its takes
    reference_max_s: float  # longer references are refused, never cut in silence
    defaults: Mapping[str, float]  # of its settings, by name, as the checkpoint has them
    vocabulary: frozenset[str]  # characters it can say; empty = any
    markers: tuple[str, ...]  # stage directions that it acts on, written (excited) in the text it speaks
    device: str
    rows: int  # requests it speaks in one step
    dtype: str
    parameters: int
    compiled: bool
    note: str = ""  # what a designer should know of how it runs, such as that compiling failed
    pace_kept: float = 1.0  # how far its takes keep the reference's speaking rate, 0 to 1
    own_pace: float = 14.0  # its own speaking rate, bytes of text a second, which decides the rest


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """A number that a request may choose. Two engines that share a name mean the same by it."""

    name: str
    label: str  # of its field on the page
    help: str  # one sentence for the designer
    least: float  # the values it may have, both ends included
    most: float
    step: float  # from one value to the next in its field
    whole: bool = False
    default: float | None = None  # None = the checkpoint's own
    scales: Literal["nothing", "work", "pace"] = "nothing"  # device time grows with it; speech is so many times as fast

    def check(self, value: float) -> float:
        """Return `value`. Raises BadSetting where it is outside."""
        if self.least <= value <= self.most:
            return value
        raise BadSetting(f"{self.words} must be {self.least:g} to {self.most:g}, not {value:g}")

    @property
    def words(self) -> str:
        """Its name in a sentence."""
        return self.name.replace("_", " ")


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineStatus:
    """An engine as the manager sees it, whatever its state."""

    name: str
    title: str
    good_at: str  # one sentence
    settings: Mapping[str, Setting]  # those it knows, by name
    fine_tunes: bool  # whether it speaks with a champion's own weights
    reference_max_s: float  # s
    licence: str
    likeness: str  # one sentence: how far its weights follow a voice they never heard; empty where that is not known
    state: EngineState
    message: str  # one sentence a designer understands
    progress: float  # of loading or warming, 0 to 1
    memory_bytes: int  # weights and buffers it holds on its device
    info: EngineInfo | None  # None until loaded


@dataclass(frozen=True, slots=True)
class SchedulerEvent:
    """What the scheduler or the manager did; `at` is seconds of the manager's clock."""

    at: float
    kind: Literal["arrived", "admitted", "first_audio", "stepped", "done", "failed", "cancelled", "refused", "engine"]
    engine: str
    ticket_id: str = ""
    figures: Mapping[str, float] = field(default_factory=dict)  # such as queued_s, ttfa_s, total_s, rtf, step_s, rows
    message: str = ""
