"""Take Euler steps along the flow, with classifier-free guidance, for many rows in one pass of the network."""

from collections.abc import Sequence
from typing import NamedTuple, Protocol

import torch
import torch.nn.functional as F
from torch import Tensor

from engines.f5.network import DiT
from engines.f5.packing import GAP, Packing, needed_frames, pack
from engines.f5.sampling import FlowRow
from engines.runtime.transfers import to_device


class StepInputs(NamedTuple):
    """The inputs of one step of several rows."""

    x: Tensor  # (n, mel) float32
    context: Tensor  # (n, dim)
    modulation: Tensor  # (rows, (6 * depth + 2) * dim)
    advances: Tensor  # (rows,) float32 difference to the next time
    guidance: Tensor  # (rows,) float32
    packing: Packing


class StepShape(NamedTuple):
    """Sizes of a step's inputs; some rows, frames and sequences may be empty."""

    rows: int
    frames: int
    sequences: int


def euler_step(network: DiT, inputs: StepInputs) -> Tensor:
    """Take one Euler step of every row: (n, mel)."""
    packing = inputs.packing
    x = inputs.x.to(inputs.context.dtype)
    flow = network(x[None], inputs.context[None], inputs.modulation, packing)[0].float()
    shown, hidden = flow[packing.shown], flow[packing.hidden]
    guided = shown + (shown - hidden) * inputs.guidance[packing.row, None]
    inside = packing.position[:, None] >= 0
    return inputs.x + inputs.advances[packing.row, None] * guided * inside


class Stepper(Protocol):
    """Computes the network's work, with PyTorch or with compiled kernels; compiled steps round shapes up."""

    def context(self, reference: Tensor, tokens: Tensor, drop_text: Tensor) -> Tensor:
        """Return the result of `DiT.context`."""
        ...

    def shape(self, needed: StepShape) -> StepShape:
        """Return the shape that a step of these sizes uses."""
        ...

    def place(self, inputs: StepInputs) -> StepInputs:
        """Return the inputs in the memory that `step` reads."""
        ...

    def step(self, inputs: StepInputs) -> Tensor:
        """Return the result of `euler_step` as a new tensor."""
        ...


class EagerStepper:
    """Computes each step with PyTorch, in the shape that it needs."""

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
    """Steps rows along the flow together; the rows may be at different steps and have different lengths."""

    def __init__(self, stepper: Stepper) -> None:
        self._stepper = stepper
        self._packed: tuple[Sequence[FlowRow], StepInputs] | None = None  # after the last step

    def advance(self, rows: Sequence[FlowRow]) -> None:
        """Take one Euler step of every row."""
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
        """Reuse the previous step's inputs if the batch is unchanged; otherwise rebuild them."""
        packed, self._packed = self._packed, None  # after a failed step, the inputs are undefined
        if packed is not None and packed[0] == list(rows):
            return packed[1]
        return self._stepper.place(self._gather(rows))

    def _gather(self, rows: Sequence[FlowRow]) -> StepInputs:
        """Pack rows into inputs; the caller fills in their times."""
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
            to_device(guidance, x.device),
            pack(sizes, shape.frames, shape.sequences).to(x.device),
        )


def _lined_up(sequences: Sequence[Tensor], frames: int) -> Tensor:
    """Concatenate (n, d) each to (frames, d), with zeros between and after them."""
    joined = torch.cat([F.pad(each, (0, 0, 0, GAP)) for each in sequences])[:frames]
    return F.pad(joined, (0, 0, 0, frames - len(joined)))
