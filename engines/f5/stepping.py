"""Euler steps along the flow, with classifier-free guidance, of many rows in one pass of the network."""

from collections.abc import Sequence
from typing import NamedTuple, Protocol

import torch
import torch.nn.functional as F
from torch import Tensor

from engines.f5.network import DiT
from engines.f5.packing import GAP, Packing, needed_frames, pack
from engines.f5.sampling import FlowRow
from engines.runtime.transfers import sent


class StepInputs(NamedTuple):
    """What a step of several rows computes with."""

    x: Tensor  # (n, mel) float32
    context: Tensor  # (n, dim)
    modulation: Tensor  # (rows, (6 * depth + 2) * dim)
    advances: Tensor  # (rows,) float32 from this time to the next
    guidance: Tensor  # (rows,) float32
    packing: Packing


class StepShape(NamedTuple):
    """Sizes of a step's inputs; some of each may be empty."""

    rows: int
    frames: int
    sequences: int


def euler_step(network: DiT, inputs: StepInputs) -> Tensor:
    """(n, mel) one step along the flow of every row."""
    packing = inputs.packing
    x = inputs.x.to(inputs.context.dtype)
    flow = network(x[None], inputs.context[None], inputs.modulation, packing)[0].float()
    shown, hidden = flow[packing.shown], flow[packing.hidden]
    guided = shown + (shown - hidden) * inputs.guidance[packing.row, None]
    inside = packing.position[:, None] >= 0
    return inputs.x + inputs.advances[packing.row, None] * guided * inside


class Stepper(Protocol):
    """How a network's work is computed: as it is written, or compiled, steps for shapes that are rounded up."""

    def context(self, reference: Tensor, tokens: Tensor, drop_text: Tensor) -> Tensor:
        """The result of `DiT.context`."""
        ...

    def shape(self, needed: StepShape) -> StepShape:
        """What a step that needs these sizes is given."""
        ...

    def place(self, inputs: StepInputs) -> StepInputs:
        """The inputs where `step` computes with them."""
        ...

    def step(self, inputs: StepInputs) -> Tensor:
        """The result of `euler_step`, which is the caller's."""
        ...


class EagerStepper:
    """Computes each step as it is written, in just the shape it needs."""

    def __init__(self, network: DiT) -> None:
        self._network = network

    def context(self, reference: Tensor, tokens: Tensor, drop_text: Tensor) -> Tensor:
        return self._network.context(reference, tokens, drop_text)

    def shape(self, needed: StepShape) -> StepShape:
        return needed

    def place(self, inputs: StepInputs) -> StepInputs:
        return inputs

    def step(self, inputs: StepInputs) -> Tensor:
        return euler_step(self._network, inputs)


class Flow:
    """Takes rows along the flow together; they may be at different steps and of different lengths."""

    def __init__(self, stepper: Stepper) -> None:
        self._stepper = stepper
        self._packed: tuple[Sequence[FlowRow], StepInputs] | None = None  # as the last step left them

    def advance(self, rows: Sequence[FlowRow]) -> None:
        """One Euler step of every row."""
        inputs = self._inputs(rows)
        schedules = [(row.schedule, row.step) for row in rows]
        torch.stack([plan.modulation[step] for plan, step in schedules], out=inputs.modulation[: len(rows)])
        torch.stack([plan.advances[step] for plan, step in schedules], out=inputs.advances[: len(rows)])
        x = self._stepper.step(inputs)
        inputs.x.copy_(x)
        start = 0
        for row in rows:
            row.x = x[start : start + len(row.x)]
            start += (len(row.x) + GAP) * len(row.contexts)
            row.step += 1
        if not any(row.done for row in rows):
            self._packed = list(rows), inputs

    def _inputs(self, rows: Sequence[FlowRow]) -> StepInputs:
        """Those of the last step if the same rows took it, else anew."""
        packed, self._packed = self._packed, None  # a step that fails leaves the inputs as nobody knows
        if packed is not None and packed[0] == list(rows):
            return packed[1]
        return self._stepper.place(self._gather(rows))

    def _gather(self, rows: Sequence[FlowRow]) -> StepInputs:
        """Rows one behind another; their times are still to be filled in."""
        sizes = [(len(row.x), len(row.contexts)) for row in rows]
        needed = StepShape(len(rows), needed_frames(sizes), sum(halves for _, halves in sizes))
        shape = self._stepper.shape(needed)
        x, modulation = rows[0].x, rows[0].schedule.modulation
        guidance = torch.tensor([row.guidance for row in rows] + [0.0] * (shape.rows - len(rows)))
        return StepInputs(
            _lined_up([row.x for row in rows for _ in row.contexts], shape.frames),
            _lined_up([half for row in rows for half in row.contexts], shape.frames),
            modulation.new_zeros(shape.rows, modulation.shape[1]),
            x.new_zeros(shape.rows),
            sent(guidance, x.device),
            pack(sizes, shape.frames, shape.sequences).to(x.device),
        )


def _lined_up(sequences: Sequence[Tensor], frames: int) -> Tensor:
    """(n, d) each -> (frames, d), zero between and behind them."""
    joined = torch.cat([F.pad(each, (0, 0, 0, GAP)) for each in sequences])[:frames]
    return F.pad(joined, (0, 0, 0, frames - len(joined)))
