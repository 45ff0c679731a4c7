"""Inputs and outputs of engines: frozen data with units in the names."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

from engines.errors import BadSetting

Samples = npt.NDArray[np.float32]
EngineState = Literal["unloaded", "loading", "warming", "ready", "failed"]
TicketState = Literal["queued", "running", "done", "failed", "cancelled"]


@dataclass(frozen=True, slots=True, eq=False)
class Audio:
    """Mono audio: float32 samples of shape (frames,), full scale at 1.0."""

    samples: Samples
    sample_rate: int  # Hz

    @property
    def duration_s(self) -> float:
        """Length in seconds."""
        return len(self.samples) / self.sample_rate

    @property
    def digest(self) -> str:
        """SHA-256 of sample rate and float32 samples; equal audio has an equal digest on every machine."""
        return _hashed(self).hexdigest()

    def between(self, start_s: float, end_s: float) -> "Audio":
        """Return the audio between two times."""
        start, end = (round(at_s * self.sample_rate) for at_s in (start_s, end_s))
        return Audio(self.samples[start:end], self.sample_rate)


@dataclass(frozen=True, slots=True, eq=False)
class Reference:
    """A clip of a voice and the exact transcript of that clip."""

    audio: Audio
    transcript: str
    voice_codes: tuple[
        int, ...
    ] = ()  # of a designed voice; the engine that designed it uses them instead of the audio's
    language: str = "en"  # of the transcript: a BCP 47 tag

    @property
    def digest(self) -> str:
        """SHA-256 of audio, transcript, language and voice; an equal reference has an equal digest on every machine."""
        hashed = _hashed(self.audio)
        hashed.update(self.transcript.encode())
        if self.language != "en":
            hashed.update(f"\n{self.language}".encode())
        if self.voice_codes:
            hashed.update(repr(self.voice_codes).encode())
        return hashed.hexdigest()


NO_REFERENCE = Reference(Audio(np.zeros(0, np.float32), 16_000), "")  # of a request that designs a voice

Gender = Literal["female", "male"]
Level = Literal["very_low", "low", "moderate", "high", "very_high"]
LONGEST_PERFORMANCE_S = 60.0  # of a recording that a voice speaks
FORMAT_PADDING_S = 0.1  # silence that a compressed format may add to a recording
GENDERS: tuple[Gender, ...] = get_args(Gender)
LEVELS: tuple[Level, ...] = get_args(Level)  # from the lowest


@dataclass(frozen=True, slots=True)
class VoiceDesign:
    """The description of a voice that an engine designs."""

    gender: Gender
    pitch: Level
    pace: Level


def _hashed(audio: Audio) -> "hashlib._Hash":
    hashed = hashlib.sha256(f"{audio.sample_rate}\n".encode())
    hashed.update(np.ascontiguousarray(audio.samples, dtype="<f4").tobytes())
    return hashed


@dataclass(frozen=True, slots=True)
class Weights:
    """A champion's fine-tuned weights: a checked .safetensors file, which never changes."""

    path: str
    sha256: str  # of the file; engines cache what they compute from it under this key
    name: str  # shown to the designer

    @property
    def label(self) -> str:
        """The checkpoint name that a take records."""
        return f"{self.name} ({self.sha256[:12]})"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Request:
    """A text to speak, with the voice, the engine and its settings."""

    text: str
    reference: Reference
    seed: int
    engine: str
    language: str = "en"  # of the text: a BCP 47 tag
    # Settings of this engine, by name; the engine uses its defaults for the others.
    settings: Mapping[str, float] = field(default_factory=dict)
    weights: Weights | None = None  # used instead of the checkpoint's weights, by engines whose spec has `fine_tunes`
    design: VoiceDesign | None = None  # describes the voice, in place of the reference, for engines that design voices
    performance: Audio | None = None  # a recording that the voice speaks instead of the text, by engines that convert
    live: bool = True  # heard while it is generated: the first audio comes early, which may cost one more seam


@dataclass(frozen=True, slots=True, eq=False)
class Chunk:
    """A part of a take, in playing order."""

    index: int
    audio: Audio


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """The cost of a take in seconds; latencies start when the request arrives at the server."""

    queued_s: float  # arrival to admission
    ttfa_s: float  # arrival to the first audio sample
    total_s: float  # arrival to the last audio sample
    compute_s: float  # the take's share of device time
    audio_s: float

    @property
    def rtf(self) -> float:
        """Seconds of compute per second of audio."""
        return self.compute_s / self.audio_s if self.audio_s else 0.0


@dataclass(frozen=True, slots=True)
class Segment:
    """The part of a take that one voice speaks."""

    voice: str  # as named in the text; "" = the voice of the request
    text: str
    start_s: float
    end_s: float


