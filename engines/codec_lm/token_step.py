"""The decode step of a network that generates one token a step, such as Llama or Qwen: PyTorch, on a GPU in CUDA graphs."""

from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING, Protocol

import torch
from torch import Tensor, nn

from engines.codec_lm.backends import TOKEN_STEP
from engines.codec_lm.decode_state import DecodeState
from engines.codec_lm.network import Network
from engines.codec_lm.noise import exponential, frame_keys
from engines.codec_lm.sampling import choose_from_scaled, penalise
from engines.codec_lm.stepping import BackgroundCompiler, SingleRowKernel
from engines.runtime.backends import Conditions, Hardware, Selection
from engines.types import BackendChoice

if TYPE_CHECKING:
    from engines.codec_lm.fused_layers import FusedLayers

ROW_BY_ROW_DIM_MAX = 2048  # in wider layers, the tensor cores are faster from two rows on


class TokenNetwork(Network, Protocol):
    """A network whose hidden state gives the next token. Its methods never synchronise, so that CUDA graphs can record them."""

    layers: nn.ModuleList
    table: Tensor  # rotations, (positions, head_dim / 2, 2)

    @property
    def codes(self) -> int:
        """Return the number of codes of a step; the logits after them end the speech."""
        ...

    @property
    def period(self) -> int:
        """Return the number of steps after which codes have the same meaning again: the steps of a frame."""
        ...

    @property
    def top_k(self) -> int:
        """Return how many of the likeliest codes may be chosen; 0 = all."""
        ...

    def code_logits(self, hidden: Tensor, numbers: Tensor) -> Tensor:
        """Compute (b, codes + ends) logits of step (b,) `numbers` from hidden states (b, dim)."""
        ...

    def embed_codes(self, codes: Tensor, numbers: Tensor) -> Tensor:
        """Embed the (b,) codes of step (b,) `numbers` as (b, dim)."""
        ...


class TokenStep:
    """Generates tokens for the rows of a DecodeState; `engines.codec_lm.stepping.DecodeStep` describes it."""

    single: SingleRowKernel | None = None

    def __init__(self, network: TokenNetwork, state: DecodeState, compile: bool) -> None:
        self._network, self._state = network, state
        conditions = Conditions(hardware=Hardware.of(network.device), compile=compile)
        self._selection = Selection(TOKEN_STEP, conditions)

    @property
    def choices(self) -> tuple[BackendChoice, ...]:
        """Return the backend in use."""
        return (self._selection.choice,)

    @property
    def graphed(self) -> Callable[[int], Tensor] | None:
        """Return the step that CUDA graphs record, if they are selected."""
        return {"triton": self._draw_fused, "graphs": self._draw_whole}.get(self._selection.name)

    def compiler(self, folder: str) -> BackgroundCompiler | None:
        """Return None: nothing is compiled for a CPU."""
        return None

    def fail(self, error: Exception) -> None:
        """Use PyTorch without graphs from now on."""
        while self._selection.name != "torch":
            self._selection.fail(error)

    def _draw_whole(self, rows: int) -> Tensor:
        return self.draw(rows, self._state.length - 1)

    @cached_property
    def _layers(self) -> "FusedLayers":
        from engines.codec_lm.fused_layers import FusedLayers  # imports Triton, which only CUDA builds of torch bring

        return FusedLayers(self._network.stack, self._network.layers, self._network.table, self._state.rows)

    @property
    def _rows_alone(self) -> int:
        """Return the most rows that are multiplied one by one."""
        from engines.codec_lm.fused_layers import ROWS_HELD

        return ROWS_HELD if self._network.stack.dim <= ROW_BY_ROW_DIM_MAX else 1

    @torch.inference_mode()
    def _draw_fused(self, rows: int) -> Tensor:
        """Generate codes like `draw`; the layers read only the positions that each row has written."""
        from engines.codec_lm.noise_kernel import step_noise  # imports Triton

        state = self._state
        x = state.pending[:rows].clone()
        self._layers.run(x, state.cache, self._layers.newest(state.positions, rows), rows > self._rows_alone)
        return self._choose(x, rows, step_noise)

    @torch.inference_mode()
    def draw(self, rows: int, longest: int) -> Tensor:
        """Generate the (rows, 1) codes of slots 0..rows-1; a code after those of the codec ends that row's speech."""
        state = self._state
        positions = state.positions[:rows]
        cache = state.cache[:, :, :rows, :, : longest + 1]
        hidden = self._network.hidden_states(state.pending[:rows, None], positions[:, None], cache)[:, 0]
        return self._choose(hidden, rows, _noise)

    def _choose(self, hidden: Tensor, rows: int, noise_of: Callable[[Tensor, Tensor, int], Tensor]) -> Tensor:
        """Sample codes from hidden states (rows, dim), and make them the next inputs."""
        state, network = self._state, self._network
        numbers = state.numbers[:rows]
        temperature, top_p, penalty = (setting[:rows] for setting in state.settings)
        logits = network.code_logits(hidden, numbers).float()
        logits = penalise(logits, _comparable(state.recent[:rows, 0], numbers, network.period), penalty)
        noise = noise_of(state.seeds[:rows], numbers, logits.shape[-1])
        code = choose_from_scaled(logits, noise, temperature, top_p, network.top_k)
        spoken = code.clamp(max=network.codes - 1)
        state.pending[:rows] = network.embed_codes(spoken, numbers)
        state.advance(rows, spoken[:, None])
        return code[:, None]


def _noise(seeds: Tensor, numbers: Tensor, count: int) -> Tensor:
    """Return the (b, count) noise of (b,) seeds and step numbers."""
    return exponential(frame_keys(seeds, numbers), 0, count)


def _comparable(recent: Tensor, numbers: Tensor, period: int) -> Tensor:
    """Return the (b, steps) recent codes, with -1 for those before the first step and those of another step of the frame."""
    age = torch.arange(recent.shape[1], 0, -1, device=recent.device)
    return torch.where((age <= numbers[:, None]) & (age % period == 0), recent, -1)
