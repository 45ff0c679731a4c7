"""S1-Mini behind the engine protocol: jobs become groups of sentences, each a row of frames, and frames become sound."""

import logging
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from engines import text as writing
from engines.base import Advanced, Checkpoint, EngineJob, Event, Finished, Refused, Spoke
from engines.errors import BadAudio, BadSetting, BadText, EngineError, NotReady, OutOfMemory
from engines.registry import SPECS, Device, licence
from engines.runtime.compilation import wanted
from engines.runtime.placement import Placement, place, width
from engines.runtime.quantization import stored_bytes
from engines.s1 import caches as voices
from engines.s1 import plan as planning
from engines.s1.active_request import PACKETS, Flight, Speaking
from engines.s1.codec import Past
from engines.s1.decoding import Frames, Sampling
from engines.s1.edges import Edges
from engines.s1.model import Voice, load
from engines.s1.prompt import Turn, embed
from engines.s1.references import Prepared, References
from engines.types import Audio, EngineInfo, Progress, Reference, Samples

log = logging.getLogger(__name__)

POSITIONS = 2048  # most that a row reads and writes, reference included
REDRAWS, REDRAW_STEP = 3, 1_000_003  # a first draw may be the end; then the group is drawn with another seed
NEW_WORDS_MIN_S = 1.0  # room that a reference must leave


