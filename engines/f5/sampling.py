"""The time grid with everything that depends on it alone, and rows between noise and mel."""

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor

from engines.f5.network import DiT

# Empirically pruned step grids over 32 (EPSS; F5-TTS 1.1): fewer steps, placed where the flow bends.
PRUNED = {
    5: (0, 2, 4, 8, 16, 32),
    6: (0, 2, 4, 6, 8, 16, 32),
    7: (0, 2, 4, 6, 8, 16, 24, 32),
    10: (0, 2, 4, 6, 8, 12, 16, 20, 24, 28, 32),
    12: (0, 2, 4, 6, 8, 10, 12, 14, 16, 20, 24, 28, 32),
    16: (0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16, 20, 24, 28, 32),
}
Context = Callable[[Tensor, Tensor, Tensor], Tensor]  # the signature of `DiT.context`
UNGUIDED = 1e-5  # guidance below this is not computed


def time_grid(steps: int, sway: float | None = -1.0) -> Tensor:
    """Return (steps + 1,) float32 times from 0 to 1; sway moves them towards 0 (Chen et al. 2024, section 3.3)."""
    pruned = PRUNED.get(steps)
    times = torch.linspace(0, 1, steps + 1) if pruned is None else torch.tensor(pruned, dtype=torch.float32) / 32
    return times if sway is None else times + sway * (torch.cos(torch.pi / 2 * times) - 1 + times)


@dataclass(frozen=True, slots=True, eq=False)
class Schedule:
    """The values that each step of a grid needs, for one set of weights."""

    advances: Tensor  # (steps,) float32 differences between times
    modulation: Tensor  # (steps, (6 * depth + 2) * dim) of every AdaLN projection

    @property
    def steps(self) -> int:
        """Return the number of Euler steps."""
        return len(self.advances)


def make_schedule(network: DiT, times: Tensor) -> Schedule:
    """Compute the schedule of a (steps + 1,) time grid."""
    device = network.proj_out.weight.device
    return Schedule(times.diff().to(device), network.modulation(times[:-1].to(device)))


@dataclass(slots=True, eq=False)
class FlowRow:
    """A segment between noise and mel."""

    x: Tensor  # (n, mel) float32
    contexts: Tensor  # (2, n, dim): with reference and text, and without; (1, n, dim) if unguided
    schedule: Schedule
    guidance: float
    step: int = 0

    @property
    def done(self) -> bool:
        """Return True if every step is taken."""
        return self.step >= self.schedule.steps


def start_row(
    context: Context, reference: Tensor, tokens: Tensor, noise: Tensor, plan: Schedule, guidance: float
) -> FlowRow:
    """Create the row of a segment.

    reference (r, mel) is the voice's mel, tokens (t,) the ids of its transcript and the new text, noise (n, mel) with n > r.
    `context` belongs to the network of `plan`.
    """
    frames, halves = len(noise), 1 + (guidance >= UNGUIDED)
    given = reference.new_zeros(halves, frames, reference.shape[1], dtype=plan.modulation.dtype)
    given[0, : len(reference)] = reference
    hidden = torch.arange(halves, device=noise.device) > 0
    contexts = context(given, tokens.expand(halves, -1), hidden)
    return FlowRow(noise.float(), contexts, plan, guidance)
