"""Steps of packed rows do not depend on the stepper or on the other rows of the step."""

import pytest
import torch

from engines.f5.fused_stepper import FusedStepper
from engines.f5.network import DiT
from engines.f5.packing import GAP, pack
from engines.f5.sampling import FlowRow, make_schedule, start_row, time_grid
from engines.f5.stepping import EagerStepper, Flow, StepShape
from tests.engines.f5.test_parity import ROUNDING, inputs, relative
from tests.engines.f5.tuning import network

Sizes = list[tuple[int, int, int, float]]
SIZES: Sizes = [
    (40, 30, 130, 2.0),
    (25, 50, 90, 0.0),
    (60, 20, 161, 3.0),
]  # reference frames, characters, frames, guidance


@pytest.fixture(scope="module")
def flat() -> DiT:
    made = network(0).eval()
    made.flatten(torch.device("cpu"), torch.float32)
    return made


@torch.inference_mode()
def rows(of: DiT, sizes: Sizes = SIZES, steps: int = 5) -> list[FlowRow]:
    made = []
    for seed, (reference_frames, characters, frames, guidance) in enumerate(sizes):
        noise = torch.randn(frames, 100, generator=torch.Generator().manual_seed(seed))
        schedule = make_schedule(of, time_grid(steps))
        made.append(start_row(of.context, *inputs(seed, reference_frames, characters), noise, schedule, guidance))
    return made


@torch.inference_mode()
def finish(flow: Flow, wanted: list[FlowRow]) -> list[torch.Tensor]:
    while unfinished := [row for row in wanted if not row.done]:
        flow.advance(unfinished)
    return [row.x for row in wanted]


def test_queries_keys_and_values_are_one_view_of_their_weights(flat: DiT) -> None:
    attention = flat.transformer_blocks[1].attn
    parts = attention.to_q, attention.to_k, attention.to_v
    assert torch.equal(attention.weight, torch.cat([part.weight for part in parts]))
    assert torch.equal(attention.bias, torch.cat([part.bias for part in parts]))
    size = attention.to_q.weight.numel()
    with torch.inference_mode():
        for number, part in enumerate(parts):
            assert part.weight.data_ptr() == attention.weight.flatten()[number * size :].data_ptr()


def test_a_tap_of_a_convolution_is_one_matrix_in_memory(flat: DiT) -> None:
    for conv in flat.input_embed.conv_pos_embed.conv1d[::2]:
        assert conv.weight.movedim(-1, 0).is_contiguous()


def test_one_joined_product_equals_three(flat: DiT) -> None:
    apart = network(0).eval()
    together, alone = (finish(Flow(EagerStepper(each)), rows(each)) for each in (flat, apart))
    assert max(relative(a, b) for a, b in zip(together, alone, strict=True)) < ROUNDING


def test_rows_that_take_turns_continue_correctly(flat: DiT) -> None:
    flow, (one, two, three) = Flow(EagerStepper(flat)), rows(flat)
    with torch.inference_mode():
        for turn in ([one], [two, three], [one], [one, two], [two, three], [three, one]):
            flow.advance(turn)
    finish(flow, [one, two, three])
    wanted = [finish(Flow(EagerStepper(flat)), [row])[0] for row in rows(flat)]
    assert max(relative(row.x, x) for row, x in zip((one, two, three), wanted, strict=True)) < ROUNDING


def test_a_failed_step_is_repeated_from_the_same_state(flat: DiT) -> None:
    class Failing(EagerStepper):
        """Fails once, after it has changed its inputs."""

        failed = False

        def step(self, inputs):  # type: ignore[no-untyped-def]
            if not self.failed and float(inputs.advances[0]) > 0.1:
                self.failed = True
                inputs.x.zero_()
                raise torch.OutOfMemoryError
            return super().step(inputs)

    flow, found = Flow(Failing(flat)), rows(flat)
    with pytest.raises(torch.OutOfMemoryError):
        finish(flow, found)
    finish(flow, found)
    wanted = finish(Flow(EagerStepper(flat)), rows(flat))
    assert max(relative(row.x, x) for row, x in zip(found, wanted, strict=True)) < ROUNDING


def test_a_convolution_reaches_no_farther_than_the_gap_between_sequences(flat: DiT) -> None:
    assert all(conv.padding[0] <= GAP for conv in flat.input_embed.conv_pos_embed.conv1d[::2])


def test_each_frame_has_the_indices_of_its_guidance_pair() -> None:
    packed = pack([(3, 2), (2, 1)], frames=3 + GAP + 3 + GAP + 2 + 4, sequences=4)
    second, third = 3 + GAP, 2 * (3 + GAP)
    assert packed.shown[[0, 2, second, second + 2, third]].tolist() == [0, 2, 0, 2, third]
    assert packed.hidden[[0, 2, second, second + 2, third]].tolist() == [second, second + 2, second, second + 2, third]
    assert packed.starts.tolist() == [0, second, third, third + 6, third + 6]
    assert packed.lengths.tolist() == [3, 3, 2, 0]
    assert (packed.position >= 0).sum() == 3 + 3 + 2


def test_rounded_shapes_are_the_recorded_ones(flat: DiT) -> None:
    stepper = FusedStepper(flat, 8)
    stepper.use_fused()
    assert stepper.shape(StepShape(1, 2829, 2)) == (8, 2944, 2)
    assert stepper.shape(StepShape(3, 2829, 5)) == (8, 3072, 8)
    assert stepper.shape(StepShape(1, 100, 1)) == (8, 512, 2)
    assert stepper.shape(StepShape(4, 8100, 8)) == (8, 8192, 8)
    assert stepper.shape(StepShape(4, 8193, 8)) == (8, 8208, 8)  # too long for a graph