@dataclass(frozen=True, slots=True, eq=False)
class Take:
    """Generated audio with its request and cost."""

    request: Request
    audio: Audio
    cost: Cost
    checkpoint: str  # name of the checkpoint that spoke
    notes: tuple[str, ...] = ()  # sentences about possible audio faults
    voice_codes: tuple[int, ...] = ()  # of the voice that the engine designed; `Reference.voice_codes` uses them again
    segments: tuple[Segment, ...] = ()  # of a text with several voices


@dataclass(frozen=True, slots=True)
class Status:
    """The current state of a request."""

    state: TicketState
    rank: int  # 1 = next to be admitted; 0 once admitted
    progress: float  # 0 to 1
    eta_s: float | None  # to the end of the take; None until a request of this engine was timed


@dataclass(frozen=True, slots=True)
class Progress:
    """The progress of long work."""

    fraction: float  # 0 to 1
    message: str


Numerics = Literal["bit-identical", "rounding", "quantised"]  # how results differ from those of the reference backend


@dataclass(frozen=True, slots=True)
class BackendChoice:
    """The implementation that a computation of an engine uses."""

    computation: str  # such as "decode step"
    backend: str  # its name, such as "triton"
    title: str  # its description for users
    numerics: Numerics
    skipped: Mapping[str, str] = field(default_factory=dict)  # why each faster backend does not apply, by name
    failure: str = ""  # the error of a faster backend, which this one replaces


@dataclass(frozen=True, slots=True, kw_only=True)
class CacheUse:
    """The contents of a cache of an engine, and its lookups since the engine was loaded."""

    name: str  # such as "references"
    entries: int  # in memory
    bytes: int  # of the entries in memory
    found: int = 0
    missed: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineInfo:
    """The facts about a loaded engine."""

    name: str
    title: str
    checkpoint: str
    licence: str
    sample_rate: int  # Hz of its takes
    reference_max_s: float  # longer references are refused, never cut
    defaults: Mapping[str, float]  # the checkpoint's defaults of the settings, by name
    vocabulary: frozenset[str]  # characters it can speak; empty = any
    markers: tuple[str, ...]  # stage directions that it acts on, written (excited) in the text it speaks
    device: str
    rows: int  # requests that it speaks in one step
    dtype: str
    parameters: int
    compiled: bool
    note: str = ""  # a note for the designer, for example that compiling failed
    backends: tuple[BackendChoice, ...] = ()  # of each computation
    pace_kept: float = 1.0  # how closely its takes keep the reference's speaking rate, 0 to 1
    own_pace: float = 14.0  # the checkpoint's own speaking rate, in bytes of text a second, which decides the rest


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """A number that a request may choose. If two engines share a name, the setting has the same meaning in both."""

    name: str
    label: str  # of its field on the page
    help: str  # one sentence for the designer
    least: float  # the lowest allowed value
    most: float  # the highest allowed value
    step: float  # between two values in its field
    whole: bool = False
    default: float | None = None  # None = the checkpoint decides
    replaces_voice: bool = False  # True if a value other than 0 selects another voice than the reference's
    scales: Literal["nothing", "work", "pace"] = (
        "nothing"  # work: device time is proportional; pace: speech is this many times as fast
    )

    def check(self, value: float) -> float:
        """Return `value`, or raise BadSetting if it is out of range."""
        if self.least <= value <= self.most:
            return value
        raise BadSetting(f"{self.words} must be {self.least:g} to {self.most:g}, not {value:g}")

    @property
    def words(self) -> str:
        """The label as part of a sentence."""
        return self.label.lower()


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineStatus:
    """An engine as the manager sees it, in any state."""

    name: str
    title: str
    good_at: str  # one sentence
    settings: Mapping[str, Setting]  # its settings by name
    fine_tunes: bool  # True if it can use a champion's fine-tuned weights
    converts: bool  # True if it can speak a recorded performance in another voice
    designs: bool  # True if it can generate a voice from a description
    reference_max_s: float  # s
    licence: str
    likeness: str  # one sentence: how closely its weights follow an unseen voice; empty if that is unknown
    languages: tuple[str, ...]  # BCP 47 tags of the languages that its weights speak
    state: EngineState
    message: str  # one sentence for the designer
    progress: float  # of loading or warming, 0 to 1
    memory_bytes: int  # weights and buffers on its device
    memory_parts: Mapping[str, int]  # bytes by part, such as "network"; the sum is memory_bytes
    caches: tuple[CacheUse, ...]  # empty until loaded
    info: EngineInfo | None  # None until loaded


@dataclass(frozen=True, slots=True)
class SchedulerEvent:
    """A change that the scheduler or the manager reports; `at` is in seconds of the manager's clock."""

    at: float
    kind: Literal["arrived", "admitted", "first_audio", "stepped", "done", "failed", "cancelled", "refused", "engine"]
    engine: str
    ticket_id: str = ""
    figures: Mapping[str, float] = field(default_factory=dict)  # such as queued_s, ttfa_s, total_s, rtf, step_s, rows
    message: str = ""
