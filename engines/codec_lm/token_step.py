"""The decode step of a network that generates one token a step, such as Llama or Qwen: PyTorch, on a GPU in CUDA graphs."""

from collections.abc import Callable
from typing import Protocol

import torch
from torch import Tensor

from engines.codec_lm.backends import TOKEN_STEP
from engines.codec_lm.constants import WINDOW
from engines.codec_lm.decode_state import DecodeState
from engines.codec_lm.network import Network
from engines.codec_lm.noise import exponential, frame_keys
from engines.codec_lm.sampling import choose, penalise
from engines.codec_lm.stepping import BackgroundCompiler, SingleRowKernel
from engines.runtime.backends import Conditions, Hardware, Selection
from engines.types import BackendChoice


class TokenNetwork(Network, Protocol):
    """A network whose hidden state gives the next token. Its methods never synchronise, so that CUDA graphs can record them."""

    def code_logits(self, hidden: Tensor, numbers: Tensor) -> Tensor:
        """Compute (b, codes + 1) logits of step (b,) `numbers` from hidden states (b, dim); the last one ends the speech."""
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
        """Return the step that reads the whole cache, if CUDA graphs are selected."""
        return self._draw_whole if self._selection.name == "graphs" else None

    def compiler(self, folder: str) -> BackgroundCompiler | None:
        """Return None: nothing is compiled for a CPU."""
        return None

    def fail(self, error: Exception) -> None:
        """Use PyTorch without graphs from now on."""
        self._selection.fail(error)

    def _draw_whole(self, rows: int) -> Tensor:
        return self.draw(rows, self._state.length - 1)

    @torch.inference_mode()
    def draw(self, rows: int, longest: int) -> Tensor:
        """Generate the (rows, 1) codes of slots 0..rows-1; the highest code ends that row's speech."""
        state, network = self._state, self._network
        positions, numbers = state.positions[:rows], state.numbers[:rows]
        cache = state.cache[:, :, :rows, :, : longest + 1]
        hidden = network.hidden_states(state.pending[:rows, None], positions[:, None], cache)[:, 0]
        temperature, top_p, penalty = (setting[:rows] for setting in state.settings)
        logits = network.code_logits(hidden, numbers).float()
        logits = penalise(logits, _known(state.recent[:rows, 0], numbers), penalty)
        noise = exponential(frame_keys(state.seeds[:rows], numbers), 0, logits.shape[-1])
        code = choose(logits, noise, temperature, top_p)
        spoken = code.clamp(max=logits.shape[-1] - 2)
        state.pending[:rows] = network.embed_codes(spoken, numbers)
        state.advance(rows, spoken[:, None])
        return code[:, None]


def _known(recent: Tensor, numbers: Tensor) -> Tensor:
    """Return (b, WINDOW) recent codes, with -1 for those before the first step."""
    age = torch.arange(WINDOW, 0, -1, device=recent.device)
    return torch.where(age <= numbers[:, None], recent, -1)
