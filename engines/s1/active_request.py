"""A job in work, and its frames on their way to the host."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from torch import Tensor

from engines.base import EngineJob
from engines.s1.codec import Past
from engines.s1.decoding import Drawn, Sampling
from engines.s1.edges import Edges
from engines.s1.plan import Group
from engines.s1.prompt import Turn
from engines.s1.references import Prepared

PACKETS = (3, 6, 12, 24)  # frames decoded at once: the first early, later ones larger


@dataclass(slots=True, eq=False)
class Speaking:
    """A job in work. Its groups are spoken one after another by one row."""

    job: EngineJob
    prepared: Prepared
    groups: list[Group]
    sampling: Sampling
    past: Past = field(default_factory=dict)
    number: int = 0  # of the group in work
    redraws: int = 0  # of a group whose first draw was its end
    before: Turn | None = None  # the group spoken before it
    reading: bool = False  # whether the group in work has a row
    reads: int = 0  # how often one got a row
    position: int = 0  # where its next frame goes
    frames: list[Tensor] = field(default_factory=list)  # of the group in work
    decoded: int = 0  # of those
    packets: int = 0  # made since the job began
    edges: Edges | None = None

    @property
    def group(self) -> Group:
        return self.groups[self.number]

    @property
    def fraction(self) -> float:
        whole = sum(group.usual_s for group in self.groups)
        done = sum(group.usual_s for group in self.groups[: self.number])
        return done / whole

    @property
    def packet(self) -> int:
        """Frames of the next packet."""
        return PACKETS[min(self.packets, len(PACKETS) - 1)]


@dataclass(frozen=True, slots=True, eq=False)
class Flight:
    """A frame on its way to the host."""

    rows: Sequence[tuple[Speaking, int]]  # with the read it belongs to
    drawn: Drawn
