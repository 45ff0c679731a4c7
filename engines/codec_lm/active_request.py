"""A request that is being spoken: its groups of sentences, and the progress of frames and audio."""

from concurrent.futures import Future
from dataclasses import dataclass, field

import numpy as np
from torch import Tensor

from engines.base import EngineJob
from engines.codec_lm.decode_state import Sampling
from engines.codec_lm.edges import Edges, Untrimmed
from engines.codec_lm.frames import Codes, FrameFormat
from engines.codec_lm.plan import Group
from engines.codec_lm.prompts import PromptFormat, Turn
from engines.codec_lm.references import EncodedReference
from engines.codec_lm.streaming import PacketFilter
from engines.codec_lm.voice_generation import VoiceGeneration

VOICE_SHARE = 0.1  # share of the progress that the generation of a designed voice takes
PATIENCE = (0, 2, 4, 8)  # steps that each packet may wait, so that more streams are decoded together


@dataclass(slots=True, eq=False)
class ActiveRequest:
    """A request that is being spoken. Its groups are generated one after another, each in a new row."""

    job: EngineJob
    reference: EncodedReference
    prompt: PromptFormat
    groups: list[Group]
    sampling: Sampling
    voice: VoiceGeneration | None = None  # generates a designed voice; `reference.codes` is its future
    performance: Future[Tensor] | None = None  # codes of a recording that is spoken in place of generated ones
    group_index: int = 0
    delivered: int = 0  # groups whose audio and following pause were sent
    redraws: int = 0  # restarts of a group whose first frame was its end
    previous_turn: Turn | None = None  # the previous group
    sound: "GroupAudio | None" = None  # of the current group
    generation: int = 0  # number of rows used so far; codes of earlier rows are ignored
    position: int = 0  # position of the row's next step
    heard: bool = False  # True once some of its audio was delivered
    filter: PacketFilter | None = None  # of its audio, if the checkpoint needs one
    notes: tuple[str, ...] = ()  # about groups that were cut

    @property
    def encoded(self) -> bool:
        """Return True if the codes of its clips are known."""
        return self.reference.codes.done() and (self.performance is None or self.performance.done())

    @property
    def designing(self) -> bool:
        """Return True if its voice is still being generated."""
        return self.voice is not None and not self.voice.codes.done()

    def generate_voice(self) -> float:
        """Generate a token of its voice; after the last one, use its prompts. Return the progress of the request, 0 to 1."""
        if self.voice is None:
            return 0.0
        self.voice.step()
        if self.voice.codes.done():
            self.prompt = self.voice.prompt
        return VOICE_SHARE * self.voice.progress

    @property
    def voice_codes(self) -> tuple[int, ...]:
        """Return the codes of its designed voice; empty if it has none."""
        return () if self.voice is None else tuple(self.voice.codes.result()[1:, 0].tolist())

    @property
    def group(self) -> Group:
        """Return the current group."""
        return self.groups[self.group_index]

    @property
    def drawn(self) -> bool:
        """Return True if all groups are generated."""
        return self.group_index == len(self.groups)

    @property
    def between_groups(self) -> bool:
        """Return True if no group is in progress and more groups remain."""
        return self.sound is None and self.delivered == self.group_index < len(self.groups)

    def progress(self, group_s: float = 0.0) -> float:
        """Return the progress, 0 to 1, after all earlier groups and `group_s` seconds of the current one."""
        whole = sum(group.usual_s for group in self.groups)
        spoken = (sum(group.usual_s for group in self.groups[: self.group_index]) + group_s) / whole
        return spoken if self.voice is None else VOICE_SHARE + (1 - VOICE_SHARE) * spoken


@dataclass(slots=True, eq=False)
class GroupAudio:
    """The frames of a group, from generation to delivered audio."""

    request: ActiveRequest
    group: Group
    edges: Edges | Untrimmed
    format: FrameFormat
    voice: Codes  # with which each of its frames ends
    first_size: int  # frames of its first packet
    unfinished: list[Codes] = field(default_factory=list)  # steps of the frame in progress
    frames: list[Codes] = field(default_factory=list)
    ended: bool = False  # True if it has all its frames; the codes of an incomplete frame are dropped
    slot: int | None = None  # of its codec stream, once it has one
    decoded: int = 0  # frames that were decoded to audio
    packets: int = 0
    waited: int = 0  # steps for which its next packet has waited

    @property
    def step_count(self) -> int:
        """Return the decode steps so far."""
        return len(self.frames) * self.format.steps_per_frame + len(self.unfinished)

    def add(self, codes: Codes) -> None:
        """Add the codes of a decode step."""
        self.unfinished.append(codes)
        if len(self.unfinished) == self.format.steps_per_frame:
            self.frames.append(np.concatenate([*self.unfinished, self.voice]))
            self.unfinished.clear()

    @property
    def size(self) -> int:
        """Return the frames of its next packet, unless the group ends before."""
        sizes = self.format.packets
        return sizes[min(self.packets, len(sizes) - 1)] if self.packets else self.first_size

    @property
    def due(self) -> bool:
        """Return True if its next packet can be decoded."""
        return self.ended or self.frames_due == self.size

    @property
    def frames_due(self) -> int:
        """Return the frames that its next packet has so far."""
        return min(self.size, len(self.frames) - self.decoded)

    @property
    def patience(self) -> int:
        """Return how many more steps its next packet may wait."""
        return PATIENCE[min(self.packets, len(PATIENCE) - 1)] - self.waited
