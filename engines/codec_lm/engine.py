"""The engine of a codec language model: its life cycle."""

import gc
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path

import torch

from engines.base import Checkpoint, EngineJob, Event
from engines.codec_lm.parts import Loader
from engines.codec_lm.plan import CodecLmPlan
from engines.codec_lm.preparation import activate, make_plan
from engines.codec_lm.reporting import cache_figures, describe, memory_parts
from engines.codec_lm.runtime import Runtime, build_runtime, place_in_bfloat16
from engines.codec_lm.warm_up import WarmUp
from engines.errors import NotReady, OutOfMemory
from engines.registry import EngineOptions, Spec
from engines.types import CacheUse, EngineInfo, Progress, Request


class CodecLmEngine:
    """A codec language model. Only the scheduler calls it; `engines.base.Engine` describes the protocol."""

    def __init__(self, spec: Spec, load: Loader, options: EngineOptions) -> None:
        """Create an engine; `load` reads its checkpoints."""
        self._spec, self._load, self._options = spec, load, options
        self._placement = place_in_bfloat16(options)
        self._runtime: Runtime | None = None
        self._licence = ""

    def load(self, checkpoint: Checkpoint) -> Iterator[Progress]:
        self._licence = self._spec.licence(checkpoint)
        on_cpu = self._spec.option(checkpoint, "encoder") == "cpu"
        encoder_at = torch.device("cpu") if on_cpu else self._placement.device
        model = yield from self._load(checkpoint, self._placement, encoder_at, self._options.quantize)
        self._runtime = build_runtime(model, self._spec, self._options, self._placement, encoder_at)

    def warm(self) -> Iterator[Progress]:
        folder = self._options.cache_dir
        return WarmUp(self.runtime, str(Path(folder) / self._spec.name / "kernels") if folder else "").run()

    def close(self) -> None:
        if self._runtime is not None:
            self._runtime.close()
        self._runtime = None
        gc.collect()  # graphs and streams refer to one another, and their memory is needed now
        if self._placement.device.type == "cuda":
            torch.cuda.empty_cache()

    @property
    def runtime(self) -> Runtime:
        """Return what is loaded. Raises NotReady before the engine is loaded."""
        if self._runtime is None:
            raise NotReady(f"{self._spec.title} is still loading; wait until its state is ready")
        return self._runtime

    @property
    def info(self) -> EngineInfo:
        return describe(self.runtime, self._spec, self._licence)

    @property
    def figures(self) -> Mapping[str, float]:
        return {} if self._runtime is None else cache_figures(self._runtime)

    @property
    def memory_bytes(self) -> int:
        return sum(self.memory_parts.values())

    @property
    def memory_parts(self) -> Mapping[str, int]:
        return {} if self._runtime is None else memory_parts(self._runtime)

    @property
    def caches(self) -> Sequence[CacheUse]:
        return (self.runtime.references.store.use, self.runtime.prefixes.use)

    def clear(self, cache: str) -> None:
        {"codes": self.runtime.references.store.clear, "prefixes": self.runtime.prefixes.clear}[cache]()
        if self._placement.device.type == "cuda":
            torch.cuda.empty_cache()

    @property
    def waiting(self) -> Collection[str]:
        """Return the ids of jobs with a clip that is still being encoded in another thread."""
        return () if self._runtime is None else self._runtime.batch.waiting

    @property
    def between_segments(self) -> Collection[str]:
        return () if self._runtime is None else self._runtime.batch.between_segments

    def prepare(self, request: Request) -> CodecLmPlan:
        return make_plan(self.runtime, self._spec, request)

    @torch.inference_mode()
    def admit(self, job: EngineJob) -> None:
        self.runtime.batch.requests[job.id] = activate(self.runtime, self._spec, job)

    @torch.inference_mode()
    def step(self, held: Collection[str] = (), yielding: Collection[str] = ()) -> Sequence[Event]:
        try:
            return self.runtime.batch.step(held, yielding)
        except torch.OutOfMemoryError as error:
            torch.cuda.empty_cache()
            raise OutOfMemory(
                "the GPU has too little memory for this take; shorten the text or unload an engine"
            ) from error

    def interrupt(self, job_id: str) -> None:
        """Do nothing: steps are short."""

    def drop(self, job_id: str) -> None:
        if self._runtime is not None:
            self._runtime.batch.drop(job_id)