class S1Engine:
    """Only the scheduler calls it; see `engines.base.Engine` for the protocol."""

    def __init__(self, device: Device) -> None:
        self._wish = device
        self._placement = _placed(device)
        self._width = width(device, self._placement.device)
        # A GPU draws the next frame while this one is heard; one behind a row's end is drawn in vain.
        self._ahead = self._placement.device.type == "cuda"
        self._flight: Flight | None = None
        self._voice: Voice | None = None
        self._frames: Frames | None = None
        self._speaking: dict[str, Speaking] = {}
        self._rows: list[Speaking] = []  # by slot
        self._references: References | None = None
        self._prefixes = voices.PrefixStore(device.prefix_cache_bytes)
        self._licence = ""

    # Life.

    def load(self, checkpoint: Checkpoint) -> Iterator[Progress]:
        if self._wish.threads:
            torch.set_num_threads(self._wish.threads)
        self._licence = licence("s1", checkpoint)
        device = self._placement.device
        beside = torch.device("cpu") if self._wish.encoder == "cpu" else device
        voice = self._voice = yield from load(checkpoint, self._placement, beside, self._wish.quantize)
        length = min(POSITIONS, voice.network.config.max_positions)
        compile = wanted(self._wish, device) and device.type == "cuda"  # a CPU gains nothing from fewer, larger kernels
        self._frames = Frames(voice.network, self._width, length, self._residual_size(voice), compile)
        config = voice.network.config
        sizes = [voice.network.semantic_count, *[voice.codec.config.residual_size] * (config.codebooks - 1)]
        folder = Path(self._wish.cache_dir) / "s1" / voice.codec_digest[:16] if self._wish.cache_dir else None
        store = voices.CodeStore(folder, sizes)
        self._references = References(voice, store, beside, beside != device)

    @staticmethod
    def _residual_size(voice: Voice) -> int:
        return min(voice.codec.config.residual_size, voice.network.config.codebook_size)

    @torch.inference_mode()
    def warm(self) -> Iterator[Progress]:
        """Reading, a frame for each width of the batch, and the codec's packet sizes."""
        voice, frames, device = self.voice, self.frames, self._placement.device
        past: Past = {}
        steps = [*range(1, self._width + 1), *PACKETS]
        for number, step in enumerate(steps, start=1):
            if number <= self._width:
                if not self._rows:
                    prompt = torch.zeros(8, voice.network.config.slow.dim, dtype=frames.pending.dtype, device=device)
                    frames.read(step - 1, prompt, 0)
                frames.warm(step)
            else:
                codes = torch.zeros(voice.network.config.codebooks, step, dtype=torch.long, device=device)
                voice.codec.decode(codes, past)
            yield Progress(number / len(steps), f"warming up, {number} of {len(steps)}")

    def close(self) -> None:
        if self._references is not None:
            self._references.close()
        self._voice, self._frames, self._references, self._flight = None, None, None, None
        self._speaking.clear()
        self._rows.clear()
        self._prefixes = voices.PrefixStore(self._wish.prefix_cache_bytes)
        if self._placement.device.type == "cuda":
            torch.cuda.empty_cache()

    @property
    def voice(self) -> Voice:
        if self._voice is None:
            raise NotReady("S1-Mini is not loaded yet; wait until it says ready")
        return self._voice

    @property
    def frames(self) -> Frames:
        if self._frames is None:
            raise NotReady("S1-Mini is not loaded yet; wait until it says ready")
        return self._frames

    @property
    def info(self) -> EngineInfo:
        voice, compiled = self.voice, self.frames.compiled
        defaults = voice.defaults
        return EngineInfo(
            name="s1",
            title=SPECS["s1"].title,
            checkpoint=voice.name,
            licence=self._licence,
            sample_rate=voice.codec.config.sample_rate,
            reference_max_s=SPECS["s1"].reference_max_s,
            defaults={
                "temperature": defaults.temperature,
                "top_p": defaults.top_p,
                "repetition_penalty": defaults.repetition_penalty,
            },
            vocabulary=frozenset(defaults.characters),
            markers=writing.MARKERS if defaults.markers else (),
            device=str(self._placement.device),
            rows=self._width,
            dtype=str(self._placement.dtype).removeprefix("torch."),
            parameters=sum(
                p.numel() for part in {voice.network, voice.codec, voice.encoder} for p in part.parameters()
            ),
            compiled=compiled is not None and compiled.active,
            note="" if compiled is None else compiled.note,
            pace_kept=defaults.pace_kept,
            own_pace=defaults.own_pace,
        )

    @property
    def figures(self) -> Mapping[str, float]:
        """How often a clip's codes, and a reference as the network read it, were known already."""
        codes = voices.Hits() if self._references is None else self._references.store.hits
        prefixes = self._prefixes.hits
        return {
            "codes_found": codes.found,
            "codes_missed": codes.missed,
            "prefixes_found": prefixes.found,
            "prefixes_missed": prefixes.missed,
        }

    @property
    def memory_bytes(self) -> int:
        if self._voice is None:
            return 0
        held: list[Tensor] = [*self._voice.network.parameters(), *self._voice.codec.parameters(), self.frames.cache]
        return sum(stored_bytes(tensor) for tensor in held) + self._prefixes.bytes

    # Work.

    @property
    def room(self) -> int:
        return self._width - len(self._speaking)

    @property
    def waiting(self) -> Collection[str]:
        """Jobs whose reference is still being encoded beside the scheduler."""
        return [id for id, speaking in self._speaking.items() if not speaking.prepared.codes.done()]

    def prepare(self, reference: Reference) -> Prepared:
        if self._references is None:
            raise NotReady("S1-Mini is not loaded yet; wait until it says ready")
        return self._references.prepare(reference)

    @torch.inference_mode()
    def admit(self, job: EngineJob) -> None:
        request, defaults = job.request, self.voice.defaults
        if request.speed != 1.0:
            raise BadSetting("S1-Mini speaks at the reference's own pace; set speed to 1 or use F5-TTS")
        text = request.text if defaults.markers else writing.without_markers(request.text)
        groups = planning.groups(writing.parse(text), defaults)
        if not groups:
            raise BadText("there is nothing to say in this text; write at least one word")
        sampling = Sampling(
            seed=request.seed,
            temperature=_chosen("temperature", request.temperature, defaults.temperature),
            top_p=_chosen("top_p", request.top_p, defaults.top_p),
            repetition_penalty=_chosen("repetition_penalty", request.repetition_penalty, defaults.repetition_penalty),
        )
        self._speaking[job.id] = Speaking(job, self.prepare(request.reference), groups, sampling)

    @torch.inference_mode()
    def step(self, held: Collection[str] = ()) -> Sequence[Event]:
        try:
            events = self._begin([speaking for id, speaking in self._speaking.items() if id not in held])
            flight = self._draw([speaking for speaking in self._rows if speaking.job.id not in held])
            if self._ahead:
                flight, self._flight = self._flight, flight
            return events if flight is None else [*events, *self._land(flight)]
        except torch.OutOfMemoryError as error:
            torch.cuda.empty_cache()
            raise OutOfMemory(
                "the GPU has no memory left for this take; shorten the text or unload an engine"
            ) from error

    def drop(self, job_id: str) -> None:
        speaking = self._speaking.pop(job_id, None)
        if speaking is not None and speaking.reading:
            self._leave(speaking)

    # Rows.

    def _draw(self, active: Sequence[Speaking]) -> Flight | None:
        """Send a frame of these rows on its way."""
        if not active:
            return None
        self._order(active)
        drawn = self.frames.step(len(active), max(speaking.position for speaking in active))
        for speaking in active:
            speaking.position += 1
        return Flight([(speaking, speaking.reads) for speaking in active], drawn)

    def _land(self, flight: Flight) -> list[Event]:
        events: list[Event] = []
        for (speaking, read), frame in zip(flight.rows, flight.drawn.codes(), strict=True):
            if speaking.reading and speaking.reads == read:  # neither dropped nor ended meanwhile
                events += self._follow(speaking, frame)
        return events

    def _begin(self, active: Sequence[Speaking]) -> list[Event]:
        """Give the next group of each job without a row one; silence alone is over at once."""
        events: list[Event] = []
        for speaking in active:
            if speaking.reading or not speaking.prepared.codes.done():
                continue
            if not speaking.group.text:
                events += self._group_ended(speaking)
                continue
            try:
                self._read(speaking)
            except EngineError as error:
                self.drop(speaking.job.id)
                events.append(Refused(speaking.job.id, error))
        return events

    def _read(self, speaking: Speaking) -> None:
        """Read the group's prompt into a free slot: the reference as kept, then what was said last, then the new words."""
        voice, frames, slot = self.voice, self.frames, len(self._rows)
        start = self._recall(speaking.prepared, slot)
        turns = [*([] if speaking.before is None else [speaking.before]), Turn(speaking.group.text)]
        words = embed(voice.network, voice.tokenizer, turns, opening=False)
        longest = int(speaking.group.longest_s * voice.codec.config.frame_rate)
        if speaking.before is not None and start + len(words) + longest > frames.length:
            words = embed(voice.network, voice.tokenizer, turns[-1:], opening=False)
        if start + len(words) + NEW_WORDS_MIN_S * voice.codec.config.frame_rate > frames.length:
            raise BadAudio("the reference and the text are too long together; select a shorter part of the clip")
        frames.read(slot, words[:-1], start)
        speaking.position = start + len(words) - 1
        seed = speaking.sampling.seed + speaking.number + REDRAW_STEP * speaking.redraws
        frames.begin(slot, words[-1], speaking.position, replace(speaking.sampling, seed=seed))
        speaking.reading = True
        speaking.reads += 1
        speaking.frames, speaking.decoded = [], 0
        speaking.edges = Edges(voice.codec.config.sample_rate, speaking.prepared.level_rms, speaking.group.pause_before)
        self._rows.append(speaking)

    def _recall(self, prepared: Prepared, slot: int) -> int:
        """Put what the network keeps of the reference into the slot; returns its length in positions."""
        cache = self.frames.cache
        kept = self._prefixes.get(prepared.digest)
        if kept is None:
            x = embed(self.voice.network, self.voice.tokenizer, [prepared.turn], opening=True)
            if len(x) > self.frames.length:
                raise BadAudio("the reference is too long for this checkpoint; select a shorter part of the clip")
            self.frames.read(slot, x, 0)
            self._prefixes.put(prepared.digest, cache[:, :, slot, :, : len(x)].clone())
            return len(x)
        cache[:, :, slot, :, : kept.shape[3]] = kept
        return kept.shape[3]

    def _order(self, active: Sequence[Speaking]) -> None:
        """Move rows so that those in work fill the first slots."""
        for slot, speaking in enumerate(active):
            other = self._rows.index(speaking)
            if other != slot:
                self.frames.swap(slot, other)
                self._rows[slot], self._rows[other] = self._rows[other], self._rows[slot]

    def _leave(self, speaking: Speaking) -> None:
        slot, last = self._rows.index(speaking), len(self._rows) - 1
        if slot != last:
            self.frames.swap(slot, last)
            self._rows[slot] = self._rows[last]
        self._rows.pop()
        speaking.reading = False

    # Sound.

    def _follow(self, speaking: Speaking, frame: Tensor) -> list[Event]:
        """Take a row's frame in: sound when a packet is full, the next group when this one ended."""
        ended = int(frame[0]) >= self.voice.network.semantic_count
        if not ended:
            speaking.frames.append(frame)
        seconds = len(speaking.frames) / self.voice.codec.config.frame_rate
        if not ended and (seconds >= speaking.group.longest_s or speaking.position >= self.frames.length):
            log.warning(
                "a group of %d characters had no end after %.1f s; it is cut", len(speaking.group.text), seconds
            )
            ended = True
        if ended and not speaking.frames and speaking.redraws < REDRAWS:
            speaking.redraws += 1
            self._leave(speaking)
            return []
        events: list[Event] = []
        if ended or len(speaking.frames) - speaking.decoded >= speaking.packet:
            events += self._heard(speaking, self._decoded(speaking))
        if not ended:
            share = min(0.95, seconds / speaking.group.usual_s) * speaking.group.usual_s
            whole = sum(group.usual_s for group in speaking.groups)
            return [*events, Advanced(speaking.job.id, speaking.fraction + share / whole)]
        self._leave(speaking)
        if speaking.frames:
            speaking.before = Turn(speaking.group.text, torch.stack(speaking.frames, 1))
        return [*events, *self._group_ended(speaking)]

    def _decoded(self, speaking: Speaking) -> Samples:
        """The sound of the frames that wait, edges trimmed."""
        waiting = speaking.frames[speaking.decoded :]
        if not waiting or speaking.edges is None:
            return np.empty(0, np.float32)
        speaking.decoded += len(waiting)
        speaking.packets += 1
        codes = torch.stack(waiting, 1).to(self._placement.device)
        samples: Samples = self.voice.codec.decode(codes, speaking.past).float().cpu().numpy()
        return speaking.edges.add(samples)

    def _group_ended(self, speaking: Speaking) -> list[Event]:
        group, events = speaking.group, list[Event]()
        rate = self.voice.codec.config.sample_rate
        if speaking.edges is not None:
            events += self._heard(speaking, speaking.edges.end(exact=group.pause_after_s > 0))
            speaking.edges = None
        events += self._heard(speaking, np.zeros(round(group.pause_after_s * rate), np.float32))
        speaking.number += 1
        if speaking.number == len(speaking.groups):
            del self._speaking[speaking.job.id]
            return [*events, Advanced(speaking.job.id, 1.0), Finished(speaking.job.id)]
        return [*events, Advanced(speaking.job.id, speaking.fraction)]

    def _heard(self, speaking: Speaking, samples: Samples) -> list[Event]:
        if not len(samples):
            return []
        lowered = samples * np.float32(speaking.prepared.gain)
        return [Spoke(speaking.job.id, Audio(lowered, self.voice.codec.config.sample_rate))]


def _placed(wish: Device) -> Placement:
    """As other engines, but a GPU that can computes in bfloat16, in which the published weights were trained."""
    placement = place(wish)
    able = placement.device.type == "cuda" and torch.cuda.is_bf16_supported(including_emulation=False)
    return replace(placement, dtype=torch.bfloat16) if able else placement


def _chosen(name: str, wanted: float | None, default: float) -> float:
    return default if wanted is None else SPECS["s1"].settings[name].check(name, wanted)
