"""Distillation: a copy of a trained DiT learns in one pass what guidance takes two for, and in one step what takes two.

After Meng et al. 2023 (arXiv:2210.03142): the student's velocity is the teacher's guided one, averaged over two half steps
of the grid that the studio samples on by default. It then speaks as well without guidance, at half the cost.
"""

from dataclasses import dataclass
from pathlib import Path

import torch
from torch import Tensor

from engines.f5.network import DiT
from engines.f5.sampling import time_grid
from training.f5.batches import MelBatch
from training.f5.checkpoint import load_dit
from training.f5.flow import FlowTask, chances, draw, spread, sway

FREE = 0.2  # share of rows at any time, as one of FINE steps, so that other grids go on working
FINE = 32
DROPPED = 0.1  # share of rows that learn the teacher's velocity without reference and text


@dataclass(frozen=True, slots=True)
class Teacher:
    model: DiT
    guidance: float
    grid: Tensor  # (steps + 1,) times on the device

    @classmethod
    def of(cls, model: DiT, guidance: float, steps: int, device: torch.device) -> "Teacher":
        return cls(model.requires_grad_(False), guidance, time_grid(steps).to(device))

    def interval(self, rows: int, generator: torch.Generator) -> tuple[Tensor, Tensor]:
        """(rows,) start and end of a step."""
        place = spread(rows, generator)
        step = (place * (len(self.grid) - 1)).long().clamp(max=len(self.grid) - 2)
        free = chances(rows, generator) < FREE
        place = place * (1 - 1 / FINE)
        start = torch.where(free, sway(place), self.grid[step])
        return start, torch.where(free, sway(place + 1 / FINE), self.grid[step + 1])

    @torch.no_grad()
    def velocity(self, task: FlowTask, start: Tensor, end: Tensor, dropped: Tensor) -> Tensor:
        """The mean velocity of two guided half steps from the rows' places at `start`."""
        shown, hidden = torch.zeros_like(dropped), torch.ones_like(dropped)
        context = torch.cat([task.context(self.model, drop, drop) for drop in (shown, hidden)])
        strength = torch.where(dropped, -1.0, self.guidance)[:, None, None]  # -1 leaves the unconditional half alone
        first = self._guided(task.at(start), context, start, strength)
        half = ((end - start) / 2)[:, None, None]
        second = self._guided(task.at(start) + half * first, context, (start + end) / 2, strength)
        return (first + second) / 2

    def _guided(self, x: Tensor, context: Tensor, times: Tensor, strength: Tensor) -> Tensor:
        flows = self.model(x.repeat(2, 1, 1), context, self.model.modulation(times).repeat(2, 1))
        shown, hidden = flows.float().chunk(2)
        return shown + strength * (shown - hidden)


@torch.no_grad()
def add_learned(model: DiT, folder: Path, sign: int) -> None:
    """Add, or take back, what the student of an earlier call's folder learned beyond its own teacher."""
    flow, student = load_dit(folder / "flow"), load_dit(folder / "student")
    for name, parameter in model.named_parameters():
        parameter.add_((student[name] - flow[name]).to(parameter.device), alpha=sign)


def loss(model: DiT, teacher: Teacher, bank: Tensor, batch: MelBatch, generator: torch.Generator) -> Tensor:
    """Mean squared distance from the teacher's guided velocity over the masked frames."""
    task = draw(bank, batch, generator)
    start, end = teacher.interval(len(task.target), generator)
    dropped = chances(len(task.target), generator) < DROPPED
    with torch.autocast(bank.device.type, torch.bfloat16, enabled=bank.is_cuda):
        wanted = teacher.velocity(task, start, end, dropped)
        velocity = model(task.at(start), task.context(model, dropped, dropped), model.modulation(start))
    return task.distance(velocity, wanted)
