"""F5-TTS behind the engine protocol: jobs become pieces, pieces become rows of a batch, rows become sound."""

import logging
from collections import OrderedDict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

import numpy as np
import torch

from engines import text as writing
from engines.base import Advanced, Checkpoint, Event, Finished, Job, Refused, Spoke
from engines.errors import BadSetting, BadText, NotReady, OutOfMemory
from engines.f5 import plan as planning
from engines.f5.active_request import Speaking
from engines.f5.assembly import Joiner, Piece
from engines.f5.mel import SAMPLE_RATE
from engines.f5.model import Voice, load
from engines.f5.references import Prepared, References
from engines.f5.sampling import Row, Schedule, advance, row, schedule, time_grid
from engines.f5.weight_cache import Budget, Residence
from engines.f5.weight_turns import Turns
from engines.registry import SPECS, Device, licence
from engines.runtime.compilation import FRAME_BUCKET, Compiled, wanted
from engines.runtime.placement import place, width
from engines.types import Audio, EngineInfo, Progress, Reference, Samples

log = logging.getLogger(__name__)

SCHEDULES_KEPT = 8
WARM_FRAMES = (256, 640, 1024)


class F5Engine:
    """Only the scheduler calls it; see `engines.base.Engine` for the protocol."""

    def __init__(self, device: Device) -> None:
        self._wish = device
        self._placement = place(device)
        self._width = width(device, self._placement.device)
        self._rows_each = self._width if self._placement.device.type == "cuda" else 1
        self._voice: Voice | None = None
        self._velocity: Callable[..., torch.Tensor] | None = None
        self._speaking: dict[str, Speaking] = {}
        self._references: References | None = None
        self._residence: Residence | None = None
        self._turns = Turns()
        self._schedules: OrderedDict[tuple[str, int], Schedule] = OrderedDict()
        self._licence = ""

    # Life.

    def load(self, checkpoint: Checkpoint) -> Iterator[Progress]:
        if self._wish.threads:
            torch.set_num_threads(self._wish.threads)
        self._licence = licence("f5", checkpoint)
        voice = self._voice = yield from load(checkpoint, self._placement)
        network, device = voice.network, self._placement.device
        budget = Budget.of(self._wish.weights_budget_bytes, device)
        self._references = References(voice.vocabulary.characters, device)
        self._residence = Residence(
            voice.parameters, budget, lambda: {each.weights for each in self._speaking.values()}
        )
        self._velocity = Compiled(network) if wanted(self._wish, device) else network

    @torch.inference_mode()
    def warm(self) -> Iterator[Progress]:
        for number, frames in enumerate(WARM_FRAMES, start=1):
            tokens = torch.ones(32, dtype=torch.long, device=self._placement.device)
            reference = torch.zeros(frames // 2, 100, device=self._placement.device)
            noise = torch.zeros(frames, 100, device=self._placement.device)
            warming = row(
                self.voice.network, reference, tokens, noise, self._schedule(self.voice.steps), self.voice.guidance
            )
            self._advance([warming])
            self.voice.vocoder(warming.x)
            yield Progress(number / len(WARM_FRAMES), f"warming up, {number} of {len(WARM_FRAMES)}")

    def close(self) -> None:
        if self._residence is not None:
            self._residence.close()
        self._voice, self._velocity, self._references, self._residence = None, None, None, None
        self._speaking.clear()
        self._schedules.clear()
        if self._placement.device.type == "cuda":
            torch.cuda.empty_cache()

    @property
    def voice(self) -> Voice:
        if self._voice is None:
            raise NotReady("F5-TTS is not loaded yet; wait until it says ready")
        return self._voice

    @property
    def residence(self) -> Residence:
        if self._residence is None:
            raise NotReady("F5-TTS is not loaded yet; wait until it says ready")
        return self._residence

    @property
    def info(self) -> EngineInfo:
        voice = self.voice
        return EngineInfo(
            name="f5",
            title=SPECS["f5"].title,
            checkpoint=voice.name,
            licence=self._licence,
            sample_rate=SAMPLE_RATE,
            reference_max_s=SPECS["f5"].reference_max_s,
            defaults={"speed": 1.0, "steps": voice.steps, "guidance": voice.guidance},
            vocabulary=voice.vocabulary.characters,
            markers=(),
            device=str(self._placement.device),
            rows=self._width,
            dtype=str(self._placement.dtype).removeprefix("torch."),
            parameters=sum(p.numel() for p in voice.network.parameters()),
            compiled=isinstance(self._velocity, Compiled) and self._velocity.active,
            note=self._velocity.note if isinstance(self._velocity, Compiled) else "",
        )

    @property
    def figures(self) -> Mapping[str, float]:
        """How champions' weights came and went."""
        return {} if self._residence is None else self._residence.figures

    @property
    def memory_bytes(self) -> int:
        if self._voice is None or self._references is None:
            return 0
        held = [*self._voice.network.parameters(), *self._voice.network.buffers(), *self._voice.vocoder.parameters()]
        held += [plan.modulation for plan in self._schedules.values()]
        return sum(tensor.nbytes for tensor in held) + self._references.memory_bytes + self.residence.memory_bytes

    # Work.

    @property
    def room(self) -> int:
        return self._width - len(self._speaking)

    @property
    def waiting(self) -> Collection[str]:
        """Jobs whose weights are still being read."""
        return [id for id, speaking in self._speaking.items() if self.residence.is_coming(speaking.weights)]

    @torch.inference_mode()
    def prepare(self, reference: Reference) -> Prepared:
        if self._references is None:
            raise NotReady("F5-TTS is not loaded yet; wait until it says ready")
        return self._references.prepare(reference)

    @torch.inference_mode()
    def admit(self, job: Job) -> None:
        request = job.request
        steps = self.voice.steps if request.steps is None else request.steps
        guidance = self.voice.guidance if request.guidance is None else request.guidance
        for name, value in {"steps": steps, "speed": request.speed, "guidance": guidance}.items():
            SPECS["f5"].settings[name].check(name, value)
        pieces = planning.pieces(writing.parse(writing.without_markers(request.text)), self.voice.vocabulary.characters)
        if not pieces:
            raise BadText("there is nothing to say in this text; write at least one word")
        prepared = self.prepare(request.reference)
        self._speaking[job.id] = Speaking(job, prepared, pieces, steps, guidance, Joiner(SAMPLE_RATE))
        if request.weights is not None:
            self.residence.want(request.weights)

    @torch.inference_mode()
    def step(self, held: Collection[str] = ()) -> Sequence[Event]:
        events: list[Event] = list(self._refuse_unread())
        unheld = [speaking for id, speaking in self._speaking.items() if id not in held]
        active = [speaking for speaking in unheld if self.residence.is_here(speaking.weights)]
        if not active:
            return events
        try:
            self.residence.place(self._turns.next(list(dict.fromkeys(speaking.weights for speaking in active))))
            for event in self._advance_jobs([each for each in active if each.weights == self.residence.placed]):
                events.append(event)  # one at a time: what was made before the memory ran out is heard
        except torch.OutOfMemoryError as error:
            idle_left = self.residence.leave_device()
            torch.cuda.empty_cache()
            if not idle_left:
                raise OutOfMemory(
                    "the GPU has no memory left for this take; shorten the text or unload an engine"
                ) from error
        return events

    def drop(self, job_id: str) -> None:
        self._speaking.pop(job_id, None)

    def _refuse_unread(self) -> Iterator[Refused]:
        """End the jobs whose weights could not be read."""
        for weights, error in self.residence.receive().items():
            for id in [id for id, speaking in self._speaking.items() if speaking.weights == weights]:
                del self._speaking[id]
                yield Refused(id, error)

    def _advance_jobs(self, active: Sequence[Speaking]) -> Iterator[Event]:
        """One step of these jobs, which are spoken with the weights in place."""
        self._start_pieces(active)
        # Rows that are done already wait for their sound, which had no memory.
        rows = [each for speaking in active for each in speaking.rows.values() if not each.done]
        if rows:
            self._advance(rows)
        for speaking in active:
            yield from self._harvest(speaking)

    def _advance(self, rows: Sequence[Row]) -> None:
        if self._velocity is None:
            raise NotReady("F5-TTS is not loaded yet; wait until it says ready")
        advance(rows, self._velocity, FRAME_BUCKET if isinstance(self._velocity, Compiled) else 1)

    def _start_pieces(self, active: Sequence[Speaking]) -> None:
        """Fill the batch, the job with the fewest rows first."""
        batch = [each for each in self._speaking.values() if each.weights == self.residence.placed]
        while sum(len(speaking.rows) for speaking in batch) < self._width:
            able = [speaking for speaking in active if speaking.may_start(self._rows_each)]
            if not able:
                return
            self._start(min(able, key=lambda speaking: len(speaking.rows)))

    def _start(self, speaking: Speaking) -> None:
        number, piece = speaking.started, speaking.pieces[speaking.started]
        if piece.is_silence:
            speaking.waves[number] = np.empty(0, np.float32)
        else:
            speaking.rows[number] = self._row(speaking, number, piece)
        speaking.started += 1

    def _row(self, speaking: Speaking, number: int, piece: Piece) -> Row:
        prepared, request = speaking.prepared, speaking.job.request
        network, vocabulary = self.voice.network, self.voice.vocabulary
        stretch = not network.config.text_embedding_average_upsampling
        made = planning.frames(prepared.paced_frames, prepared.transcript, piece.text, request.speed, stretch)
        tokens = vocabulary.tokens(prepared.transcript + piece.text).to(self._placement.device)
        total = max(len(prepared.mel) + made, len(tokens) + 1)
        generator = torch.Generator().manual_seed(request.seed + number)
        noise = torch.randn(total, network.config.mel_dim, generator=generator).to(self._placement.device)
        plan = self._schedule(speaking.steps)
        return row(network, prepared.mel, tokens, noise, plan, speaking.guidance)

    def _harvest(self, speaking: Speaking) -> Iterator[Event]:
        """Turn finished rows into sound, in order."""
        id = speaking.job.id
        for number in [number for number, active in speaking.rows.items() if active.done]:
            made = speaking.rows[number].x[len(speaking.prepared.mel) :]
            wave: Samples = self.voice.vocoder(made).float().cpu().numpy()
            if not np.isfinite(wave).all():
                yield Refused(
                    id, BadSetting("the engine made noise instead of speech; lower the guidance or use other steps")
                )
                return
            speaking.waves[number] = wave
            del speaking.rows[number]
        while speaking.heard in speaking.waves:
            piece = speaking.pieces[speaking.heard]
            # Joined before it is lowered: the ends of quiet words would fall below what counts as silence in any clip.
            ready = speaking.joiner.add(piece, speaking.waves.pop(speaking.heard)) * np.float32(speaking.prepared.gain)
            speaking.heard += 1
            if len(ready):
                yield Spoke(id, Audio(ready, SAMPLE_RATE))
        yield Advanced(id, speaking.fraction)
        if speaking.heard == len(speaking.pieces):
            del self._speaking[id]
            yield Finished(id)

    def _schedule(self, steps: int) -> Schedule:
        """The grid's table for the weights in place, kept for the few that are in use."""
        key = self.residence.placed, steps
        if key not in self._schedules:
            self._schedules[key] = schedule(self.voice.network, time_grid(steps, self.voice.sway))
            if len(self._schedules) > SCHEDULES_KEPT:
                self._schedules.popitem(last=False)
        return self._schedules[key]
