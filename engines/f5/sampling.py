"""From noise to mel: Euler steps along the flow, with classifier-free guidance, for many rows at once."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence

from engines.f5.network import DiT

# Empirically pruned grids over 32 (EPSS; F5-TTS 1.1): fewer steps, spent where the flow bends.
PRUNED = {
    5: (0, 2, 4, 8, 16, 32),
    6: (0, 2, 4, 6, 8, 16, 32),
    7: (0, 2, 4, 6, 8, 16, 24, 32),
    10: (0, 2, 4, 6, 8, 12, 16, 20, 24, 28, 32),
    12: (0, 2, 4, 6, 8, 10, 12, 14, 16, 20, 24, 28, 32),
    16: (0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16, 20, 24, 28, 32),
}
UNGUIDED = 1e-5  # below this strength the unconditional half is not worth computing

Velocity = Callable[[Tensor, Tensor, Tensor, Tensor | None], Tensor]


def time_grid(steps: int, sway: float | None = -1.0) -> Tensor:
    """(steps + 1,) float32 times from 0 to 1; sway bends them towards 0 (Chen et al. 2024, section 3.3)."""
    pruned = PRUNED.get(steps)
    times = torch.linspace(0, 1, steps + 1) if pruned is None else torch.tensor(pruned, dtype=torch.float32) / 32
    return times if sway is None else times + sway * (torch.cos(torch.pi / 2 * times) - 1 + times)


@dataclass(frozen=True, slots=True, eq=False)
class Schedule:
    """A grid and every AdaLN projection along it."""

    times: Tensor  # (steps + 1,) on the CPU
    modulation: Tensor  # (steps, (6 * depth + 2) * dim) on the device

    @property
    def steps(self) -> int:
        """Number of Euler steps."""
        return len(self.times) - 1


def make_schedule(network: DiT, times: Tensor) -> Schedule:
    """The projections at the start of each step of a (steps + 1,) time grid."""
    device = network.proj_out.weight.device
    return Schedule(times, network.modulation(times[:-1].to(device)))


@dataclass(slots=True, eq=False)
class FlowRow:
    """One chunk on its way from noise to mel."""

    x: Tensor  # (n, mel) float32
    contexts: Tensor  # (2, n, dim): conditional, unconditional
    schedule: Schedule
    guidance: float
    step: int = 0

    @property
    def done(self) -> bool:
        """Whether every step is taken."""
        return self.step >= self.schedule.steps


def start_row(
    network: DiT, reference: Tensor, tokens: Tensor, noise: Tensor, plan: Schedule, guidance: float
) -> FlowRow:
    """Set up a chunk.

    reference (r, mel) is the voice's mel, tokens (t,) the ids of its transcript and the new text, noise (n, mel) with n > r.
    """
    frames = len(noise)
    dtype = network.proj_out.weight.dtype
    padded = reference.new_zeros(1, frames, reference.shape[1])
    padded[0, : len(reference)] = reference
    dropped = torch.tensor([False, True], device=noise.device)
    lengths = torch.full((2,), frames, device=noise.device)
    both = padded.to(dtype).expand(2, -1, -1)
    contexts = network.context(both, tokens.expand(2, -1), lengths, dropped, dropped)
    return FlowRow(noise.float(), contexts, plan, guidance)


def advance(rows: Sequence[FlowRow], velocity: Velocity, frame_bucket: int = 1) -> None:
    """One Euler step of every row, in one pass of the network; rows may be at different steps and of different lengths.

    frame_bucket rounds the padded length up, so that a compiled `velocity` sees few shapes.
    """
    lengths = torch.tensor([len(row.x) for row in rows])
    widest = -(-int(lengths.max()) // frame_bucket) * frame_bucket
    unequal = bool((lengths != widest).any())
    dtype, device = rows[0].contexts.dtype, rows[0].x.device
    guided = any(row.guidance >= UNGUIDED for row in rows)
    halves = 2 if guided else 1
    x = _pad([row.x.to(dtype) for row in rows], widest).repeat(halves, 1, 1)
    context = torch.cat([_pad([row.contexts[half] for row in rows], widest) for half in range(halves)])
    modulation = torch.stack([row.schedule.modulation[row.step] for row in rows]).repeat(halves, 1)
    mask = lengths.to(device).repeat(halves) if unequal else None
    flows = velocity(x, context, modulation, mask).float().chunk(halves)
    for index, row in enumerate(rows):
        flow = flows[0][index, : len(row.x)]
        if row.guidance >= UNGUIDED:
            flow = flow + (flow - flows[1][index, : len(row.x)]) * row.guidance
        times = row.schedule.times
        row.x = row.x + (times[row.step + 1] - times[row.step]).item() * flow
        row.step += 1


def _pad(tensors: Sequence[Tensor], frames: int) -> Tensor:
    batch = pad_sequence(list(tensors), batch_first=True)
    return torch.nn.functional.pad(batch, (0, 0, 0, frames - batch.shape[1]))
