"""The F5-TTS engine."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace

import torch

from engines import text as writing
from engines.base import Checkpoint, EngineJob, Event
from engines.errors import BadText, NotReady
from engines.f5 import plan as planning
from engines.f5.active_request import F5ActiveRequest
from engines.f5.assembly import Joiner
from engines.f5.backends import F5Conditions, selections
from engines.f5.batch import F5Batch
from engines.f5.embeddings import MAX_POSITIONS
from engines.f5.fused_stepper import FusedStepper
from engines.f5.mel import SAMPLE_RATE
from engines.f5.model import F5Model, load
from engines.f5.references import F5ReferenceCache
from engines.f5.spec import SPEC
from engines.f5.stepping import EagerStepper, Stepper
from engines.f5.weight_cache import WeightBudget
from engines.registry import EngineOptions
from engines.runtime.backends import Hardware, Selection
from engines.runtime.compilation import prepare_kernels
from engines.runtime.placement import Placement, fastest_cpu_dtype, place, width
from engines.types import CacheUse, EngineInfo, Progress, Request

WARM_FRAMES = (256, 640, 1024)
NOT_LOADED = "F5-TTS is still loading; wait until its state is ready"


class F5Engine:
    """F5-TTS. Only the scheduler calls it; `engines.base.Engine` describes the protocol."""

    def __init__(self, device: EngineOptions) -> None:
        self._settings = device
        self._placement = _placed(device)
        self._width = width(device, self._placement.device)
        self._model: F5Model | None = None
        self._fused: FusedStepper | None = None
        self._references: F5ReferenceCache | None = None
        self._batch: F5Batch | None = None
        self._selections: tuple[Selection[F5Conditions], ...] = ()
        self._licence = ""
        self._parameters, self._network_bytes, self._vocoder_bytes = 0, 0, 0  # counted once: a report follows each take

    def load(self, checkpoint: Checkpoint) -> Iterator[Progress]:
        self._licence = SPEC.licence(checkpoint)
        model = self._model = yield from load(checkpoint, self._placement)
        network, device = model.network, self._placement.device
        self._parameters = sum(weight.numel() for weight in network.parameters())
        self._network_bytes, self._vocoder_bytes = _stored_bytes(network), _stored_bytes(model.vocoder)
        budget = WeightBudget.of(self._settings.weights_budget_bytes, device)
        self._references = F5ReferenceCache(model.vocabulary.characters, device, model.floor)
        stepper: Stepper = EagerStepper(network)
        conditions = F5Conditions(
            hardware=Hardware.of(device), compile=self._settings.compile != "off", dtype=self._placement.dtype
        )
        self._selections = selections(conditions)
        if self._selections[0].name == "triton":
            stepper = self._fused = FusedStepper(network, self._width, self._fail)
        self._batch = F5Batch(model, stepper, self._width, device, budget)

    def _fail(self, error: Exception) -> None:
        """Use PyTorch in place of all Triton kernels."""
        for selection in self._selections:
            if selection.name == "triton":
                selection.fail(error)

    @torch.inference_mode()
    def warm(self) -> Iterator[Progress]:
        fused = self._fused
        shapes = [] if fused is None else list(fused.likely_shapes())
        items = len(WARM_FRAMES) + len(shapes)
        if fused is not None:
            plans = fused.kernels()
            for _ in prepare_kernels(plans, lambda: bool(self.batch.requests)):
                yield Progress(0.0, "compiling kernels")
            fused.use_fused()
        for number, frames in enumerate(WARM_FRAMES, start=1):
            self.batch.warm(frames)
            yield Progress(number / items, f"warming up, {number} of {items}")
        for number, shape in enumerate(shapes, start=len(WARM_FRAMES) + 1):
            if fused is None or not fused.record(shape):
                return
            yield Progress(number / items, f"warming up, {number} of {items}")

    def close(self) -> None:
        if self._batch is not None:
            self._batch.weight_cache.close()
        self._model, self._fused, self._references, self._batch = None, None, None, None
        if self._placement.device.type == "cuda":
            torch.cuda.empty_cache()

    @property
    def model(self) -> F5Model:
        """Return the loaded model. Raises NotReady if there is none."""
        if self._model is None:
            raise NotReady(NOT_LOADED)
        return self._model

    @property
    def batch(self) -> F5Batch:
        """Return the engine's batch. Raises NotReady before the engine is loaded."""
        if self._batch is None:
            raise NotReady(NOT_LOADED)
        return self._batch

    @property
    def _defaults(self) -> Mapping[str, float]:
        return {"speed": 1.0, "steps": self.model.steps, "guidance": self.model.guidance}

    @property
    def info(self) -> EngineInfo:
        model = self.model
        return EngineInfo(
            name=SPEC.name,
            title=SPEC.title,
            checkpoint=model.name,
            licence=self._licence,
            sample_rate=SAMPLE_RATE,
            reference_max_s=SPEC.reference_max_s,
            defaults=self._defaults,
            vocabulary=model.vocabulary.characters,
            markers=(),
            device=str(self._placement.device),
            rows=self._width,
            dtype=str(self._placement.dtype).removeprefix("torch."),
            parameters=self._parameters,
            compiled=self._fused is not None and self._fused.active,
            note="" if self._fused is None else self._fused.note,
            backends=tuple(selection.choice for selection in self._selections),
            pace_kept=model.pace_kept,
            own_pace=model.own_pace,
        )

    @property
    def figures(self) -> Mapping[str, float]:
        """Return how often fine-tuned weights were found, read, evicted and activated."""
        return {} if self._batch is None else self._batch.weight_cache.figures

    @property
    def memory_bytes(self) -> int:
        return sum(self.memory_parts.values())

    @property
    def memory_parts(self) -> Mapping[str, int]:
        if self._model is None or self._references is None:
            return {}
        champions = self.batch.weight_cache.memory_bytes
        return {
            "network": self._network_bytes,
            "vocoder": self._vocoder_bytes,
            "graphs": 0 if self._fused is None else self._fused.memory_bytes,
            "caches": self._references.memory_bytes + self.batch.memory_bytes - champions,
            "champions": champions,
        }

    @property
    def caches(self) -> Sequence[CacheUse]:
        return (self.references.use, self.batch.weight_cache.use)

    @torch.inference_mode()
    def clear(self, cache: str) -> None:
        {"references": self.references.clear, "weights": self.batch.weight_cache.clear}[cache]()
        if self._placement.device.type == "cuda":
            torch.cuda.empty_cache()

    @property
    def waiting(self) -> Collection[str]:
        """Return the ids of requests whose weights are still being read."""
        return () if self._batch is None else self._batch.waiting

    @property
    def between_segments(self) -> Collection[str]:
        return () if self._batch is None else self._batch.between_segments

    @property
    def references(self) -> F5ReferenceCache:
        """Return the engine's references. Raises NotReady before the engine is loaded."""
        if self._references is None:
            raise NotReady(NOT_LOADED)
        return self._references

    def prepare(self, request: Request) -> planning.F5Plan:
        model, rows_each = self.model, self.batch.rows_each
        settings = SPEC.chosen(request.settings, self._defaults)
        reference = self.references.read(request.reference)
        pace = reference.paced_frames, reference.transcript
        most = planning.longest(reference.frames, *pace, model.piece_characters)
        script = writing.parse(request.text, language=request.language)
        early = planning.CHARACTERS[: 1 if rows_each > 1 else None] if request.live else ()
        pieces = [
            replace(each, frames=planning.frames(*pace, each.text, settings["speed"], model.stretches_short))
            for each in planning.pieces(
                script, model.vocabulary.characters, *early, most, short_sentence=model.short_sentence
            )
        ]
        if not pieces:
            raise BadText("this text has no words; type at least one")
        if reference.frames + max(each.frames for each in pieces) > MAX_POSITIONS:
            raise BadText(
                "a sentence would last longer than a minute at the speaking rate of this reference; "
                "complete the transcript, shorten the sentence, or choose a higher speed"
            )
        return planning.F5Plan(reference, pieces, settings["speed"], int(settings["steps"]), settings["guidance"])

    @torch.inference_mode()
    def admit(self, job: EngineJob) -> None:
        plan = job.prepared if isinstance(job.prepared, planning.F5Plan) else self.prepare(job.request)
        reference = self.references.prepare(job.request.reference, plan.reference)
        settings = plan.speed, plan.steps, plan.guidance
        self.batch.add(F5ActiveRequest(job, reference, plan.pieces, *settings, Joiner(SAMPLE_RATE)))

    @torch.inference_mode()
    def step(self, held: Collection[str] = (), yielding: Collection[str] = ()) -> Sequence[Event]:
        return self.batch.step(held, yielding)

    def interrupt(self, job_id: str) -> None:
        if self._batch is not None and (active := self._batch.requests.get(job_id)):
            active.cancelled = True

    def drop(self, job_id: str) -> None:
        if self._batch is not None:
            self._batch.requests.pop(job_id, None)


def _stored_bytes(network: torch.nn.Module) -> int:
    """Return the bytes of parameters and buffers, which may share their storage."""
    held = [tensor.untyped_storage() for tensor in (*network.parameters(), *network.buffers())]
    return sum({storage.data_ptr(): storage.nbytes() for storage in held}.values())


def _placed(settings: EngineOptions) -> Placement:
    """Place the engine like others, but use bfloat16 on a CPU that is faster in it; the flow itself stays float32."""
    placement = place(settings)
    if placement.device.type == "cpu" and settings.cpu_precision == "auto":
        return replace(placement, dtype=fastest_cpu_dtype())
    return placement
