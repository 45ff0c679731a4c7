"""The learning rate by wall time: a warm-up of each call, a plateau, and a linear decay to zero at the end of the whole."""

import time
from dataclasses import dataclass, field

WARM_STEPS = 150


@dataclass(slots=True)
class TrainingSchedule:
    """Minutes are of wall time: this call covers `done` to `done + minutes` of `total`."""

    minutes: float
    total: float
    done: float
    held: float  # share of the whole before the decay
    started: float = field(default_factory=time.monotonic)  # of the call: loading counts, so that it ends on time
    learning_from: float = 0.0

    def begin(self) -> None:
        """The first step follows."""
        self.learning_from = time.monotonic()

    def share(self) -> float:
        """0 to 1 of this call's learning time."""
        end = self.started + 60 * self.minutes
        return min(1.0, (time.monotonic() - self.learning_from) / max(1.0, end - self.learning_from))

    def rate(self, share: float, step: int) -> float:
        """Factor on every learning rate after this share of the call and these steps of it."""
        progress = (self.done + self.minutes * share) / max(self.total, 1e-9)
        decay = min(1.0, max(0.0, (1.0 - progress) / (1.0 - self.held)))
        return decay * min(1.0, (step + 1) / WARM_STEPS)
