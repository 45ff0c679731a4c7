"""The decode step of S1: one frame of every row, by the slow and the fast stack."""

from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING

import torch
from torch import Tensor

from engines.codec_lm.constants import WINDOW
from engines.codec_lm.cpu_compiling import CpuCompiling
from engines.codec_lm.decode_state import DecodeState
from engines.codec_lm.decoding import Decoder
from engines.codec_lm.noise import exponential, frame_keys
from engines.codec_lm.sampling import choose, penalise
from engines.codec_lm.stepping import BackgroundCompiler, SingleRowKernel
from engines.s1.backends import S1Conditions, selections
from engines.s1.network import DualAR
from engines.types import BackendChoice

if TYPE_CHECKING:
    from engines.s1.cpu_decoder import CpuDecoder
    from engines.s1.fused import FusedFrame

CPU_KERNELS = "engines.s1.cpu_kernels"


class DualARStep:
    """Generates frames for the rows of a DecodeState, and selects the backend; `engines.codec_lm.stepping` describes it."""

    def __init__(self, network: DualAR, state: DecodeState, compile: bool = False) -> None:
        self._network, self._state = network, state
        self._for_one, self._for_many = selections(S1Conditions.of(network, state, compile=compile))

    @cached_property
    def _fast_cache(self) -> Tensor:
        return self._network.fast_cache(self._state.rows)

    @property
    def choices(self) -> tuple[BackendChoice, ...]:
        """Return the backends for one row and for several."""
        return self._for_one.choice, self._for_many.choice

    @property
    def graphed(self) -> Callable[[int], Tensor] | None:
        """Return the Triton kernels' step, if they are selected."""
        return self._draw_fused if self._for_many.name == "triton" else None

    def _draw_fused(self, rows: int) -> Tensor:
        return self._fused.draw(rows)

    @cached_property
    def _fused(self) -> "FusedFrame":
        from engines.s1.fused import FusedFrame  # imports Triton, which only CUDA builds of torch bring

        return FusedFrame(self._network, self._state)

    @cached_property
    def single(self) -> SingleRowKernel | None:
        """The persistent kernel; None without compilation or if GPU or network do not support it."""
        if self._for_one.name != "resident":
            return None
        from engines.s1.resident.frame import ResidentFrame

        return ResidentFrame(self._network, self._state, on_failure=self._for_one.fail)

    def compiler(self, folder: str) -> BackgroundCompiler | None:
        """Return the compiler of the numba kernels, if they are selected."""
        if self._for_one.name != "numba":
            return None
        return CpuCompiling(CPU_KERNELS, self._cpu_decoder, folder)

    def _cpu_decoder(self) -> "CpuDecoder":
        from engines.s1.cpu_decoder import CpuDecoder  # imports numba, which takes a second

        return CpuDecoder(self._network, self._state)

    def fail(self, error: Exception) -> None:
        """Use PyTorch from now on."""
        for selection in (self._for_one, self._for_many):
            while selection.name != "torch":
                selection.fail(error)

    @torch.inference_mode()
    def draw(self, rows: int, longest: int) -> Tensor:
        """Generate the next frame of slots 0..rows-1, none of which is past position `longest`.

        Returns (rows, codebooks) semantic and residual codes; the semantic code `semantic_count` ends that row's speech.
        """
        state, network = self._state, self._network
        positions = state.positions[:rows]
        cache = state.cache[:, :, :rows, :, : longest + 1]
        hidden = network.hidden_states(state.pending[:rows, None], positions[:, None], cache)[:, 0]
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
        noise = exponential(keys[:, None], codebooks, network.residual_size)
        for codebook in range(1, network.config.codebooks):
            first = 0 if codebook == 1 else codebook
            logits = network.forward_fast(x, first, self._fast_cache[:, :, :rows])[:, : network.residual_size].float()
            logits = penalise(logits, known[:, codebook], penalty)
            code = choose(logits, noise[:, codebook - 1], temperature, top_p)
            codes.append(code)
            x = network.fast_embeddings(code)[:, None]
        frame = torch.stack(codes, 1)
        self._advance(rows, frame)
        return torch.cat((semantic[:, None], frame[:, 1:]), 1)

    def _advance(self, rows: int, frame: Tensor) -> None:
        """Make a generated (rows, codebooks) frame the rows' next input and append it to their history."""
        state = self._state
        state.pending[:rows] = self._network.embed_frames(frame)
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


def make_decoder(
    network: DualAR, rows: int, length: int, *, cached: torch.dtype | None = None, compile: bool = False
) -> Decoder:
    """Build a decoder of `rows` slots with `length` positions."""
    state = DecodeState(network, rows, length, cached)
    return Decoder(DualARStep(network, state, compile), state, compile)
