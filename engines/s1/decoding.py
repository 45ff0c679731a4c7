"""Decode steps: the next frame of many rows at once. Rows join and leave between steps without affecting each other."""

from collections.abc import Callable, Iterator
from functools import cached_property
from typing import TYPE_CHECKING

import torch
from torch import Tensor

from engines.runtime.backends import Selection
from engines.runtime.compilation import CudaGraphCache, WithEagerFallback
from engines.runtime.launching import KernelPlans
from engines.runtime.transfers import AsyncHostCopy
from engines.s1.backends import PREFILL, S1Conditions, selections
from engines.s1.constants import WINDOW
from engines.s1.decode_state import DecodeState
from engines.s1.noise import exponential, frame_keys
from engines.s1.prefill import Prefiller
from engines.s1.sampling import choose, penalise
from engines.types import BackendChoice

if TYPE_CHECKING:
    from engines.s1.fused import FusedDecoder
    from engines.s1.resident.frame import ResidentFrame


class Decoder:
    """Generates frames for the rows of its DecodeState, with PyTorch or compiled kernels."""

    def __init__(self, state: DecodeState, compile: bool = False) -> None:
        """Create a decoder; `compile` allows backends other than PyTorch. On CUDA each number of rows has its graph."""
        self.state = state
        conditions = S1Conditions.of(state, compile=compile)
        self._for_one, self._for_many = selections(conditions)
        self.prefiller = Prefiller(state, Selection(PREFILL, conditions))
        graphed = self._for_many.name == "triton"
        self._graphs = CudaGraphCache(self._draw_fused, self.state.changing) if graphed else None
        self.compiled = WithEagerFallback(self.draw, self._graphs, self._fail) if self._graphs is not None else None
        self._alone: ResidentFrame | None = None  # the persistent kernel for a single row, once it is loaded

    @property
    def choices(self) -> tuple[BackendChoice, ...]:
        """Return the backends in use."""
        return self._for_one.choice, self._for_many.choice, self.prefiller.selection.choice

    @property
    def uses_numba(self) -> bool:
        """Return True if numba kernels generate the frames; `set_backend` takes them once they are compiled."""
        return self._for_one.name == "numba"

    def set_backend(self, draw: Callable[..., Tensor]) -> None:
        """Use `draw` as the decode backend; fall back to PyTorch if it raises."""
        self.compiled = WithEagerFallback(self.draw, draw, self._fail)

    def _fail(self, error: Exception) -> None:
        """Use PyTorch from now on."""
        for selection in (self._for_one, self._for_many):
            while selection.name != "torch":
                selection.fail(error)

    def _draw_fused(self, rows: int) -> Tensor:
        return self._fused.draw(rows) if rows > 1 or self._alone is None else self._alone.draw()

    @cached_property
    def resident(self) -> "ResidentFrame | None":
        """The persistent kernel for a single row; None without compilation or if GPU or network do not support it."""
        if self._for_one.name != "resident":
            return None
        from engines.s1.resident.frame import ResidentFrame

        return ResidentFrame(self.state, on_failure=self._for_one.fail)

    @cached_property
    def _fused(self) -> "FusedDecoder":
        from engines.s1.fused import FusedDecoder  # imports Triton, which only CUDA builds of torch bring

        return FusedDecoder(self.state)

    def saturates_gpu(self, rows: int) -> bool:
        """Return True if a step with this many rows occupies almost the whole GPU."""
        return rows == 1 and self._alone is not None and self.compiled is not None and self.compiled.active

    def step(self, rows: int, longest: int) -> AsyncHostCopy:
        """Call `draw`, compiled if this many rows were warmed, and start to copy the frames to the host."""
        draw = (
            self.draw
            if self.compiled is None or (self._graphs is not None and rows not in self._graphs)
            else self.compiled
        )
        return AsyncHostCopy(draw(rows, longest))

    @torch.inference_mode()
    def kernels(self) -> Iterator[KernelPlans]:
        """Yield the kernels that decode steps launch, so that they can be compiled before warm-up."""
        if self._graphs is not None:
            for power in range(self._alone is not None, (self.state.rows - 1).bit_length() + 1):
                yield self._graphs.kernels(min(1 << power, self.state.rows))

    @torch.inference_mode()
    def warm(self, rows: int) -> None:
        """Prepare steps of this many rows, without changing active rows."""
        if rows == 1 and self.resident is not None and self.resident.load():
            self._alone = self.resident
        changing = self.state.changing
        before = [tensor.clone() for tensor in changing]
        if self._graphs is not None and self.compiled is not None:
            self.compiled(rows, self.state.length - 1)
        self.step(rows, self.state.length - 1).value()
        for tensor, held in zip(changing, before, strict=True):
            tensor.copy_(held)

    @torch.inference_mode()
    def draw(self, rows: int, longest: int) -> Tensor:
        """Generate the next frame of slots 0..rows-1, none of which is past position `longest`.

        Returns (rows, codebooks) semantic and residual codes; the semantic code `semantic_count` ends that row's speech.
        """
        state, network = self.state, self.state.network
        positions = state.positions[:rows]
        cache = state.cache[:, :, :rows, :, : longest + 1]
        hidden = network.forward_slow(state.pending[:rows, None], positions[:, None], cache)[:, 0]
        temperature, top_p, penalty = (setting[:rows] for setting in state.settings)
        recent, numbers = state.recent[:rows], state.numbers[:rows]
        keys = frame_keys(state.seeds[:rows], numbers)

        logits = penalise(network.semantic_logits(hidden).float(), _oldest(recent[:, 0], numbers), penalty)
        semantic = choose(logits, exponential(keys, 0, logits.shape[-1]), temperature, top_p)
        spoken = semantic.clamp(max=network.semantic_count - 1)
        codes = [spoken]
        x = torch.stack((network.fast_project_in(hidden), network.fast_embeddings(spoken)), 1)
        # The first frame has no history; after it, zeros fill the window, as in upstream.
        known = torch.where(numbers[:, None, None] > 0, recent, -1)
        codebooks = torch.arange(1, network.config.codebooks, device=keys.device)
        noise = exponential(keys[:, None], codebooks, min(state.residual_size, network.config.codebook_size))
        for codebook in range(1, network.config.codebooks):
            first = 0 if codebook == 1 else codebook
            logits = network.forward_fast(x, first, state.fast_cache[:, :, :rows])[:, : state.residual_size].float()
            logits = penalise(logits, known[:, codebook], penalty)
            code = choose(logits, noise[:, codebook - 1], temperature, top_p)
            codes.append(code)
            x = network.fast_embeddings(code)[:, None]
        frame = torch.stack(codes, 1)
        self._advance(rows, frame)
        return torch.cat((semantic[:, None], frame[:, 1:]), 1)

    def _advance(self, rows: int, frame: Tensor) -> None:
        """Make a generated (rows, codebooks) frame the rows' next input and append it to their history."""
        state = self.state
        state.pending[:rows] = state.network.embed_frames(frame)
        # A row past its end stays within the cache.
        state.positions[:rows] = (state.positions[:rows] + 1).clamp(max=state.length - 1)
        numbers = state.numbers[:rows]
        shifted = torch.cat((state.recent[:rows, :, 1:], frame[:, :, None]), 2)
        state.recent[:rows] = torch.where(numbers[:, None, None] > 0, shifted, state.recent[:rows])
        state.numbers[:rows] += 1


def _oldest(recent: Tensor, numbers: Tensor) -> Tensor:
    """Return the (b, 1) semantic code that the penalty applies to, or -1.

    Upstream passes a column of its history (one frame's codes) to the penalty instead of the row of semantic codes. Of these,
    only the oldest frame's semantic code can be sampled. The published weights were evaluated with this behaviour, and a
    penalty on all sixteen codes would shorten sustained sounds, so it stays.
    """
    known = numbers - 1  # upstream's history does not include the first frame
    index = (WINDOW - known).clamp(min=0, max=WINDOW - 1)
    return torch.where(known[:, None] > 0, recent.gather(1, index[:, None]), -1)
