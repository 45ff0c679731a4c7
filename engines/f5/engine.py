"""F5-TTS behind the engine protocol: jobs become pieces, pieces become rows of a batch, rows become sound."""

import logging
from collections import OrderedDict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import torch

from engines import audio as sound
from engines import text as writing
from engines.base import Advanced, Checkpoint, Event, Finished, Job, Refused, Spoke
from engines.compiling import FRAME_BUCKET, Compiled, wanted
from engines.errors import BadAudio, BadSetting, BadText, NotReady, OutOfMemory, UnsupportedText
from engines.f5 import planning
from engines.f5.joining import Joiner, Piece
from engines.f5.loading import Voice, load
from engines.f5.mel import SAMPLE_RATE, log_mel
from engines.f5.sampling import Row, Schedule, advance, row, schedule, time_grid
from engines.placing import place, width
from engines.registry import SPECS, Device, licence
from engines.types import Audio, EngineInfo, Progress, Reference, Samples

log = logging.getLogger(__name__)

STEPS = range(2, 65)
SPEEDS = (0.3, 2.5)
GUIDANCES = (0.0, 10.0)
LEVEL_RMS = 0.1  # quieter references are raised to this for the network, and its speech lowered again
REFERENCE_TAIL_S = 0.05  # silence behind a reference, so that its last word does not run into the first new one
PREPARED_KEPT = 32
AHEAD = 4  # pieces of one job in work before the one that is heard next
WARM_FRAMES = (256, 640, 1024)


@dataclass(frozen=True, slots=True, eq=False)
class Prepared:
    """A reference as the network takes it."""

    mel: torch.Tensor  # (frames, 100)
    transcript: str  # as the checkpoint can say it, ending in a full stop and a space
    gain: float  # to put on what is made, undoing the level correction


def ended(transcript: str) -> str:
    """A transcript that ends like a sentence, so that the new text begins like one."""
    return transcript + (" " if transcript[-1] in ".!?。！？" else ". ")


@dataclass(slots=True, eq=False)
class Speaking:
    """A job in work."""

    job: Job
    prepared: Prepared
    pieces: list[Piece]
    plan: Schedule
    guidance: float
    joiner: Joiner
    started: int = 0  # pieces given to the batch
    heard: int = 0  # pieces delivered
    rows: dict[int, Row] = field(default_factory=dict)
    waves: dict[int, Samples] = field(default_factory=dict)

    @property
    def fraction(self) -> float:
        steps = self.heard + len(self.waves) + sum(each.step / self.plan.steps for each in self.rows.values())
        return steps / len(self.pieces)

    def may_start(self, rows_each: int) -> bool:
        """Whether another piece may join: the first is made alone, since nothing is heard before it."""
        alone = self.started > 0 and self.heard == 0 and not self.pieces[0].is_silence
        return self.started < min(len(self.pieces), self.heard + AHEAD) and len(self.rows) < rows_each and not alone


