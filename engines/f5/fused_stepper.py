"""Euler steps with Triton kernels, recorded as one CUDA graph for each likely shape."""

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial

import torch
from torch import Tensor

from engines.f5.network import DiT
from engines.f5.packing import Packing
from engines.f5.stepping import StepInputs, StepShape, euler_step
from engines.runtime.compilation import FRAME_BUCKET, CudaGraphCache, WithEagerFallback, warn_of_failure
from engines.runtime.launching import ALIGNED, KernelPlans, collect_launches
from engines.runtime.powers import next_power_of_two

log = logging.getLogger(__name__)

SHORTEST, LONGEST = 256, 2048  # mean frames of a sequence in the recorded shapes
MOST_FRAMES = 8192  # of a recorded shape: for longer steps, the device needs more time than the launches


class FusedStepper:
    """Computes with PyTorch until `use_fused`; then a step of a recorded shape is one graph launch."""

    def __init__(self, network: DiT, rows: int, on_failure: Callable[[Exception], None] = warn_of_failure) -> None:
        """Create a stepper for at most `rows` rows; the network is on a GPU. `on_failure` gets the error of a kernel."""
        # Partials, not bound methods: a reference cycle would keep device memory after the engine is closed.
        self._eager = eager = partial(euler_step, network)
        self._compiled = compiled = WithEagerFallback(eager, partial(_fused_step, network), on_failure)
        context = WithEagerFallback(network.context, partial(fused_context, network), on_failure)
        self._network, self._context = network, context
        self._rows, self._ready = rows, False
        self._held = held = _zeros(network, rows)
        self._graphs = CudaGraphCache(lambda shape: compiled(_part(held, shape)), ())
        self._last: torch.cuda.Event | None = None

    @property
    def active(self) -> bool:
        """Return True if steps use the Triton kernels."""
        return self._compiled.active

    @property
    def note(self) -> str:
        """Return a sentence that says why the Triton kernels are not used; empty if they are."""
        return self._compiled.note

    @property
    def memory_bytes(self) -> int:
        """Return the bytes of the inputs that graphs read."""
        return sum(each.nbytes for each in _tensors(self._held))

    def kernels(self) -> KernelPlans:
        """Return the kernels that the start of a row and a step launch, so that they can be compiled beforehand."""
        shape = next(self.likely_shapes())
        with collect_launches() as plans:
            self._context(*_nothing(self._network))
        with _emptied(_part(self._held, shape).packing):
            return plans | self._graphs.kernels(shape)

    def use_fused(self) -> None:
        """Use the Triton kernels from the next step on."""
        self._ready = True

    def likely_shapes(self) -> Iterator[StepShape]:
        """Yield the shapes to `record`, the most likely first."""
        sequences = 2
        while sequences < 4 * self._rows and SHORTEST * sequences <= MOST_FRAMES:
            least, most = SHORTEST * sequences, min(MOST_FRAMES, LONGEST * sequences)
            for frames in range(least, most + 1, FRAME_BUCKET * sequences):
                yield StepShape(self._rows, frames, sequences)
            sequences *= 2

    def record(self, shape: StepShape) -> bool:
        """Record the graph of a shape; return False if that fails, so that the caller does not try more shapes."""
        try:
            with _emptied(_part(self._held, shape).packing):
                self._graphs.record(shape)
        except Exception as error:  # out of memory, or an operation that cannot be recorded
            log.warning(
                "recording a graph of %d frames failed (%s); such steps launch each kernel", shape.frames, error
            )
            return False
        return True

    def context(self, reference: Tensor, tokens: Tensor, drop_text: Tensor) -> Tensor:
        made: Tensor = (self._context if self._ready else self._network.context)(reference, tokens, drop_text)
        return made

    def shape(self, needed: StepShape) -> StepShape:
        if not self._ready:
            return needed
        sequences = next_power_of_two(needed.sequences, 2)
        # A step that is too long for a graph is rounded up only to what the kernels are specialised for.
        recorded = needed.frames <= MOST_FRAMES
        least, bucket = (SHORTEST * sequences, FRAME_BUCKET * sequences) if recorded else (0, ALIGNED)
        return StepShape(self._rows, max(least, -(-needed.frames // bucket) * bucket), sequences)

    def place(self, inputs: StepInputs) -> StepInputs:
        if not self._ready:
            return inputs
        shape = _shape(inputs)
        if shape not in self._graphs:
            return inputs._replace(packing=inputs.packing._replace(spans=()))
        placed = _part(self._held, shape)
        for place, value in zip(_tensors(placed), _tensors(inputs), strict=True):
            place.copy_(value)
        return placed

    def step(self, inputs: StepInputs) -> Tensor:
        if inputs.packing.spans:
            x = self._eager(inputs)
        elif inputs.guidance is self._held.guidance:
            x = self._graphs(_shape(inputs)).clone()
        else:
            x = self._compiled(inputs)
        self._pace()
        return x

    def _pace(self) -> None:
        """Wait for the previous step, so that at most one step is queued and a cancelled request ends within one step."""
        if self._held.x.is_cuda:
            before, self._last = self._last, torch.cuda.Event()  # type: ignore[no-untyped-call]
            self._last.record()
            if before is not None:
                before.synchronize()


def _fused_step(network: DiT, inputs: StepInputs) -> Tensor:
    from engines.f5.fused import fused_step  # imports Triton, which only CUDA builds of torch bring

    return fused_step(network, inputs)


def fused_context(network: DiT, reference: Tensor, tokens: Tensor, drop_text: Tensor) -> Tensor:
    """Compute the same as `DiT.context`, with Triton kernels for the text."""
    from engines.f5.fused_text import fused_block

    return network.context(reference, tokens, drop_text, fused_block)


def _nothing(network: DiT) -> tuple[Tensor, Tensor, Tensor]:
    """Return the smallest inputs of `DiT.context`, for collecting kernels."""
    weight = network.proj_out.weight
    reference = weight.new_zeros(1, SHORTEST, network.config.mel_dim)
    tokens, dropped = torch.ones(1, 2, dtype=torch.long), torch.zeros(1, dtype=torch.bool)
    return reference, tokens.to(weight.device), dropped.to(weight.device)


def _zeros(network: DiT, rows: int) -> StepInputs:
    config, weight = network.config, network.proj_out.weight
    numbers = partial(torch.zeros, device=weight.device)
    position, row, shown, hidden = numbers(4, MOST_FRAMES, dtype=torch.long).unbind()
    starts, lengths = (numbers(MOST_FRAMES // SHORTEST + more, dtype=torch.int32) for more in (1, 0))
    return StepInputs(
        numbers(MOST_FRAMES, config.mel_dim),
        numbers(MOST_FRAMES, config.dim, dtype=weight.dtype),
        numbers(rows, (6 * config.depth + 2) * config.dim, dtype=weight.dtype),
        numbers(rows),
        numbers(rows),
        Packing(position, row, shown, hidden, starts, lengths, ()),
    )


def _shape(inputs: StepInputs) -> StepShape:
    return StepShape(len(inputs.guidance), len(inputs.x), len(inputs.packing.lengths))


def _part(held: StepInputs, shape: StepShape) -> StepInputs:
    """Return the start of the held inputs, with the sizes of the shape."""
    _, frames, sequences = shape
    whole = held.packing
    position, row, shown, hidden = (each[:frames] for each in whole[:4])
    packing = Packing(position, row, shown, hidden, whole.starts[: sequences + 1], whole.lengths[:sequences], ())
    return held._replace(x=held.x[:frames], context=held.context[:frames], packing=packing)


@contextmanager
def _emptied(packing: Packing) -> Iterator[None]:
    """Set the indices of the current step to zero, because a shorter shape cannot hold them; restore them at the end."""
    before = [each.clone() for each in packing[:6]]
    for each in packing[:6]:
        each.zero_()
    try:
        yield
    finally:
        for each, held in zip(packing[:6], before, strict=True):
            each.copy_(held)


def _tensors(inputs: StepInputs) -> list[Tensor]:
    return [*inputs[:5], *inputs.packing[:6]]
