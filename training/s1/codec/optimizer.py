"""AdamW for the codec and its CTC head, with a moving average of both."""

import copy
import math
from typing import Any

import torch
from torch import Tensor, nn

from training.parallel import ProcessGroup
from training.s1.codec import quantization
from training.s1.codec.options import CodecOptions

WARM_STEPS = 200
LOWEST = 0.03  # the lowest share of the learning rate


class CodecOptimizer:
    """AdamW. Codebooks follow running means instead (`quantization.py`)."""

    def __init__(self, model: Any, head: nn.Module, group: ProcessGroup, options: CodecOptions) -> None:
        self.group, self.learning_rate, self.held = group, options.learning_rate, options.held
        for level in quantization.levels(model):
            level.codebook.weight.requires_grad_(False)
        if options.decoder_only:
            model.requires_grad_(False)
            for part in (model.decoder, model.quantizer.upsample, model.quantizer.post_module):
                part.requires_grad_(True)
            head.requires_grad_(False)
        live = nn.ModuleDict({"codec": model, "head": head})
        self.averaged = copy.deepcopy(live).requires_grad_(False).eval()
        self.parameters = [parameter.data for parameter in live.parameters()]
        self.averages = [parameter.data for parameter in self.averaged.parameters()]
        self.trained = [parameter for parameter in live.parameters() if parameter.requires_grad]
        for parameter in self.trained:
            parameter.grad = torch.zeros_like(parameter)
        self.adam: Any = torch.optim.AdamW(self.trained, betas=(0.8, 0.98), weight_decay=0.0, fused=True)

    def step(self, loss: Tensor, progress: float, warm_steps: int) -> Tensor:
        """Make a step, unless a gradient is not finite. Return the norm of the gradients."""
        rate = self._rate(progress, warm_steps)
        for group in self.adam.param_groups:
            group["lr"] = rate
        # Keep all gradients, because every GPU must exchange the same list in each step.
        self.adam.zero_grad(set_to_none=False)
        torch.autograd.backward(loss)
        self.group.average([parameter.grad for parameter in self.trained if parameter.grad is not None])
        norm = nn.utils.clip_grad_norm_(self.trained, 1.0, foreach=True)
        self.adam.found_inf = (~torch.isfinite(norm)).float()
        self.adam.step()
        return norm.detach()

    def _rate(self, progress: float, warm_steps: int) -> float:
        """Return the learning rate: a warm-up in each call and after the quantiser starts, a plateau, and a cosine decay."""
        return self.learning_rate * min(1.0, (warm_steps + 1) / WARM_STEPS) * self.share(progress)

    def share(self, progress: float) -> float:
        """Return the factor on the learning rate after this share of the training."""
        fall = max(0.0, (progress - self.held) / (1 - self.held))
        return LOWEST + (1 - LOWEST) * 0.5 * (1 + math.cos(math.pi * fall))

    @torch.no_grad()
    def average(self, step: int) -> None:
        """Move the averages towards the parameters. `step` counts over the whole training."""
        decay = min(0.999, (1 + step) / (10 + step))
        torch._foreach_lerp_(self.averages, self.parameters, 1 - decay)

    @torch.no_grad()
    def restart_average(self) -> None:
        torch._foreach_copy_(self.averages, self.parameters)

    def state(self) -> dict[str, Any]:
        return {"optimizer": self.adam.state_dict(), "averages": list(self.averages)}

    @torch.no_grad()
    def restore(self, state: dict[str, Any]) -> None:
        self.adam.load_state_dict(state["optimizer"])
        torch._foreach_copy_(self.averages, state["averages"])
