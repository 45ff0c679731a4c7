"""One optimizer that uses Muon for the matrices in the blocks, and AdamW for all other parameters."""

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor, nn

from training.muon import Muon


class MuonAdamW:
    """Muon for `matrices`, which are part of `parameters`, and AdamW for all other parameters."""

    def __init__(
        self,
        parameters: Sequence[nn.Parameter],
        matrices: Sequence[nn.Parameter],
        rates: tuple[float, float],
        betas: tuple[float, float],
    ) -> None:
        self.parameters = list(parameters)
        chosen = {id(parameter) for parameter in matrices}
        rest = [parameter for parameter in self.parameters if id(parameter) not in chosen]
        self.muon_rate, self.adam_rate = rates
        self.muon = Muon(matrices)
        self.adam: Any = torch.optim.AdamW(rest, lr=self.adam_rate, betas=betas, weight_decay=0.01, fused=True)

    @property
    def gradients(self) -> list[Tensor]:
        return [parameter.grad for parameter in self.parameters if parameter.grad is not None]

    def step(self, factor: float) -> Tensor:
        """Make a step with both rates times `factor` and gradients clipped to norm 1. Return the norm before clipping.

        If a gradient is not finite, the step uses no gradients.
        """
        norm = nn.utils.clip_grad_norm_(self.parameters, 1.0, foreach=True)
        finite = torch.isfinite(norm)
        self.adam.param_groups[0]["lr"] = self.adam_rate * factor
        self.adam.found_inf = (~finite).float()
        self.adam.step()
        self.muon.step(self.muon_rate * factor, finite)
        return norm.detach()

    def state(self) -> dict[str, object]:
        return {"adam": self.adam.state_dict(), "muon": self.muon.state()}

    def restore(self, state: dict[str, dict[str, Tensor]]) -> None:
        """Restore the optimizer from the output of `state`, which may contain further entries."""
        self.adam.load_state_dict(state["adam"])
        self.muon.restore(state["muon"])
