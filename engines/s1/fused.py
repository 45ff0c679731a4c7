"""A frame of S1 as a sequence of kernels that never synchronise, so that a CUDA graph can record it.

The results equal `DualARStep.draw` up to rounding. Nothing is sorted.
"""

import math

import torch
from torch import Tensor

from engines.codec_lm import fused_layers, sampling_kernel
from engines.codec_lm.decode_state import DecodeState
from engines.codec_lm.fused_layers import FusedLayers, TokenPositions, logits
from engines.runtime.launching import launch
from engines.runtime.powers import next_power_of_two
from engines.s1 import kernels
from engines.s1.network import DualAR


class FusedFrame:
    """Generates frames for the rows of a `DecodeState`, and updates the state."""

    def __init__(self, network: DualAR, state: DecodeState) -> None:
        self._network, self._state, self._fast_cache = network, state, network.fast_cache(state.rows)
        config, rows = network.config, state.rows
        device, dtype = state.pending.device, state.pending.dtype
        self._head, self._fast_head = network.head, network.fast_head
        self._slow = FusedLayers(config.slow, network.layers, network.slow_table, rows)
        # The caches of the fast stack are too short to be divided between programs, so no row needs scratch memory.
        self._fast = FusedLayers(config.fast, network.fast_layers, network.fast_table, rows=1)
        # The hidden state and the newest code's embedding.
        self._pair = torch.zeros(rows, 2, config.fast.dim, dtype=dtype, device=device)
        self._drawn = torch.zeros(rows, config.codebooks, dtype=torch.long, device=device)
        self._steps = torch.arange(config.codebooks, device=device)

    @torch.inference_mode()
    def draw(self, rows: int) -> Tensor:
        """Compute the same as `DualARStep.draw`. The next call overwrites the result."""
        state, network, config = self._state, self._network, self._network.config
        # Layers add to `x` and `pair` in place; both are written again for each frame.
        x, pair = state.pending[:rows], self._pair[:rows]
        self._slow.run(x, state.cache, self._slow.newest(state.positions, rows))
        pair[:, 0] = network.fast_project_in(x)
        self._choose(logits(x, self._head, network.norm), 0)
        for codebook in range(1, config.codebooks):
            first = 0 if codebook == 1 else codebook
            tokens = TokenPositions(self._steps[first:], codebook - first + 1)
            x = pair.view(-1, config.fast.dim) if first == 0 else pair[:, 1]
            self._fast.run(x, self._fast_cache, tokens)
            self._choose(logits(pair[:, 1], self._fast_head, network.fast_norm), codebook)
        self._advance(rows)
        return self._drawn[:rows]

    def _choose(self, scores: Tensor, codebook: int) -> None:
        """Sample a code of each row, and write its embedding to the fast stack's input."""
        state, (rows, choices) = self._state, scores.shape
        embeddings = self._network.fast_embeddings.weight
        temperatures, top_ps, penalties = state.settings
        launch(
            sampling_kernel.draw, (rows,),
            scores, state.recent, state.numbers, state.seeds, temperatures, top_ps, penalties,
            self._drawn, embeddings, self._pair[:, 1],
            choices, codebook, self._pair.stride(0), self._drawn.shape[1], embeddings.shape[1],
            PADDED=next_power_of_two(choices), DIM_PADDED=next_power_of_two(embeddings.shape[1]), SEMANTIC=codebook == 0,
            OVERLAP=fused_layers.OVERLAP, num_warps=8 if codebook == 0 else 4, launch_pdl=fused_layers.OVERLAP,
        )  # fmt: skip

    def _advance(self, rows: int) -> None:
        state, network, config = self._state, self._network, self._network.config
        launch(
            kernels.advance, (rows,),
            self._drawn, network.semantic_embeddings, network.codebook_embeddings.weight,
            state.pending, state.positions, state.numbers, state.recent,
            network.semantic_count, config.codebook_size, config.slow.dim,
            1 / math.sqrt(config.codebooks + 1) if config.scaled else 1.0, state.length,
            CODEBOOKS=config.codebooks, CODEBOOKS_PADDED=next_power_of_two(config.codebooks),
            DIM_PADDED=next_power_of_two(config.slow.dim),
            OVERLAP=fused_layers.OVERLAP, num_warps=4, launch_pdl=fused_layers.OVERLAP,
        )  # fmt: skip
