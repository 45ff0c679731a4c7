"""The decode step of a network that generates one token a step, as Triton kernels that CUDA graphs record.

The results equal `TokenStep.draw` up to rounding.
"""

import torch
from torch import Tensor

from engines.codec_lm import fused_layers, sampling_kernel
from engines.codec_lm.decode_state import DecodeState
from engines.codec_lm.fused_layers import FusedLayers, logits
from engines.codec_lm.token_network import TokenNetwork
from engines.runtime.launching import launch
from engines.runtime.powers import next_power_of_two


class FusedTokenStep:
    """Generates tokens for the rows of a `DecodeState`, and updates the state."""

    def __init__(self, network: TokenNetwork, state: DecodeState) -> None:
        self._network, self._state = network, state
        self._layers = FusedLayers(network.stack, network.layers, network.table, state.rows)
        self._drawn = torch.zeros(state.rows, dtype=torch.long, device=state.pending.device)

    @torch.inference_mode()
    def draw(self, rows: int) -> Tensor:
        """Compute the same as `TokenStep.draw`. The next call overwrites the result; an error leaves wrong inputs."""
        state, network = self._state, self._network
        x = state.pending[:rows]  # layers add to it in place; the sampling writes it again
        self._layers.run(x, state.cache, self._layers.newest(state.positions, rows))
        self._choose(logits(x, network.code_head, network.norm))
        return self._drawn[:rows, None]

    def _choose(self, scores: Tensor) -> None:
        """Sample a token of each row, and move the rows to their next step."""
        state, network = self._state, self._network
        temperatures, top_ps, penalties = state.settings
        history, dim = state.recent.shape[-1], network.stack.dim
        launch(
            sampling_kernel.draw_token, (len(scores),),
            scores, state.recent, state.numbers, state.seeds, temperatures, top_ps, penalties,
            network.code_embeddings, state.positions, state.pending, self._drawn,
            network.codes, network.ends, network.period, scores.stride(0), history, state.length, dim,
            TOP_K=network.top_k, PADDED=next_power_of_two(network.codes + network.ends),
            DIM_PADDED=next_power_of_two(dim), HISTORY_PADDED=next_power_of_two(history),
            OVERLAP=fused_layers.OVERLAP, num_warps=16, launch_pdl=fused_layers.OVERLAP,
        )  # fmt: skip
