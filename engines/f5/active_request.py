"""A job in work: its pieces, their rows, and what of them is ready to be heard."""

from dataclasses import dataclass, field

from engines.base import EngineJob
from engines.f5.assembly import Joiner, Piece
from engines.f5.references import F5Reference
from engines.f5.sampling import FlowRow
from engines.f5.weight_cache import BASE
from engines.types import Samples

AHEAD = 4  # pieces of one job in work before the one that is heard next


@dataclass(slots=True, eq=False)
class F5ActiveRequest:
    job: EngineJob
    prepared: F5Reference
    pieces: list[Piece]
    steps: int
    guidance: float
    joiner: Joiner
    started: int = 0  # pieces given to the batch
    heard: int = 0  # pieces delivered
    rows: dict[int, FlowRow] = field(default_factory=dict)
    waves: dict[int, Samples] = field(default_factory=dict)

    @property
    def weights(self) -> str:
        """The set it is spoken with, by its key in WeightCache."""
        return BASE if self.job.request.weights is None else self.job.request.weights.sha256

    @property
    def fraction(self) -> float:
        steps = self.heard + len(self.waves) + sum(each.step / self.steps for each in self.rows.values())
        return steps / len(self.pieces)

    def may_start(self, rows_each: int) -> bool:
        """Whether another piece may join: the first is made alone, since nothing is heard before it."""
        alone = self.started > 0 and self.heard == 0 and not self.pieces[0].is_silence
        return self.started < min(len(self.pieces), self.heard + AHEAD) and len(self.rows) < rows_each and not alone
