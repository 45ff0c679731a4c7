"""The requests that F5 speaks: a request has segments, a segment becomes a row of a batch, a row becomes audio."""

from collections import OrderedDict
from collections.abc import Collection, Iterator, Sequence

import numpy as np
import torch

from engines.base import Advanced, Event, Finished, Refused, Spoke
from engines.errors import BadSetting, OutOfMemory
from engines.f5.active_request import F5ActiveRequest
from engines.f5.assembly import Piece
from engines.f5.interruption import Interruption, StepInterrupted
from engines.f5.mel import BANDS, SAMPLE_RATE
from engines.f5.model import F5Model
from engines.f5.sampling import FlowRow, Schedule, make_schedule, start_row, time_grid
from engines.f5.stepping import Flow, Stepper
from engines.f5.timbre import matched
from engines.f5.weight_cache import WeightBudget, WeightCache
from engines.f5.weight_turns import WeightTurns
from engines.runtime.transfers import AsyncHostCopy, to_device
from engines.types import Audio, Samples

SCHEDULES_KEPT = 8


class F5Batch:
    """Steps the rows of all active requests. All rows of one step use the same weights."""

    def __init__(
        self, model: F5Model, stepper: Stepper, width: int, device: torch.device, budget: WeightBudget
    ) -> None:
        """Create an empty batch with at most `width` rows; `stepper` computes with the model's network."""
        requests: dict[str, F5ActiveRequest] = {}
        self.requests = requests
        # A lambda over `requests`, not a bound method: a reference cycle would keep device memory after the engine is closed.
        self.weight_cache = WeightCache(model.parameters, budget, lambda: {each.weights for each in requests.values()})
        self._model, self._stepper, self._flow, self._device = model, stepper, Flow(stepper), device
        self._width, self.rows_each = width, width if device.type == "cuda" else 1
        blocks = (*model.network.transformer_blocks, *model.vocoder.backbone.convnext)
        self._interruption = Interruption(blocks if device.type == "cpu" else ())
        self._turns = WeightTurns()
        self._schedules: OrderedDict[tuple[str, int], Schedule] = OrderedDict()

    @property
    def waiting(self) -> Collection[str]:
        """Return the ids of requests whose weights are still being read."""
        return [id for id, active in self.requests.items() if self.weight_cache.is_loading(active.weights)]

    @property
    def between_segments(self) -> Collection[str]:
        """Return the ids of requests with no segment in progress and more segments to start."""
        return [id for id, active in self.requests.items() if active.between_segments]

    @property
    def memory_bytes(self) -> int:
        """Return the bytes of schedules and inactive weights on the device."""
        return sum(plan.modulation.nbytes for plan in self._schedules.values()) + self.weight_cache.memory_bytes

    def warm(self, frames: int) -> None:
        """Run one step of one row with this many mel frames, and the vocoder."""
        tokens = torch.ones(32, dtype=torch.long, device=self._device)
        reference = torch.zeros(frames // 2, BANDS, device=self._device)
        noise = torch.zeros(frames, BANDS, device=self._device)
        model = self._model
        row = start_row(self._stepper.context, reference, tokens, noise, self._schedule(model.steps), model.guidance)
        self._flow.advance([row])
        model.vocoder(row.x)

    def add(self, request: F5ActiveRequest) -> None:
        """Add a request, and start to read its weights."""
        self.requests[request.job.id] = request
        if request.job.request.weights is not None:
            self.weight_cache.start_loading(request.job.request.weights)

    def step(self, held: Collection[str], yielding: Collection[str] = ()) -> Sequence[Event]:
        """Take one Euler step of every row that is not held and uses the weights in turn. Raises OutOfMemory.

        Requests in `yielding` start no further segment. The audio of a finished row is delivered one step later, so that the
        device computes while the host copies and joins; without another step it is delivered at once.
        """
        events: list[Event] = list(self._refuse_unreadable())
        unheld = [active for id, active in self.requests.items() if id not in held]
        awaited = {(active.job.id, number) for active in unheld for number in active.arriving}
        moved: Sequence[F5ActiveRequest] = []
        full: OutOfMemory | None = None
        try:
            moved = self._take_step(unheld, yielding)
        except OutOfMemory as error:
            full = error
        except torch.OutOfMemoryError as error:
            if not self.weight_cache.evict_idle():
                full = OutOfMemory("the GPU has too little memory for this take; shorten the text or unload an engine")
                full.__cause__ = error
            torch.cuda.empty_cache()
        idle = full is not None or not self._able(unheld)
        for active in unheld:
            due = [n for n, wave in active.arriving.items() if idle or wave.ready or (active.job.id, n) in awaited]
            if due or active in moved:
                events += self._deliver(active, due)
        if (
            full is not None and not events
        ):  # otherwise finished audio is delivered first, and the next step raises again if necessary
            raise full
        return events

    def _able(self, requests: Sequence[F5ActiveRequest]) -> Sequence[F5ActiveRequest]:
        """Return the requests that need steps and have their weights in memory."""
        return [each for each in requests if each.has_steps and self.weight_cache.is_available(each.weights)]

    def _take_step(self, unheld: Sequence[F5ActiveRequest], yielding: Collection[str]) -> Sequence[F5ActiveRequest]:
        """Take one step of the requests whose weights are in turn. Raises OutOfMemory, torch.OutOfMemoryError."""
        able = self._able(unheld)
        if not able:
            return able
        self.weight_cache.activate(self._turns.next(list(dict.fromkeys(active.weights for active in able))))
        turn = [each for each in able if each.weights == self.weight_cache.active]
        try:
            with self._interruption.step(turn):
                self._advance_requests(turn, yielding)
        except StepInterrupted:
            return ()
        return turn

    def _refuse_unreadable(self) -> Iterator[Refused]:
        """Refuse the requests whose weights could not be read."""
        for weights, error in self.weight_cache.collect_loaded().items():
            for id in [id for id, active in self.requests.items() if active.weights == weights]:
                del self.requests[id]
                yield Refused(id, error)

    def _advance_requests(self, ready: Sequence[F5ActiveRequest], yielding: Collection[str]) -> None:
        """Take one step of these requests, which use the active weights; finished rows go to the vocoder."""
        self._start_pieces(ready, yielding)
        # Rows that are already done wait for the vocoder, which ran out of memory. After a pause, more rows may exist than fit.
        rows = [each for active in ready for each in active.rows.values() if not each.done][: self._width]
        if rows:
            self._flow.advance(rows)
        for active in ready:
            for number in [number for number, row in active.rows.items() if row.done]:
                active.arriving[number] = AsyncHostCopy(self._model.vocoder(self._made(active, number)).float())
                del active.rows[number]

    def _start_pieces(self, ready: Sequence[F5ActiveRequest], yielding: Collection[str]) -> None:
        """Fill the batch, the request with the fewest rows first. Held requests leave their rows to others.

        Each request starts one segment a step: the device still runs the previous step while the host prepares the segment, and
        segments with different starts also end at different steps.
        """
        rows = sum(len(active.rows) for active in ready)
        able = [each for each in ready if each.job.id not in yielding and each.may_start(self.rows_each)]
        for active in sorted(able, key=lambda active: len(active.rows))[: max(0, self._width - rows)]:
            self._start(active)

    def _start(self, active: F5ActiveRequest) -> None:
        number, piece = active.started, active.pieces[active.started]
        if piece.is_silence:
            active.waves[number] = np.empty(0, np.float32)
        else:
            active.rows[number] = self._row(active, number, piece)
        active.started += 1

    def _row(self, active: F5ActiveRequest, number: int, piece: Piece) -> FlowRow:
        reference, request = active.reference, active.job.request
        network, vocabulary = self._model.network, self._model.vocabulary
        tokens = to_device(vocabulary.tokens(reference.transcript + piece.text), self._device)
        total = max(len(reference.mel) + piece.frames, len(tokens) + 1)
        generator = torch.Generator().manual_seed(request.seed + number)
        noise = to_device(torch.randn(total, network.config.mel_dim, generator=generator), self._device)
        plan = self._schedule(active.steps)
        return start_row(self._stepper.context, reference.mel, tokens, noise, plan, active.guidance)

    def _deliver(self, active: F5ActiveRequest, due: Sequence[int]) -> Iterator[Event]:
        """Collect the audio of the segments in `due`, wait for it, and deliver in order what is complete."""
        id = active.job.id
        for number in due:
            wave: Samples = active.arriving.pop(number).value().numpy()
            if not np.isfinite(wave).all():
                yield Refused(
                    id,
                    BadSetting(
                        "the engine generated noise instead of speech; lower the guidance or change the number of steps"
                    ),
                )
                return
            active.waves[number] = wave
        while active.delivered in active.waves:
            piece = active.pieces[active.delivered]
            # Joined before the level is lowered: otherwise the ends of quiet words would be detected as silence.
            ready = active.joiner.add(piece, active.waves.pop(active.delivered)) * np.float32(active.reference.gain)
            active.delivered += 1
            if len(ready):
                yield Spoke(id, Audio(ready, SAMPLE_RATE))
        yield Advanced(id, active.fraction)
        if active.delivered == len(active.pieces):
            del self.requests[id]
            yield Finished(id)

    def _made(self, active: F5ActiveRequest, number: int) -> torch.Tensor:
        """Return the (n, 100) log-mel of a finished row, with its timbre corrected if the checkpoint needs that."""
        reference, model = active.reference.mel, self._model
        made = active.rows[number].x[len(reference) :]
        return matched(made.float(), reference.float(), model.timbre, model.known) if model.timbre else made

    def _schedule(self, steps: int) -> Schedule:
        """Return the schedule of the active weights for this number of steps, from a small cache."""
        key = self.weight_cache.active, steps
        if key not in self._schedules:
            self._schedules[key] = make_schedule(self._model.network, time_grid(steps, self._model.sway))
            if len(self._schedules) > SCHEDULES_KEPT:
                self._schedules.popitem(last=False)
        return self._schedules[key]
