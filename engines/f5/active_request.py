"""A request in work: its pieces, their rows, and the sound that is ready."""

from dataclasses import dataclass, field

from engines.base import EngineJob
from engines.f5.assembly import Joiner, Piece
from engines.f5.references import F5Reference
from engines.f5.sampling import FlowRow
from engines.f5.weight_cache import BASE
from engines.types import Samples

AHEAD = 4  # pieces of a request that may be in work beyond those delivered


@dataclass(slots=True, eq=False)
class F5ActiveRequest:
    """A request in work; its pieces are made in parallel and delivered in order."""

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
    waves: dict[int, Samples] = field(default_factory=dict)

    @property
    def weights(self) -> str:
        """Key in WeightCache of the weights it is spoken with."""
        return BASE if self.job.request.weights is None else self.job.request.weights.sha256

    @property
    def fraction(self) -> float:
        """How much of its steps are done, 0 to 1."""
        steps = self.delivered + len(self.waves) + sum(each.step / self.steps for each in self.rows.values())
        return steps / len(self.pieces)

    def may_start(self, rows_each: int) -> bool:
        """Whether another piece may join: the first is made alone, since no sound can be delivered before it."""
        alone = self.started > 0 and self.delivered == 0 and not self.pieces[0].is_silence
        return self.started < min(len(self.pieces), self.delivered + AHEAD) and len(self.rows) < rows_each and not alone
