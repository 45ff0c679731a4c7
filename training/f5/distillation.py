"""Distillation: a copy of a trained DiT learns guidance in one pass instead of two, and several steps in one step.

After Meng et al. 2023 (arXiv:2210.03142): the student's velocity is the teacher's guided velocity, averaged over equal parts
of a step of the student's sampling grid. The student has equal quality without guidance, in fewer steps.
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
from training.f5.options import FlowOptions

FREE = 0.2  # share of rows with a random start and a step of 1 / FINE, for other grids
FINE = 32
DROPPED = 0.1  # share of rows that learn the teacher's velocity without reference and text


@dataclass(frozen=True, slots=True)
class Teacher:
    model: DiT
    guidance: float
    grid: Tensor  # (steps + 1,) times of the student's grid, on the device
    parts: int  # number of the teacher's steps in a step of the student

    @classmethod
    def of(cls, model: DiT, options: FlowOptions, device: torch.device) -> "Teacher":
        grid = time_grid(options.sampling_steps).to(device)
        return cls(model.requires_grad_(False), options.guidance, grid, options.parts)

    def interval(self, rows: int, generator: torch.Generator) -> tuple[Tensor, Tensor]:
        """Return start and end (rows,) of a step for each row."""
        place = spread(rows, generator)
        step = (place * (len(self.grid) - 1)).long().clamp(max=len(self.grid) - 2)
        free = chances(rows, generator) < FREE
        place = place * (1 - 1 / FINE)
        start = torch.where(free, sway(place), self.grid[step])
        return start, torch.where(free, sway(place + 1 / FINE), self.grid[step + 1])

    @torch.no_grad()
    def velocity(self, task: FlowTask, start: Tensor, end: Tensor, dropped: Tensor) -> Tensor:
        """Return the mean velocity of the guided steps from `start` to `end`."""
        shown, hidden = torch.zeros_like(dropped), torch.ones_like(dropped)
        context = torch.cat([task.context(self.model, drop, drop) for drop in (shown, hidden)])
        strength = torch.where(dropped, -1.0, self.guidance)[:, None, None]  # -1 leaves only the unconditional half
        place, part = task.at(start), (end - start) / self.parts
        total = torch.zeros_like(place)
        for number in range(self.parts):
            velocity = self._guided(place, context, start + number * part, strength)
            place = place + part[:, None, None] * velocity
            total += velocity
        return total / self.parts

    def _guided(self, x: Tensor, context: Tensor, times: Tensor, strength: Tensor) -> Tensor:
        flows = self.model(x.repeat(2, 1, 1), context, self.model.modulation(times).repeat(2, 1))
        shown, hidden = flows.float().chunk(2)
        return shown + strength * (shown - hidden)


@torch.no_grad()
def add_learned(model: DiT, folder: Path, sign: int) -> None:
    """Add the difference of student and teacher of an earlier run to the model; a `sign` of -1 subtracts it."""
    flow, student = load_dit(folder / "flow"), load_dit(folder / "student")
    for name, parameter in model.named_parameters():
        parameter.add_((student[name] - flow[name]).to(parameter.device), alpha=sign)


def loss(model: DiT, teacher: Teacher, bank: Tensor, batch: MelBatch, generator: torch.Generator) -> Tensor:
    """Return the mean squared distance to the teacher's guided velocity over the masked frames."""
    task = draw(bank, batch, generator)
    start, end = teacher.interval(len(task.target), generator)
    dropped = chances(len(task.target), generator) < DROPPED
    with torch.autocast(bank.device.type, torch.bfloat16, enabled=bank.is_cuda):
        wanted = teacher.velocity(task, start, end, dropped)
        velocity = model(task.at(start), task.context(model, dropped, dropped), model.modulation(start))
    return task.distance(velocity, wanted)
