"""The S1-Mini engine."""

from collections import deque
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import chain
from pathlib import Path

import torch

from engines import text as writing
from engines.base import Checkpoint, EngineJob, Event
from engines.errors import BadText, NotReady, OutOfMemory
from engines.registry import EngineOptions
from engines.runtime.compilation import POLL_S, compile_kernels, load_kernels
from engines.runtime.launching import KernelPlans
from engines.runtime.mapped_rows import can_map
from engines.runtime.placement import Placement, place, width
from engines.runtime.quantization import stored_bytes
from engines.s1 import plan as planning
from engines.s1.active_request import S1ActiveRequest
from engines.s1.batch import S1Batch
from engines.s1.caches import CacheHits, CodeStore, PrefixStore
from engines.s1.codec_streams import CodecStreams
from engines.s1.cpu_compiling import CpuCompiling
from engines.s1.decode_state import DecodeState, Sampling
from engines.s1.decoding import Decoder
from engines.s1.model import S1Model, load
from engines.s1.references import S1ReferenceEncoder
from engines.s1.spec import SPEC
from engines.types import EngineInfo, Progress, Request

POSITIONS = 1280  # longest row in positions, with its reference
WARMED_AT = 0.95  # progress of a warm-up that waits only for kernels that compile in the background
MOST_ROWS = 32  # with more rows, each generates speech hardly faster than real time
NOT_LOADED = "S1-Mini is still loading; wait until its state is ready"


