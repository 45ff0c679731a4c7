"""A request that is being spoken: its segments, their rows, and the finished audio."""

from dataclasses import dataclass, field

from engines.base import EngineJob
from engines.f5.assembly import Joiner, Piece
from engines.f5.references import F5Reference
from engines.f5.sampling import FlowRow
from engines.f5.weight_cache import BASE
from engines.runtime.transfers import AsyncHostCopy
from engines.types import Samples

AHEAD = 4  # segments of a request that may be in progress beyond the delivered ones


@dataclass(slots=True, eq=False)
class F5ActiveRequest:
    """A request that is being spoken. Its segments are generated in parallel and delivered in order.

    A segment is first a row, then audio that is copied to the host, then a waveform that waits for the segments before it.
    """

    job: EngineJob
    reference: F5Reference
    pieces: list[Piece]
    speed: float
    steps: int
    guidance: float
    joiner: Joiner
    started: int = 0  # segments given to the batch
    delivered: int = 0  # segments
    rows: dict[int, FlowRow] = field(default_factory=dict)
    arriving: dict[int, AsyncHostCopy] = field(default_factory=dict)
    waves: dict[int, Samples] = field(default_factory=dict)
    cancelled: bool = False  # the scheduler drops the request before the next step; any thread may set this

    @property
    def weights(self) -> str:
        """Return the key of its weights in WeightCache."""
        return BASE if self.job.request.weights is None else self.job.request.weights.sha256

    @property
    def fraction(self) -> float:
        """Return how much of its steps is done, 0 to 1."""
        made = self.delivered + len(self.waves) + len(self.arriving)
        return (made + sum(each.step / self.steps for each in self.rows.values())) / len(self.pieces)

    @property
    def has_steps(self) -> bool:
        """Return True if it needs more steps, rather than only audio that is being copied."""
        return bool(self.rows) or self.started < len(self.pieces)

    @property
    def between_segments(self) -> bool:
        """Return True if no segment is in progress and more segments remain."""
        return self.delivered == self.started < len(self.pieces)

    def may_start(self, rows_each: int) -> bool:
        """Return True if another segment may start. A live request first generates its first spoken segment alone."""
        first = int(self.pieces[0].is_silence)  # only a single pause can precede the first spoken segment
        alone = self.job.request.live and first in self.rows
        most = min(len(self.pieces), self.delivered + len(self.arriving) + AHEAD)
        return self.started < most and len(self.rows) < rows_each and not alone
