"""F5-TTS behind the engine protocol: requests become pieces, pieces become rows of a batch, rows become sound."""

import logging
from collections import OrderedDict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

import numpy as np
import torch

from engines import text as writing
from engines.base import Advanced, Checkpoint, EngineJob, Event, Finished, Refused, Spoke
from engines.errors import BadSetting, BadText, NotReady, OutOfMemory
from engines.f5 import plan as planning
from engines.f5.active_request import F5ActiveRequest
from engines.f5.assembly import Joiner, Piece
from engines.f5.mel import SAMPLE_RATE
from engines.f5.model import F5Model, load
from engines.f5.references import F5Reference, F5ReferenceCache
from engines.f5.sampling import FlowRow, Schedule, advance, make_schedule, start_row, time_grid
from engines.f5.weight_cache import WeightBudget, WeightCache
from engines.f5.weight_turns import WeightTurns
from engines.registry import SPECS, Device, licence
from engines.runtime.compilation import FRAME_BUCKET, Compiled, should_compile
from engines.runtime.placement import place, width
from engines.types import Audio, EngineInfo, Progress, Reference, Samples

log = logging.getLogger(__name__)

SCHEDULES_KEPT = 8
WARM_FRAMES = (256, 640, 1024)
NOT_LOADED = "F5-TTS is not loaded yet; wait until it says ready"


