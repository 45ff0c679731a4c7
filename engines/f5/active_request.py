"""A request in work: its pieces, their rows, and the sound that is ready."""

from dataclasses import dataclass, field

from engines.base import EngineJob
from engines.f5.assembly import Joiner, Piece
from engines.f5.references import F5Reference
from engines.f5.sampling import FlowRow
from engines.f5.weight_cache import BASE
from engines.runtime.transfers import Arriving
from engines.types import Samples

AHEAD = 4  # pieces of a request that may be in work beyond those delivered


@dataclass(slots=True, eq=False)
class F5ActiveRequest:
    """A request in work; its pieces are made in parallel and delivered in order.

    A piece is a row, then sound on its way from the device, then a wave that waits for those before it.
    """

    job: EngineJob
    reference: F5Reference
    pieces: list[Piece]
    speed: float
    steps: int
    guidance: float
    joiner: Joiner
    started: int = 0  # pieces given to the batch
    delivered: int = 0  # pieces
    rows: dict[int, FlowRow] = field(default_factory=dict)
    arriving: dict[int, Arriving] = field(default_factory=dict)
    waves: dict[int, Samples] = field(default_factory=dict)

    @property
    def weights(self) -> str:
        """Key in WeightCache of the weights it is spoken with."""
        return BASE if self.job.request.weights is None else self.job.request.weights.sha256

    @property
    def fraction(self) -> float:
        """How much of its steps are done, 0 to 1."""
        made = self.delivered + len(self.waves) + len(self.arriving)
        return (made + sum(each.step / self.steps for each in self.rows.values())) / len(self.pieces)

    @property
    def has_steps(self) -> bool:
        """Whether there is more to compute for it than sound that is on its way."""
        return bool(self.rows) or self.started < len(self.pieces)

    @property
    def between_pieces(self) -> bool:
        """True if no piece is in progress and more pieces remain."""
        return self.delivered == self.started < len(self.pieces)

    def may_start(self, rows_each: int) -> bool:
        """Whether another piece may join: what is heard first is made alone, since no sound can be delivered before it."""
        first = int(self.pieces[0].is_silence)  # nothing but one pause stands before what is spoken
        alone = self.job.request.live and first in self.rows
        most = min(len(self.pieces), self.delivered + len(self.arriving) + AHEAD)
        return self.started < most and len(self.rows) < rows_each and not alone
