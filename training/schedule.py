"""The learning rate by wall time: a warm-up in each call, a plateau, and a linear decay to zero at the end of the training."""

import time
from dataclasses import dataclass, field

WARM_STEPS = 150


@dataclass(slots=True)
class TrainingSchedule:
    """The times of a call, in minutes of wall time. The call covers `done` to `done + minutes` of `total`."""

    minutes: float
    total: float
    done: float
    held: float  # share of the whole training before the decay
    # Start of the call; loading counts, so that the call ends on time.
    started: float = field(default_factory=time.monotonic)
    learning_from: float = 0.0

    def begin(self) -> None:
        """Note when learning begins, before the first step."""
        self.learning_from = time.monotonic()

    def share(self) -> float:
        """Return the elapsed share of this call's learning time, 0 to 1."""
        end = self.started + 60 * self.minutes
        return min(1.0, (time.monotonic() - self.learning_from) / max(1.0, end - self.learning_from))

    def rate(self, share: float, step: int) -> float:
        """Return the factor on every learning rate, after this share and these steps of the call."""
        progress = (self.done + self.minutes * share) / max(self.total, 1e-9)
        decay = min(1.0, max(0.0, (1.0 - progress) / (1.0 - self.held)))
        return decay * min(1.0, (step + 1) / WARM_STEPS)
