"""What a distilled voice learns is what the studio's sampler does with guidance."""

from pathlib import Path

import pytest
import torch
from torch import Tensor

from engines.f5.config import DiTConfig
from engines.f5.network import DiT
from engines.f5.sampling import make_schedule, start_row
from engines.f5.stepping import EagerStepper, Flow
from training.f5.batches import MelBatch
from training.f5.distillation import Teacher, loss
from training.f5.flow import FlowTask
from training.f5.options import FlowOptions

FRAMES, KNOWN = 40, 16


def network() -> DiT:
    torch.manual_seed(0)
    config = DiTConfig(
        vocabulary_size=35, dim=32, depth=2, heads=1, text_dim=32, text_embedding_average_upsampling=True
    )
    return DiT(config).eval()


def task() -> FlowTask:
    generator = torch.Generator().manual_seed(1)
    target, noise = (torch.randn(1, FRAMES, 100, generator=generator) for _ in range(2))
    masked = torch.arange(FRAMES)[None, :] >= KNOWN
    return FlowTask(target, noise, masked, torch.arange(1, 21)[None, :])


def teacher_of(model: DiT, guidance: float = 2.0, parts: int = 2) -> Teacher:
    options = FlowOptions(data=Path(), out=Path(), minutes=1.0, guidance=guidance, parts=parts)
    return Teacher.of(model, options, torch.device("cpu"))


def sampled(model: DiT, start: Tensor, end: Tensor, parts: int) -> Tensor:
    """The mean velocity of the sampler's guided steps between two times."""
    given = task()
    times = start + (end - start) * torch.arange(parts + 1) / parts
    plan, flow = make_schedule(model, times), Flow(EagerStepper(model))
    way = start_row(model.context, given.target[0, :KNOWN], given.tokens[0], given.at(start)[0], plan, 2.0)
    while not way.done:
        flow.advance([way])
    return (way.x - given.at(start)[0]) / (end - start)


@pytest.mark.parametrize("parts", [1, 2, 3])
def test_the_teacher_is_the_guided_sampler(parts: int) -> None:
    model = network()
    teacher = teacher_of(model, parts=parts)
    start, end = teacher.grid[3:4], teacher.grid[4:5]
    made = teacher.velocity(task(), start, end, torch.tensor([False]))[0]
    torch.testing.assert_close(made, sampled(model, start, end, parts), rtol=1e-3, atol=1e-3)


def test_rows_without_text_learn_the_unguided_velocity() -> None:
    model = network()
    teacher = teacher_of(model)
    start, end, hidden = teacher.grid[:1], teacher.grid[:1], torch.tensor([True])
    made = teacher.velocity(task(), start, end, hidden)
    own = model(task().at(start), task().context(model, hidden, hidden), model.modulation(start))
    torch.testing.assert_close(made, own)


def test_a_student_that_is_its_teacher_without_guidance_loses_little() -> None:
    """With no guidance to learn only the parts of a step differ."""
    model = network()
    teacher = teacher_of(model, guidance=0.0)
    bank = torch.randn(200, 100)
    batch = MelBatch(torch.arange(128).view(2, 64), torch.randint(1, 35, (2, 32)), torch.tensor([[20, 64], [30, 64]]))
    assert loss(model, teacher, bank, batch, torch.Generator().manual_seed(2)) < 0.05
