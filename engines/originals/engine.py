"""An engine whose network, codec and sampling are those of the published package.

The package generates a whole take in one call. The call runs in a thread, so that the scheduler can step other engines.
"""

import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from threading import Event as Flag

import torch

from engines import text as writing
from engines.base import Advanced, Checkpoint, EngineJob, Event, Finished, Refused, Spoke
from engines.errors import BadText, EngineError, NotReady
from engines.originals.package import OriginalModel, require
from engines.originals.specs import F5_ORIGINAL, S1_ORIGINAL
from engines.references import check_length, spoken_transcript
from engines.registry import EngineOptions, Spec
from engines.runtime.background import run_in_background
from engines.runtime.placement import place
from engines.types import Audio, CacheUse, EngineInfo, Progress, Reference, Request, Samples

POLL_S = 0.02
LoadOriginal = Callable[[Checkpoint, torch.device, Callable[[], bool]], OriginalModel]


@dataclass(frozen=True, slots=True, eq=False)
class PreparedLine:
    """A request in the form that the package gets: words and transcript as our engines read them, in the known characters."""

    text: str
    reference: Reference
    settings: Mapping[str, float]


class OriginalEngine:
    """Speaks one request at a time with a published package.

    Only the scheduler calls it; `engines.base.Engine` describes the protocol.
    """

    def __init__(self, spec: Spec, load: LoadOriginal, options: EngineOptions) -> None:
        self._spec, self._load = spec, load
        self._device = place(options).device
        self._model: OriginalModel | None = None
        self._job: EngineJob | None = None
        self._take: Future[tuple[Samples, float]] | None = None
        self._dropped = Flag()
        self._thread = ThreadPoolExecutor(1, spec.name)
        self._licence = ""

    def load(self, checkpoint: Checkpoint) -> Iterator[Progress]:
        self._licence = self._spec.licence(checkpoint)
        self._model = yield from run_in_background(
            Progress(0.5, "reading weights"), lambda: self._load(checkpoint, self._device, self._dropped.is_set)
        )

    def warm(self) -> Iterator[Progress]:
        yield Progress(1.0, "ready")

    @property
    def model(self) -> OriginalModel:
        """Return the loaded model. Raises NotReady if there is none."""
        if self._model is None:
            raise NotReady(f"{self._spec.title} is still loading; wait until its state is ready")
        return self._model

    @property
    def info(self) -> EngineInfo:
        model = self.model
        first = next(model.network.parameters())
        return EngineInfo(
            name=self._spec.name,
            title=self._spec.title,
            checkpoint=model.name,
            licence=self._licence,
            sample_rate=model.sample_rate,
            reference_max_s=self._spec.reference_max_s,
            defaults=model.defaults,
            vocabulary=model.characters,
            markers=(),
            device=str(self._device),
            rows=1,
            dtype=str(first.dtype).removeprefix("torch."),
            parameters=sum(one.numel() for one in model.network.parameters()),
            compiled=False,
        )

    @property
    def waiting(self) -> Collection[str]:
        # The scheduler steps the engine only when no job waits, so a job waits until its take ends.
        waits = self._job is not None and self._take is not None and not self._take.done()
        return (self._job.id,) if waits and self._job else ()

    @property
    def between_segments(self) -> Collection[str]:
        return ()

    @property
    def figures(self) -> Mapping[str, float]:
        return {}

    @property
    def memory_parts(self) -> Mapping[str, int]:
        weights = [] if self._model is None else list(self._model.network.parameters())
        return {"network": sum(one.numel() * one.element_size() for one in weights)}

    @property
    def memory_bytes(self) -> int:
        return sum(self.memory_parts.values())

    @property
    def caches(self) -> Sequence[CacheUse]:
        return ()

    def clear(self, cache: str) -> None:
        raise KeyError(cache)

    def prepare(self, request: Request) -> PreparedLine:
        characters, reference = self.model.characters, request.reference
        check_length(reference.audio, self._spec)
        said = [
            part.spoken
            for part in writing.parse(request.text, language=request.language).parts
            if isinstance(part, writing.Say)
        ]
        text = writing.fit(" ".join(said), characters)
        if not text:
            raise BadText("this text has no words; type at least one")
        transcript = spoken_transcript(reference, characters)
        settings = self._spec.chosen(request.settings, self.model.defaults)
        return PreparedLine(text, Reference(reference.audio, transcript), settings)

    def admit(self, job: EngineJob) -> None:
        line = job.prepared if isinstance(job.prepared, PreparedLine) else self.prepare(job.request)
        self._dropped.clear()
        self._job = job
        self._take = self._thread.submit(self._speak, line, job.request.seed)

    def _speak(self, line: PreparedLine, seed: int) -> tuple[Samples, float]:
        """Generate a take; return it with the seconds that this took."""
        started = time.perf_counter()
        samples = self.model.speak(line.text, line.reference, seed, line.settings)
        return samples, time.perf_counter() - started

    def step(self, held: Collection[str] = (), yielding: Collection[str] = ()) -> Sequence[Event]:
        job, take = self._job, self._take
        if job is None or take is None:
            return ()
        if wait([take], POLL_S).not_done:
            return (Advanced(job.id, 0.0),)
        self._job, self._take = None, None
        try:
            samples, seconds = take.result()
        except EngineError as error:
            return (Refused(job.id, error),)
        except (ValueError, AssertionError) as error:  # the package refuses the text or the reference
            return (Refused(job.id, BadText(f"{self._spec.title} cannot speak this request: {error}")),)
        return (Spoke(job.id, Audio(samples, self.model.sample_rate)), Finished(job.id, thread_s=seconds))

    def interrupt(self, job_id: str) -> None:
        if self._job is not None and self._job.id == job_id:
            self._dropped.set()

    def drop(self, job_id: str) -> None:
        if self._job is None or self._job.id != job_id:
            return
        self._dropped.set()
        if self._take is not None:
            wait([self._take])  # ends before the next call of the network
        self._job, self._take = None, None

    def close(self) -> None:
        if self._job is not None:
            self.drop(self._job.id)
        self._model = None
        if self._device.type == "cuda":
            torch.cuda.empty_cache()


def make_f5_engine(options: EngineOptions) -> OriginalEngine:
    """Build the engine of the package f5-tts."""
    from engines.originals.f5 import load

    return OriginalEngine(F5_ORIGINAL, load, options)


def make_s1_engine(options: EngineOptions) -> OriginalEngine:
    """Build the engine of the package fish-speech. Raises NotReady if the package is not installed."""
    require("fish_speech", "dac", "loralib")
    from engines.originals.s1 import load

    return OriginalEngine(S1_ORIGINAL, load, options)