class S1Engine:
    """S1-Mini. Only the scheduler calls it; `engines.base.Engine` describes the protocol."""

    def __init__(self, device: EngineOptions) -> None:
        self._settings = device
        self._placement = _placed(device)
        self._width = width(device, self._placement.device)
        self._model: S1Model | None = None
        self._decoder: Decoder | None = None
        self._batch: S1Batch | None = None
        self._references: S1ReferenceEncoder | None = None
        self._prefixes = PrefixStore(device.prefix_cache_bytes)
        self._licence = ""

    def load(self, checkpoint: Checkpoint) -> Iterator[Progress]:
        if self._settings.threads:
            torch.set_num_threads(self._settings.threads)
        self._licence = SPEC.licence(checkpoint)
        device = self._placement.device
        encoder_device = torch.device("cpu") if self._settings.encoder == "cpu" else device
        model = self._model = yield from load(checkpoint, self._placement, encoder_device, self._settings.quantize)
        length = min(POSITIONS, model.network.config.max_positions)
        compile = self._settings.compile != "off"
        mapped = can_map(device)
        rows = self._width = self._settings.max_batch or self._most_rows(model, length, mapped)
        decoder = self._decoder = Decoder(
            DecodeState(model.network, rows, length, model.residual_size, model.cached, mapped), compile
        )
        # A finished row's audio may still be decoded when another request uses the row.
        streams = CodecStreams(model.codec, 2 * self._width, compile)
        self._batch = S1Batch(model, decoder, self._prefixes, streams, device)
        config = model.network.config
        sizes = [model.network.semantic_count, *[model.codec.config.residual_size] * (config.codebooks - 1)]
        folder = Path(self._settings.cache_dir) / "s1" / model.codec_digest[:16] if self._settings.cache_dir else None
        store = CodeStore(folder, sizes)
        self._references = S1ReferenceEncoder(model, store, encoder_device, encoder_device != device)

    def _most_rows(self, model: S1Model, length: int, mapped: bool) -> int:
        """Return the rows whose keys and values fit into a tenth of a GPU's memory, if rows are allocated on use."""
        device = self._placement.device
        if not mapped:
            return width(self._settings, device)
        most = torch.cuda.get_device_properties(device).total_memory // 10
        return max(1, min(MOST_ROWS, most // model.network.row_bytes(length, model.cached)))

    @torch.inference_mode()
    def warm(self) -> Iterator[Progress]:
        """Warm each prompt shape, number of rows and packet size, and compile the CPU kernels."""
        yield from self._warm_alone()
        yield from self._compile_kernels()
        prefiller, streams = self.decoder.prefiller, self.batch.audio_queue.streams
        count = len(prefiller.shapes) * (prefiller.compiled is not None) + self._row_counts + len(streams.buckets)
        steps = _in_turns(self._warm_rows(), prefiller.warm(), streams.warm())  # a single row and a single stream first
        with self._compiling() as compiling:
            for number, _ in enumerate(steps, start=1):
                yield Progress(WARMED_AT * number / count, f"warming up, {number} of {count}")
            if compiling is not None:
                while compiling.is_alive():
                    compiling.join(0 if self.batch.requests else POLL_S)
                    yield Progress(WARMED_AT, "compiling the kernels of this processor in the background")
                self.decoder.set_backend(compiling.draw)
                for _ in self._warm_rows():
                    yield Progress(WARMED_AT, "warming up compiled kernels")
        self.decoder.state.finish_warmup()

    def _warm_alone(self) -> Iterator[Progress]:
        """Compile and warm the single-row kernel first, if this GPU supports it."""
        resident = self.decoder.resident
        if resident is None:
            return
        resident.begin_compiling()
        while resident.compiles(wait_s=0 if self._busy() else POLL_S):
            yield Progress(0.0, "compiling the kernel of a whole frame")
        if resident.load():
            next(self._warm_rows())
            yield Progress(0.0, "warming up one row")

    def _compile_kernels(self) -> Iterator[Progress]:
        plans: KernelPlans = {}
        for part in chain(self.decoder.kernels(), self.batch.audio_queue.streams.kernels()):
            plans |= part
            yield Progress(0.0, f"found {len(plans)} kernels")
        if plans:
            for _ in chain(compile_kernels(plans, self._busy), load_kernels(plans)):
                yield Progress(0.0, f"compiling {len(plans)} kernels")

    def _busy(self) -> bool:
        return bool(self.batch.requests)

    @contextmanager
    def _compiling(self) -> Iterator[CpuCompiling | None]:
        """Compile the CPU kernels in the background while torch generates frames; None if there is nothing to compile."""
        if not self.decoder.uses_numba:
            yield None
            return
        folder = self._settings.cache_dir
        compiling = CpuCompiling(self.decoder.state, folder and str(Path(folder) / "s1" / "kernels"))
        compiling.start()
        try:
            yield compiling
        finally:
            compiling.stop()

    @property
    def _row_counts(self) -> int:
        """Return how many batch sizes to warm up."""
        return self._width if self.decoder.compiled is not None or self._placement.device.type == "cpu" else 1

    def _warm_rows(self) -> Iterator[None]:
        state, rows = self.decoder.state, self.batch.rows
        for count in range(1, self._row_counts + 1):
            if not len(rows):
                state.prefill(count - 1, torch.zeros(8, state.pending.shape[1]).to(state.pending), 0)
            self.decoder.warm(count)
            yield

    def close(self) -> None:
        if self._references is not None:
            self._references.close()
        if self._placement.device.type == "cuda":
            torch.cuda.synchronize()  # the codec runs on a separate stream and must finish before its memory is freed
            if self._decoder is not None:
                self._decoder.state.close()
        self._model, self._decoder, self._batch, self._references = None, None, None, None
        self._prefixes = PrefixStore(self._settings.prefix_cache_bytes)
        if self._placement.device.type == "cuda":
            torch.cuda.empty_cache()

    @property
    def model(self) -> S1Model:
        """Return the loaded model. Raises NotReady if there is none."""
        if self._model is None:
            raise NotReady(NOT_LOADED)
        return self._model

    @property
    def decoder(self) -> Decoder:
        """Return the engine's decoder. Raises NotReady before the engine is loaded."""
        if self._decoder is None:
            raise NotReady(NOT_LOADED)
        return self._decoder

    @property
    def batch(self) -> S1Batch:
        """Return the engine's batch. Raises NotReady before the engine is loaded."""
        if self._batch is None:
            raise NotReady(NOT_LOADED)
        return self._batch

    @property
    def _own_settings(self) -> Mapping[str, float]:
        defaults = self.model.defaults
        return {setting.name: getattr(defaults, setting.name) for setting in SPEC.settings}

    @property
    def info(self) -> EngineInfo:
        model = self.model
        compiled = [
            part for part in (self.decoder.compiled, self.batch.audio_queue.streams.compiled) if part is not None
        ]
        defaults = model.defaults
        return EngineInfo(
            name=SPEC.name,
            title=SPEC.title,
            checkpoint=model.name,
            licence=self._licence,
            sample_rate=model.codec.config.sample_rate,
            reference_max_s=SPEC.reference_max_s,
            defaults=self._own_settings,
            vocabulary=frozenset(defaults.characters),
            markers=defaults.acts_on,
            device=str(self._placement.device),
            rows=self._width,
            dtype=str(self._placement.dtype).removeprefix("torch."),
            parameters=sum(weight.numel() for weight in model.parameters),
            compiled=bool(compiled) and all(part.active for part in compiled),
            note=" ".join(part.note for part in compiled if part.note),
            backends=(*self.decoder.choices, self.batch.audio_queue.streams.selection.choice),
            pace_kept=defaults.pace_kept,
            own_pace=defaults.own_pace,
        )

    @property
    def figures(self) -> Mapping[str, float]:
        """Return how often a clip's codes and a reference's keys and values were found in the caches."""
        codes = CacheHits() if self._references is None else self._references.store.hits
        prefixes = self._prefixes.hits
        return {
            "codes_found": codes.found,
            "codes_missed": codes.missed,
            "prefixes_found": prefixes.found,
            "prefixes_missed": prefixes.missed,
        }

    @property
    def memory_bytes(self) -> int:
        if self._model is None:
            return 0
        model, device = self._model, self._placement.device
        held = [weight for weight in model.parameters if weight.device == device]
        kept = self.decoder.state.cache_bytes
        return sum(map(stored_bytes, held)) + kept + self.batch.audio_queue.streams.bytes + self._prefixes.bytes

    @property
    def waiting(self) -> Collection[str]:
        """Return the ids of jobs whose reference is still being encoded."""
        return () if self._batch is None else self._batch.waiting

    @property
    def between_segments(self) -> Collection[str]:
        return () if self._batch is None else self._batch.between_segments

    @property
    def references(self) -> S1ReferenceEncoder:
        """Return the engine's references. Raises NotReady before the engine is loaded."""
        if self._references is None:
            raise NotReady(NOT_LOADED)
        return self._references

    def prepare(self, request: Request) -> planning.S1Plan:
        model, length = self.model, self.decoder.state.length
        SPEC.chosen(request.settings, self._own_settings)
        reference = self.references.read(request.reference)
        room_s = (length - reference.positions) / model.codec.config.frame_rate
        script = writing.parse(request.text, markers=model.defaults.acts_on)
        groups = planning.groups(script, model.defaults, room_s)
        if not groups:
            raise BadText("this text has no words; type at least one")
        return planning.S1Plan(reference, groups)

    @torch.inference_mode()
    def admit(self, job: EngineJob) -> None:
        request = job.request
        plan = job.prepared if isinstance(job.prepared, planning.S1Plan) else self.prepare(request)
        reference = self.references.prepare(request.reference, plan.reference)
        sampling = Sampling(seed=request.seed, **SPEC.chosen(request.settings, self._own_settings))
        self.batch.requests[job.id] = S1ActiveRequest(job, reference, plan.groups, sampling)

    @torch.inference_mode()
    def step(self, held: Collection[str] = (), yielding: Collection[str] = ()) -> Sequence[Event]:
        try:
            return self.batch.step(held, yielding)
        except torch.OutOfMemoryError as error:
            torch.cuda.empty_cache()
            raise OutOfMemory(
                "the GPU has too little memory for this take; shorten the text or unload an engine"
            ) from error

    def drop(self, job_id: str) -> None:
        if self._batch is not None:
            self._batch.drop(job_id)


def _in_turns(*each: Iterator[object]) -> Iterator[object]:
    """Yield one item of each iterator in turn, until all have ended."""
    waiting = deque(each)
    while waiting:
        items = waiting.popleft()
        try:
            yield next(items)
        except StopIteration:
            continue
        waiting.append(items)


def _placed(settings: EngineOptions) -> Placement:
    """Place the engine like others, but use bfloat16, in which the published weights were trained, if the GPU supports it."""
    placement = place(settings)
    able = placement.device.type == "cuda" and torch.cuda.is_bf16_supported(including_emulation=False)
    return replace(placement, dtype=torch.bfloat16) if able else placement
