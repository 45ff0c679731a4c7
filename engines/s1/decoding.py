"""Decode steps: the next frame of many rows at once. Rows join and leave between steps and never disturb each other."""

from collections.abc import Callable, Iterator
from functools import cached_property
from typing import TYPE_CHECKING

import torch
from torch import Tensor

from engines.runtime.backends import Selection
from engines.runtime.compilation import Compiled, Graphs
from engines.runtime.launching import Plans
from engines.runtime.transfers import Arriving
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
    """Draws frames for the rows of its DecodeState, by torch or, compiled, by kernels of our own."""

    def __init__(self, state: DecodeState, compile: bool = False) -> None:
        """`compile` allows backends other than PyTorch; on CUDA each number of rows is recorded as one graph."""
        self.state = state
        conditions = S1Conditions.of(state, compile=compile)
        self._for_one, self._for_many = selections(conditions)
        self.prefiller = Prefiller(state, Selection(PREFILL, conditions))
        graphed = self._for_many.name == "triton"
        self._graphs = Graphs(self._draw_fused, self.state.changing) if graphed else None
        self.compiled = Compiled(self.draw, self._graphs, self._fail) if self._graphs is not None else None
        self._alone: ResidentFrame | None = None  # what draws a row that is alone, once it is ready

    @property
    def choices(self) -> tuple[BackendChoice, ...]:
        """The backends in use."""
        return self._for_one.choice, self._for_many.choice, self.prefiller.selection.choice

    @property
    def uses_numba(self) -> bool:
        """Return True if kernels that numba compiles draw the frames, which `draw_by` takes once they are compiled."""
        return self._for_one.name == "numba"

    def draw_by(self, draw: Callable[..., Tensor]) -> None:
        """Have frames drawn by this, which changes the state as `draw` does; should it fail, by torch again."""
        self.compiled = Compiled(self.draw, draw, self._fail)

    def _fail(self, error: Exception) -> None:
        """Use PyTorch from now on."""
        for selection in (self._for_one, self._for_many):
            while selection.name != "torch":
                selection.fail(error)

    def _draw_fused(self, rows: int) -> Tensor:
        return self._fused.draw(rows) if rows > 1 or self._alone is None else self._alone.draw()

    @cached_property
    def resident(self) -> "ResidentFrame | None":
        """One kernel for frames of a row alone, where they are compiled and this GPU and network can have it."""
        if self._for_one.name != "resident":
            return None
        from engines.s1.resident.frame import ResidentFrame

        return ResidentFrame(self.state, on_failure=self._for_one.fail)

    @cached_property
    def _fused(self) -> "FusedDecoder":
        from engines.s1.fused import FusedDecoder  # it imports Triton, which comes with CUDA's torch alone

        return FusedDecoder(self.state)

    def fills_device(self, rows: int) -> bool:
        """Whether a step of this many rows leaves other work of the device next to nothing of it while it lasts."""
        return rows == 1 and self._alone is not None and self.compiled is not None and self.compiled.active

    def step(self, rows: int, longest: int) -> Arriving:
        """`draw`, compiled if this many rows were warmed, on its way to the host."""
        draw = (
            self.draw
            if self.compiled is None or (self._graphs is not None and rows not in self._graphs)
            else self.compiled
        )
        return Arriving(draw(rows, longest))

    @torch.inference_mode()
    def kernels(self) -> Iterator[Plans]:
        """What is started for any number of rows, to be compiled before they are warmed, part by part."""
        if self._graphs is not None:
            for power in range(self._alone is not None, (self.state.rows - 1).bit_length() + 1):
                yield self._graphs.kernels(min(1 << power, self.state.rows))

    @torch.inference_mode()
    def warm(self, rows: int) -> None:
        """Make ready for this many rows; those in work stay where they are."""
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
        """Draw the next frame of slots 0..rows-1, none of which is past position `longest`.

        (rows, codebooks) semantic and residual codes; a semantic code of `semantic_count` ends that row's speech.
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
        # The first frame knows no past; afterwards zeros stand in it until the window is full, as upstream's do.
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
        """Make a drawn (rows, codebooks) frame the rows' next input and their newest past."""
        state = self.state
        state.pending[:rows] = state.network.embed_frames(frame)
        # A row past its end stays inside.
        state.positions[:rows] = (state.positions[:rows] + 1).clamp(max=state.length - 1)
        numbers = state.numbers[:rows]
        shifted = torch.cat((state.recent[:rows, :, 1:], frame[:, :, None]), 2)
        state.recent[:rows] = torch.where(numbers[:, None, None] > 0, shifted, state.recent[:rows])
        state.numbers[:rows] += 1


def _oldest(recent: Tensor, numbers: Tensor) -> Tensor:
    """(b, 1) the semantic code the penalty falls on, or -1.

    Upstream hands the penalty a column of its history, one frame's codes, where the row of semantic codes was meant. Of that,
    the logits that can be sampled leave the oldest frame's semantic code. The published weights were judged with it, and
    a penalty on all sixteen would cut held sounds short, so it stays.
    """
    known = numbers - 1  # the first frame is not part of upstream's history
    index = (WINDOW - known).clamp(min=0, max=WINDOW - 1)
    return torch.where(known[:, None] > 0, recent.gather(1, index[:, None]), -1)
