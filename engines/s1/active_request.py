"""A request in work: its groups of sentences, and how far the one being spoken is."""

from dataclasses import dataclass, field

from torch import Tensor

from engines.base import EngineJob
from engines.s1.codec_layers import CodecState
from engines.s1.decode_state import Sampling
from engines.s1.edges import Edges
from engines.s1.plan import Group
from engines.s1.prompt import Turn
from engines.s1.references import S1Reference

PACKETS = (3, 6, 12, 24)  # frames decoded at once: the first packet early, later ones larger


@dataclass(slots=True, eq=False)
class S1ActiveRequest:
    """A request in work. Its groups are spoken one after another, each in a row of its own."""

    job: EngineJob
    reference: S1Reference
    groups: list[Group]
    sampling: Sampling
    codec_state: CodecState = field(default_factory=dict)
    group_index: int = 0
    redraws: int = 0  # of a group whose first frame was its end
    previous_turn: Turn | None = None  # the group spoken before
    has_row: bool = False  # whether the group is being decoded
    generation: int = 0  # rows it was given so far; a frame drawn for an earlier one is ignored
    position: int = 0  # where the row's next frame goes
    frames: list[Tensor] = field(default_factory=list)  # (codebooks,) codes each, of the group
    decoded: int = 0  # frames of the group that are sound already
    packets: int = 0  # of sound, since the request began
    edges: Edges | None = None

    @property
    def group(self) -> Group:
        """The group being spoken."""
        return self.groups[self.group_index]

    @property
    def fraction(self) -> float:
        """How much of the request is spoken by the groups that are done, 0 to 1."""
        whole = sum(group.usual_s for group in self.groups)
        done = sum(group.usual_s for group in self.groups[: self.group_index])
        return done / whole

    @property
    def packet_frames(self) -> int:
        """Frames of the next packet of sound."""
        return PACKETS[min(self.packets, len(PACKETS) - 1)]