class F5Engine:
    """Only the lane calls it; see `engines.base.Engine` for the protocol."""

    def __init__(self, device: Device) -> None:
        self._wish = device
        self._placement = place(device)
        self._width = width(device, self._placement.device)
        self._rows_each = self._width if self._placement.device.type == "cuda" else 1
        self._voice: Voice | None = None
        self._velocity: Callable[..., torch.Tensor] | None = None
        self._speaking: dict[str, Speaking] = {}
        self._prepared: OrderedDict[str, Prepared] = OrderedDict()
        self._schedules: OrderedDict[int, Schedule] = OrderedDict()
        self._licence = ""

    # Life.

    def load(self, checkpoint: Checkpoint) -> Iterator[Progress]:
        if self._wish.threads:
            torch.set_num_threads(self._wish.threads)
        self._licence = licence("f5", checkpoint)
        self._voice = yield from load(checkpoint, self._placement)
        network = self.voice.network
        self._velocity = Compiled(network) if wanted(self._wish, self._placement.device) else network

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
        self._voice, self._velocity = None, None
        self._speaking.clear()
        self._prepared.clear()
        self._schedules.clear()
        if self._placement.device.type == "cuda":
            torch.cuda.empty_cache()

    @property
    def voice(self) -> Voice:
        if self._voice is None:
            raise NotReady("F5-TTS is not loaded yet; wait until it says ready")
        return self._voice

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
            dtype=str(self._placement.dtype).removeprefix("torch."),
            parameters=sum(p.numel() for p in voice.network.parameters()),
            compiled=isinstance(self._velocity, Compiled) and self._velocity.active,
            note=self._velocity.note if isinstance(self._velocity, Compiled) else "",
        )

    @property
    def figures(self) -> Mapping[str, float]:
        return {}

    @property
    def memory_bytes(self) -> int:
        if self._voice is None:
            return 0
        held = [*self._voice.network.parameters(), *self._voice.network.buffers(), *self._voice.vocoder.parameters()]
        held += [prepared.mel for prepared in self._prepared.values()]
        held += [plan.modulation for plan in self._schedules.values()]
        return sum(tensor.numel() * tensor.element_size() for tensor in held)

    # Work.

    @property
    def room(self) -> int:
        return self._width - len(self._speaking)

    @torch.inference_mode()
    def prepare(self, reference: Reference) -> Prepared:
        key = reference.digest
        if key in self._prepared:
            self._prepared.move_to_end(key)
            return self._prepared[key]
        limit_s = SPECS["f5"].reference_max_s
        if reference.audio.duration_s > limit_s + 0.01:
            raise BadAudio(
                f"the reference is {reference.audio.duration_s:.1f} s long; F5-TTS takes {limit_s:.0f} s, select a part"
            )
        try:
            spoken = writing.spoken_form(writing.without_markers(reference.transcript))
            transcript = writing.fit(spoken, self.voice.vocabulary.characters).strip()
        except UnsupportedText as error:
            raise UnsupportedText(f"the transcript: {error}", error.characters) from error
        if not transcript:
            raise BadText("the transcript has nothing this checkpoint can say; type what is said in the reference")
        samples = sound.resample(reference.audio, SAMPLE_RATE).samples
        rms = float(np.sqrt(np.mean(np.square(samples, dtype=np.float64))))
        if rms == 0.0:
            raise BadAudio("the reference is silent; choose another part or clip")
        gain = min(1.0, rms / LEVEL_RMS)
        padded = np.concatenate((samples / gain, np.zeros(round(REFERENCE_TAIL_S * SAMPLE_RATE), np.float32)))
        mel = log_mel(torch.from_numpy(padded.astype(np.float32))).to(self._placement.device)
        self._prepared[key] = prepared = Prepared(mel, ended(transcript), gain)
        if len(self._prepared) > PREPARED_KEPT:
            self._prepared.popitem(last=False)
        return prepared

    @torch.inference_mode()
    def admit(self, job: Job) -> None:
        request = job.request
        steps = self.voice.steps if request.steps is None else request.steps
        guidance = self.voice.guidance if request.guidance is None else request.guidance
        if steps not in STEPS:
            raise BadSetting(f"steps must be {STEPS.start} to {STEPS.stop - 1}, not {steps}")
        if not SPEEDS[0] <= request.speed <= SPEEDS[1]:
            raise BadSetting(f"speed must be {SPEEDS[0]} to {SPEEDS[1]}, not {request.speed:g}")
        if not GUIDANCES[0] <= guidance <= GUIDANCES[1]:
            raise BadSetting(f"guidance must be {GUIDANCES[0]:g} to {GUIDANCES[1]:g}, not {guidance:g}")
        pieces = planning.pieces(writing.parse(writing.without_markers(request.text)), self.voice.vocabulary.characters)
        if not pieces:
            raise BadText("there is nothing to say in this text; write at least one word")
        prepared = self.prepare(request.reference)
        self._speaking[job.id] = Speaking(job, prepared, pieces, self._schedule(steps), guidance, Joiner(SAMPLE_RATE))

    @torch.inference_mode()
    def step(self, held: Collection[str] = ()) -> Sequence[Event]:
        active = [speaking for id, speaking in self._speaking.items() if id not in held]
        try:
            self._start_pieces(active)
            rows = [each for speaking in active for each in speaking.rows.values()]
            if rows:
                self._advance(rows)
            return [event for speaking in active for event in self._harvest(speaking)]
        except torch.OutOfMemoryError as error:
            torch.cuda.empty_cache()
            raise OutOfMemory(
                "the GPU has no memory left for this take; shorten the text or unload an engine"
            ) from error

    def drop(self, job_id: str) -> None:
        self._speaking.pop(job_id, None)

    def _advance(self, rows: Sequence[Row]) -> None:
        if self._velocity is None:
            raise NotReady("F5-TTS is not loaded yet; wait until it says ready")
        advance(rows, self._velocity, FRAME_BUCKET if isinstance(self._velocity, Compiled) else 1)

    def _start_pieces(self, active: Sequence[Speaking]) -> None:
        """Fill the batch, the job with the fewest rows first."""
        while (free := self._width - sum(len(s.rows) for s in self._speaking.values())) > 0:
            able = [speaking for speaking in active if speaking.may_start(self._rows_each)]
            if not able or free <= 0:
                return
            self._start(min(able, key=lambda speaking: len(speaking.rows)))

    def _start(self, speaking: Speaking) -> None:
        number, piece = speaking.started, speaking.pieces[speaking.started]
        speaking.started += 1
        if piece.is_silence:
            speaking.waves[number] = np.empty(0, np.float32)
            return
        prepared, request = speaking.prepared, speaking.job.request
        network, vocabulary = self.voice.network, self.voice.vocabulary
        stretch = not network.config.text_embedding_average_upsampling
        total = planning.frames(len(prepared.mel), prepared.transcript, piece.text, request.speed, stretch)
        tokens = vocabulary.tokens(prepared.transcript + piece.text).to(self._placement.device)
        total = max(total, len(tokens) + 1, len(prepared.mel) + 1)
        generator = torch.Generator().manual_seed(request.seed + number)
        noise = torch.randn(total, network.config.mel_dim, generator=generator).to(self._placement.device)
        speaking.rows[number] = row(network, prepared.mel, tokens, noise, speaking.plan, speaking.guidance)

    def _harvest(self, speaking: Speaking) -> Iterator[Event]:
        """Turn finished rows into sound, in order."""
        id = speaking.job.id
        for number in [number for number, active in speaking.rows.items() if active.done]:
            made = speaking.rows.pop(number).x[len(speaking.prepared.mel) :]
            wave: Samples = self.voice.vocoder(made).float().cpu().numpy() * np.float32(speaking.prepared.gain)
            if not np.isfinite(wave).all():
                yield Refused(
                    id, BadSetting("the engine made noise instead of speech; lower the guidance or use other steps")
                )
                return
            speaking.waves[number] = wave
        while speaking.heard in speaking.waves:
            piece = speaking.pieces[speaking.heard]
            ready = speaking.joiner.add(piece, speaking.waves.pop(speaking.heard))
            speaking.heard += 1
            if len(ready):
                yield Spoke(id, Audio(ready, SAMPLE_RATE))
        yield Advanced(id, speaking.fraction)
        if speaking.heard == len(speaking.pieces):
            del self._speaking[id]
            yield Finished(id)

    def _schedule(self, steps: int) -> Schedule:
        """The grid's table, kept for the few grids that are in use."""
        if steps not in self._schedules:
            self._schedules[steps] = schedule(self.voice.network, time_grid(steps, self.voice.sway))
            if len(self._schedules) > 4:
                self._schedules.popitem(last=False)
        return self._schedules[steps]
