"""The decode step of a network that generates one token a step, such as Llama or Qwen: PyTorch, on a GPU in CUDA graphs."""

from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING

import torch
from torch import Tensor

from engines.codec_lm.backends import TOKEN_STEP
from engines.codec_lm.decode_state import DecodeState
from engines.codec_lm.noise import exponential, frame_keys
from engines.codec_lm.sampling import choose_from_scaled, penalise
from engines.codec_lm.stepping import BackgroundCompiler, SingleRowKernel
from engines.codec_lm.token_network import TokenNetwork, code_logits, embed_codes
from engines.runtime.backends import Conditions, Hardware, Selection
from engines.types import BackendChoice

if TYPE_CHECKING:
    from engines.codec_lm.fused_token_step import FusedTokenStep


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
    def _fused(self) -> "FusedTokenStep":
        # Imports Triton, which only CUDA builds of torch have.
        from engines.codec_lm.fused_token_step import FusedTokenStep

        return FusedTokenStep(self._network, self._state)

    def _draw_fused(self, rows: int) -> Tensor:
        return self._fused.draw(rows)

    @torch.inference_mode()
    def draw(self, rows: int, longest: int) -> Tensor:
        """Generate the (rows, 1) codes of slots 0..rows-1; a code after those of the codec ends that row's speech."""
        state = self._state
        positions = state.positions[:rows]
        cache = state.cache[:, :, :rows, :, : longest + 1]
        hidden = self._network.hidden_states(state.pending[:rows, None], positions[:, None], cache)[:, 0]
        return self._choose(hidden, rows)

    def _choose(self, hidden: Tensor, rows: int) -> Tensor:
        """Sample codes from hidden states (rows, dim), and make them the next inputs."""
        state, network = self._state, self._network
        numbers = state.numbers[:rows]
        code = choose(network, state, code_logits(network, hidden, numbers).float())
        spoken = code.clamp(max=network.codes - 1)
        state.pending[:rows] = embed_codes(network, spoken, numbers)
        state.advance(rows, spoken[:, None])
        return code[:, None]


def choose(network: TokenNetwork, state: DecodeState, logits: Tensor) -> Tensor:
    """Sample the (rows,) codes of the next step from (rows, codes + ends) logits."""
    rows, count = logits.shape
    numbers = state.numbers[:rows]
    temperature, top_p, penalty = (setting[:rows] for setting in state.settings)
    logits = penalise(logits, _recent_codes(state.recent[:rows, 0], numbers, network.period), penalty)
    noise = exponential(frame_keys(state.seeds[:rows], numbers), 0, count)
    return choose_from_scaled(logits, noise, temperature, top_p, network.top_k)


def _recent_codes(recent: Tensor, numbers: Tensor, period: int) -> Tensor:
    """Return the (b, steps) recent codes, with -1 for those before the first step and those of another step of the frame."""
    age = torch.arange(recent.shape[1], 0, -1, device=recent.device)
    return torch.where((age <= numbers[:, None]) & (age % period == 0), recent, -1)
