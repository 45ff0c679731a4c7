"""Exponential moving average of a model's parameters, which is evaluated and exported."""

import torch
from torch import nn


class WeightAverage:
    """The moving average of a model's parameters, with decay `keep`, at first lower. Buffers are not averaged."""

    def __init__(self, model: nn.Module, keep: float) -> None:
        self.keep = keep
        self.live = dict(model.named_parameters())
        self.mean = {name: parameter.detach().clone() for name, parameter in self.live.items()}

    @torch.no_grad()
    def update(self, step: int) -> None:
        """Update the average after a step of the optimizer; `step` counts from the start of the training."""
        keep = min(self.keep, (1 + step) / (10 + step))
        torch._foreach_lerp_(list(self.mean.values()), [p.detach() for p in self.live.values()], 1 - keep)

    @torch.no_grad()
    def swap(self) -> None:
        """Exchange average and live values. Call this before and after an evaluation."""
        for name, parameter in self.live.items():
            kept = parameter.detach().clone()
            parameter.copy_(self.mean[name])
            self.mean[name].copy_(kept)
