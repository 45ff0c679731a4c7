"""Muon (Jordan et al. 2024) for many matrices of few shapes. Matrices of equal shape are orthogonalised together."""

from collections.abc import Iterable

import torch
from torch import Tensor, nn

COEFFICIENTS = (3.4445, -4.7750, 2.0315)  # coefficients of the quintic Newton-Schulz iteration


def orthogonalise(matrices: Tensor, rounds: int = 5) -> Tensor:
    """Return approximately the nearest semi-orthogonal matrices in bfloat16: (k, m, n) -> (k, m, n)."""
    a, b, c = COEFFICIENTS
    wide = matrices.shape[1] <= matrices.shape[2]
    x = (matrices if wide else matrices.mT).bfloat16()
    x = x / (x.norm(dim=(1, 2), keepdim=True) + 1e-7)
    for _ in range(rounds):
        square = x @ x.mT
        x = a * x + (b * square + c * (square @ square)) @ x
    return x if wide else x.mT


class Muon:
    """Muon with Nesterov momentum 0.95 and decoupled weight decay. The rate is scaled by sqrt(max(1, rows / columns))."""

    def __init__(self, parameters: Iterable[nn.Parameter], momentum: float = 0.95, decay: float = 0.05) -> None:
        self.groups: dict[tuple[int, ...], list[nn.Parameter]] = {}
        for parameter in parameters:
            self.groups.setdefault(tuple(parameter.shape), []).append(parameter)
        self.velocity = {
            shape: torch.zeros(len(group), *shape, device=group[0].device) for shape, group in self.groups.items()
        }
        self.momentum, self.decay = momentum, decay

    @torch.no_grad()
    def step(self, rate: float, finite: Tensor) -> None:
        """Make a step. If `finite` is False, gradients count as zero. `finite` is a () bool that stays on the device."""
        for shape, group in self.groups.items():
            gradient = torch.stack([parameter.grad for parameter in group if parameter.grad is not None])
            gradient = torch.where(finite, gradient, 0.0)
            velocity = self.velocity[shape].lerp_(gradient, 1 - self.momentum)
            update = orthogonalise(gradient.lerp(velocity, self.momentum)).float()
            scale = rate * max(1.0, shape[0] / shape[1]) ** 0.5
            matrices: list[Tensor] = list(group)
            torch._foreach_mul_(matrices, 1 - rate * self.decay)
            torch._foreach_add_(matrices, list(update.unbind(0)), alpha=-scale)

    def state(self) -> dict[str, Tensor]:
        return {f"{rows}x{columns}": velocity for (rows, columns), velocity in self.velocity.items()}

    def restore(self, state: dict[str, Tensor]) -> None:
        for (rows, columns), velocity in self.velocity.items():
            velocity.copy_(state[f"{rows}x{columns}"])