class F5Engine:
    """Only the scheduler calls it; see `engines.base.Engine` for the protocol."""

    def __init__(self, device: Device) -> None:
        self._settings = device
        self._placement = place(device)
        self._width = width(device, self._placement.device)
        self._rows_each = self._width if self._placement.device.type == "cuda" else 1
        self._model: F5Model | None = None
        self._velocity: Callable[..., torch.Tensor] | None = None
        self._active: dict[str, F5ActiveRequest] = {}
        self._references: F5ReferenceCache | None = None
        self._weight_cache: WeightCache | None = None
        self._turns = WeightTurns()
        self._schedules: OrderedDict[tuple[str, int], Schedule] = OrderedDict()
        self._licence = ""

    def load(self, checkpoint: Checkpoint) -> Iterator[Progress]:
        if self._settings.threads:
            torch.set_num_threads(self._settings.threads)
        self._licence = licence("f5", checkpoint)
        model = self._model = yield from load(checkpoint, self._placement)
        network, device = model.network, self._placement.device
        budget = WeightBudget.of(self._settings.weights_budget_bytes, device)
        self._references = F5ReferenceCache(model.vocabulary.characters, device)
        self._weight_cache = WeightCache(
            model.parameters, budget, lambda: {each.weights for each in self._active.values()}
        )
        self._velocity = Compiled(network) if should_compile(self._settings, device) else network

    @torch.inference_mode()
    def warm(self) -> Iterator[Progress]:
        for number, frames in enumerate(WARM_FRAMES, start=1):
            tokens = torch.ones(32, dtype=torch.long, device=self._placement.device)
            reference = torch.zeros(frames // 2, 100, device=self._placement.device)
            noise = torch.zeros(frames, 100, device=self._placement.device)
            warming = start_row(
                self.model.network, reference, tokens, noise, self._schedule(self.model.steps), self.model.guidance
            )
            self._advance([warming])
            self.model.vocoder(warming.x)
            yield Progress(number / len(WARM_FRAMES), f"warming up, {number} of {len(WARM_FRAMES)}")

    def close(self) -> None:
        if self._weight_cache is not None:
            self._weight_cache.close()
        self._model, self._velocity, self._references, self._weight_cache = None, None, None, None
        self._active.clear()
        self._schedules.clear()
        if self._placement.device.type == "cuda":
            torch.cuda.empty_cache()

    @property
    def model(self) -> F5Model:
        """What was loaded. Raises NotReady before."""
        if self._model is None:
            raise NotReady(NOT_LOADED)
        return self._model

    @property
    def weight_cache(self) -> WeightCache:
        """Sets of weights in memory. Raises NotReady before it is loaded."""
        if self._weight_cache is None:
            raise NotReady(NOT_LOADED)
        return self._weight_cache

    @property
    def info(self) -> EngineInfo:
        model = self.model
        return EngineInfo(
            name="f5",
            title=SPECS["f5"].title,
            checkpoint=model.name,
            licence=self._licence,
            sample_rate=SAMPLE_RATE,
            reference_max_s=SPECS["f5"].reference_max_s,
            defaults={"speed": 1.0, "steps": model.steps, "guidance": model.guidance},
            vocabulary=model.vocabulary.characters,
            markers=(),
            device=str(self._placement.device),
            rows=self._width,
            dtype=str(self._placement.dtype).removeprefix("torch."),
            parameters=sum(p.numel() for p in model.network.parameters()),
            compiled=isinstance(self._velocity, Compiled) and self._velocity.active,
            note=self._velocity.note if isinstance(self._velocity, Compiled) else "",
        )

    @property
    def figures(self) -> Mapping[str, float]:
        """How often champions' weights were found, read, evicted and activated."""
        return {} if self._weight_cache is None else self._weight_cache.figures

    @property
    def memory_bytes(self) -> int:
        if self._model is None or self._references is None:
            return 0
        held = [*self._model.network.parameters(), *self._model.network.buffers(), *self._model.vocoder.parameters()]
        held += [plan.modulation for plan in self._schedules.values()]
        return sum(tensor.nbytes for tensor in held) + self._references.memory_bytes + self.weight_cache.memory_bytes

    @property
    def room(self) -> int:
        return self._width - len(self._active)

    @property
    def waiting(self) -> Collection[str]:
        """Requests whose weights are still being read."""
        return [id for id, active in self._active.items() if self.weight_cache.is_loading(active.weights)]

    @torch.inference_mode()
    def prepare(self, reference: Reference) -> F5Reference:
        if self._references is None:
            raise NotReady(NOT_LOADED)
        return self._references.prepare(reference)

    @torch.inference_mode()
    def admit(self, job: EngineJob) -> None:
        request = job.request
        steps = self.model.steps if request.steps is None else request.steps
        guidance = self.model.guidance if request.guidance is None else request.guidance
        for name, value in {"steps": steps, "speed": request.speed, "guidance": guidance}.items():
            SPECS["f5"].settings[name].check(name, value)
        pieces = planning.pieces(writing.parse(writing.without_markers(request.text)), self.model.vocabulary.characters)
        if not pieces:
            raise BadText("there is nothing to say in this text; write at least one word")
        prepared = self.prepare(request.reference)
        self._active[job.id] = F5ActiveRequest(job, prepared, pieces, steps, guidance, Joiner(SAMPLE_RATE))
        if request.weights is not None:
            self.weight_cache.start_loading(request.weights)

    @torch.inference_mode()
    def step(self, held: Collection[str] = ()) -> Sequence[Event]:
        events: list[Event] = list(self._refuse_unreadable())
        unheld = [active for id, active in self._active.items() if id not in held]
        ready = [active for active in unheld if self.weight_cache.is_available(active.weights)]
        if not ready:
            return events
        try:
            self.weight_cache.activate(self._turns.next(list(dict.fromkeys(active.weights for active in ready))))
            for event in self._advance_requests([each for each in ready if each.weights == self.weight_cache.active]):
                events.append(event)  # one at a time: what was made before the memory ran out is delivered
        except torch.OutOfMemoryError as error:
            idle_left = self.weight_cache.evict_idle()
            torch.cuda.empty_cache()
            if not idle_left:
                raise OutOfMemory(
                    "the GPU has no memory left for this take; shorten the text or unload an engine"
                ) from error
        return events

    def drop(self, job_id: str) -> None:
        self._active.pop(job_id, None)

    def _refuse_unreadable(self) -> Iterator[Refused]:
        """Refuse the requests whose weights could not be read."""
        for weights, error in self.weight_cache.collect_loaded().items():
            for id in [id for id, active in self._active.items() if active.weights == weights]:
                del self._active[id]
                yield Refused(id, error)

    def _advance_requests(self, ready: Sequence[F5ActiveRequest]) -> Iterator[Event]:
        """One step of these requests, which use the active weights."""
        self._start_pieces(ready)
        # Rows that are done already wait for their sound, which had no memory.
        rows = [each for active in ready for each in active.rows.values() if not each.done]
        if rows:
            self._advance(rows)
        for active in ready:
            yield from self._deliver(active)

    def _advance(self, rows: Sequence[FlowRow]) -> None:
        if self._velocity is None:
            raise NotReady(NOT_LOADED)
        advance(rows, self._velocity, FRAME_BUCKET if isinstance(self._velocity, Compiled) else 1)

    def _start_pieces(self, ready: Sequence[F5ActiveRequest]) -> None:
        """Fill the batch, the request with the fewest rows first."""
        batch = [each for each in self._active.values() if each.weights == self.weight_cache.active]
        while sum(len(active.rows) for active in batch) < self._width:
            able = [active for active in ready if active.may_start(self._rows_each)]
            if not able:
                return
            self._start(min(able, key=lambda active: len(active.rows)))

    def _start(self, active: F5ActiveRequest) -> None:
        number, piece = active.started, active.pieces[active.started]
        if piece.is_silence:
            active.waves[number] = np.empty(0, np.float32)
        else:
            active.rows[number] = self._row(active, number, piece)
        active.started += 1

    def _row(self, active: F5ActiveRequest, number: int, piece: Piece) -> FlowRow:
        reference, request = active.reference, active.job.request
        network, vocabulary = self.model.network, self.model.vocabulary
        stretch = not network.config.text_embedding_average_upsampling
        made = planning.frames(reference.paced_frames, reference.transcript, piece.text, request.speed, stretch)
        tokens = vocabulary.tokens(reference.transcript + piece.text).to(self._placement.device)
        total = max(len(reference.mel) + made, len(tokens) + 1)
        generator = torch.Generator().manual_seed(request.seed + number)
        noise = torch.randn(total, network.config.mel_dim, generator=generator).to(self._placement.device)
        plan = self._schedule(active.steps)
        return start_row(network, reference.mel, tokens, noise, plan, active.guidance)

    def _deliver(self, active: F5ActiveRequest) -> Iterator[Event]:
        """Turn finished rows into sound and hand it out in order."""
        id = active.job.id
        for number in [number for number, row in active.rows.items() if row.done]:
            made = active.rows[number].x[len(active.reference.mel) :]
            wave: Samples = self.model.vocoder(made).float().cpu().numpy()
            if not np.isfinite(wave).all():
                yield Refused(
                    id, BadSetting("the engine made noise instead of speech; lower the guidance or use other steps")
                )
                return
            active.waves[number] = wave
            del active.rows[number]
        while active.delivered in active.waves:
            piece = active.pieces[active.delivered]
            # Joined before the level is lowered: the ends of quiet words would fall below what counts as silence in any clip.
            ready = active.joiner.add(piece, active.waves.pop(active.delivered)) * np.float32(active.reference.gain)
            active.delivered += 1
            if len(ready):
                yield Spoke(id, Audio(ready, SAMPLE_RATE))
        yield Advanced(id, active.fraction)
        if active.delivered == len(active.pieces):
            del self._active[id]
            yield Finished(id)

    def _schedule(self, steps: int) -> Schedule:
        """The time grid's table for the active weights, kept for the few that are in use."""
        key = self.weight_cache.active, steps
        if key not in self._schedules:
            self._schedules[key] = make_schedule(self.model.network, time_grid(steps, self.model.sway))
            if len(self._schedules) > SCHEDULES_KEPT:
                self._schedules.popitem(last=False)
        return self._schedules[key]
