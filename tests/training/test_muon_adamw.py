"""The optimizer of F5 and of S1's language model."""

import pytest
import torch
from torch import Tensor, nn

from training.muon_adamw import MuonAdamW


@pytest.fixture
def model() -> nn.Linear:
    torch.manual_seed(0)
    return nn.Linear(4, 4)


def step(model: nn.Linear, optimizer: MuonAdamW, loss: Tensor) -> None:
    model.zero_grad()
    torch.autograd.backward(loss)
    optimizer.step(1.0)


def optimizer_of(model: nn.Linear) -> MuonAdamW:
    return MuonAdamW(list(model.parameters()), [model.weight], (0.01, 1e-3), betas=(0.9, 0.99))


def test_a_step_that_is_not_finite_teaches_nothing_and_the_next_one_does(model: nn.Linear) -> None:
    optimizer, x = optimizer_of(model), torch.randn(3, 4)
    bias = model.bias.detach().clone()
    step(model, optimizer, model(x).sum() * float("nan"))
    assert torch.equal(model.bias, bias)
    assert bool(torch.isfinite(model.weight).all())
    before = model.weight.detach().clone()
    step(model, optimizer, model(x).sum())
    assert not torch.equal(model.bias, bias)
    assert bool((model.weight != before).any() and torch.isfinite(model.weight).all())
