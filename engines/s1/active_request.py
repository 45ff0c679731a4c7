"""A request in work: its groups of sentences, how far the one being drawn is, and how far each one's sound."""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from engines.base import EngineJob
from engines.s1.decode_state import Sampling
from engines.s1.edges import Edges
from engines.s1.plan import Group
from engines.s1.prompt import Turn
from engines.s1.references import S1Reference
from engines.s1.timbre import TimbreStream

PACKETS = (3, 6, 12, 24)  # frames decoded at once: the first packet early, later ones larger
PATIENCE = (0, 2, 4, 8)  # steps each packet may wait, so that more streams are decoded together
Frame = NDArray[np.int64]  # (codebooks,) codes


@dataclass(slots=True, eq=False)
class S1ActiveRequest:
    """A request in work. Its groups are drawn one after another, each in a row of its own."""

    job: EngineJob
    reference: S1Reference
    groups: list[Group]
    sampling: Sampling
    group_index: int = 0
    delivered: int = 0  # groups whose sound and following pause were sent
    redraws: int = 0  # of a group whose first frame was its end
    previous_turn: Turn | None = None  # the group drawn before
    sound: "GroupSound | None" = None  # of the group, while it is being drawn
    generation: int = 0  # rows it was given so far; a frame drawn for an earlier one is ignored
    position: int = 0  # where the row's next frame goes
    heard: bool = False  # whether any of its sound has come
    timbre: TimbreStream | None = None  # what its sound goes through, if the checkpoint asks for it
    notes: tuple[str, ...] = ()  # on groups that were cut

    @property
    def group(self) -> Group:
        """The group being drawn."""
        return self.groups[self.group_index]

    @property
    def drawn(self) -> bool:
        """Whether every group is."""
        return self.group_index == len(self.groups)

    @property
    def between_groups(self) -> bool:
        """True if no group is in progress and more groups remain."""
        return self.sound is None and self.delivered == self.group_index < len(self.groups)

    @property
    def fraction(self) -> float:
        """How much of the request is drawn by the groups that are done, 0 to 1."""
        whole = sum(group.usual_s for group in self.groups)
        done = sum(group.usual_s for group in self.groups[: self.group_index])
        return done / whole


@dataclass(slots=True, eq=False)
class GroupSound:
    """A group's frames on their way to sound."""

    request: S1ActiveRequest
    group: Group
    edges: Edges
    frames: list[Frame] = field(default_factory=list)
    ended: bool = False  # whether it has all its frames
    slot: int | None = None  # of its stream, once it has one
    decoded: int = 0  # frames that are sound already
    packets: int = 0
    waited: int = 0  # steps that its next packet is due

    @property
    def size(self) -> int:
        """Frames of its next packet, unless it ends before."""
        return PACKETS[min(self.packets, len(PACKETS) - 1)]

    @property
    def due(self) -> bool:
        """Whether its next packet can be decoded."""
        return self.ended or self.frames_due == self.size

    @property
    def frames_due(self) -> int:
        """Frames its next packet has so far."""
        return min(self.size, len(self.frames) - self.decoded)

    @property
    def patience(self) -> int:
        """Steps that its next packet may wait yet."""
        return PATIENCE[min(self.packets, len(PATIENCE) - 1)] - self.waited
