"""Many rows of speech, one frame a step. Rows join and leave between frames and never disturb each other.

Everything a row is lives in row `slot` of a few tensors on the device; rows in work fill the slots from 0 on, so that a step
runs on views. A row's first frame is like every other: its prompt is read up to the last token, which is then its input.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import torch
from torch import Tensor

from engines.runtime.compilation import Compiled, Graphs
from engines.s1.network import DualAR
from engines.s1.noise import exponential, frame_keys
from engines.s1.sampling import choose, penalise

if TYPE_CHECKING:
    from engines.s1.fused import Fused

WINDOW = 16  # frames the repetition penalty looks back, as upstream


@dataclass(frozen=True, slots=True, kw_only=True)
class Sampling:
    """How codes are drawn."""

    seed: int
    temperature: float
    top_p: float
    repetition_penalty: float


class Drawn:
    """A frame of every row on its way to the host, beside the work on the next one."""

    def __init__(self, codes: Tensor) -> None:
        self._codes: Tensor = codes
        self._arrived: torch.cuda.Event | None = None
        if codes.is_cuda:
            self._codes = torch.empty(codes.shape, dtype=codes.dtype, pin_memory=True).copy_(codes, non_blocking=True)
            self._arrived = torch.cuda.Event()  # type: ignore[no-untyped-call]
            self._arrived.record()

    def codes(self) -> Tensor:
        """(rows, codebooks) codes, waiting for them if need be."""
        if self._arrived is not None:
            self._arrived.synchronize()
        return self._codes


class Frames:
    """What is drawn next for each slot, on the device. `rows` slots of `length` positions each."""

    def __init__(self, network: DualAR, rows: int, length: int, residual_size: int, compile: bool = False) -> None:
        """`compile` needs CUDA: kernels of our own, recorded as one graph for each number of rows."""
        self.network, self.rows, self.length = network, rows, length
        self.residual_size = residual_size
        weight = network.embeddings.weight
        device, codebooks = weight.device, network.config.codebooks
        self.cache = network.slow_cache(rows, length)
        self.fast_cache = network.fast_cache(rows)
        self.pending = torch.zeros(rows, network.config.slow.dim, dtype=weight.dtype, device=device)
        self.positions = torch.zeros(rows, dtype=torch.long, device=device)
        self.seeds = torch.zeros(rows, dtype=torch.long, device=device)
        self.numbers = torch.zeros(rows, dtype=torch.long, device=device)  # frames drawn
        self.recent = torch.zeros(rows, codebooks, WINDOW, dtype=torch.long, device=device)  # oldest first
        self.settings = torch.zeros(3, rows, 1, device=device)  # temperature, nucleus, penalty
        self._changing = (self.pending, self.positions, self.numbers, self.recent)  # by a step
        self.compiled = Compiled(self.draw, Graphs(self._fused, self._changing)) if compile else None

    def _fused(self, rows: int) -> Tensor:
        return self._kernels.draw(rows)

    @cached_property
    def _kernels(self) -> "Fused":
        from engines.s1.fused import Fused  # it imports Triton, which comes with CUDA's torch alone

        return Fused(self)

    @torch.inference_mode()
    def begin(self, slot: int, pending: Tensor, position: int, sampling: Sampling) -> None:
        """A new speech in this slot: its prompt is in the cache, but for the last token, which is `pending` (dim,)."""
        self.pending[slot] = pending
        self.positions[slot] = position
        self.seeds[slot] = sampling.seed
        self.numbers[slot] = 0
        self.recent[slot] = 0
        self.settings[:, slot, 0] = torch.tensor((sampling.temperature, sampling.top_p, sampling.repetition_penalty))

    def read(self, slot: int, x: Tensor, start: int) -> None:
        """Put a prompt's (t, dim) embeddings at positions `start`... into the slot's cache."""
        if not len(x):
            return
        stop = start + len(x)
        positions = torch.arange(start, stop, device=x.device)[None]
        self.network.read(x[None], positions, self.cache[:, :, slot : slot + 1, :, :stop])

    def swap(self, one: int, other: int) -> None:
        """Exchange two slots."""
        pair, turned = [one, other], [other, one]
        for held, axis in (
            (self.cache, 2),
            (self.pending, 0),
            (self.positions, 0),
            (self.seeds, 0),
            (self.numbers, 0),
            (self.recent, 0),
            (self.settings, 1),
        ):
            index = torch.tensor(pair, device=held.device)
            held.index_copy_(axis, index, held.index_select(axis, torch.tensor(turned, device=held.device)))

    def step(self, rows: int, longest: int) -> Drawn:
        """`draw`, on its way to the host."""
        return Drawn(self.draw(rows, longest) if self.compiled is None else self.compiled(rows, longest))

    @torch.inference_mode()
    def warm(self, rows: int) -> None:
        """Make ready for this many rows; those in work stay where they are."""
        before = [tensor.clone() for tensor in self._changing]
        self.step(rows, self.length - 1).codes()
        for tensor, held in zip(self._changing, before, strict=True):
            tensor.copy_(held)

    @torch.inference_mode()
    def draw(self, rows: int, longest: int) -> Tensor:
        """Draw the next frame of slots 0..rows-1, none of which is past position `longest`.

        (rows, codebooks) semantic and residual codes; a semantic code of `semantic_count` ends that row's speech.
        """
        network = self.network
        positions = self.positions[:rows]
        cache = self.cache[:, :, :rows, :, : longest + 1]
        hidden = network.read(self.pending[:rows, None], positions[:, None], cache)[:, 0]
        temperature, top_p, penalty = (setting[:rows] for setting in self.settings)
        keys, recent, numbers = (
            frame_keys(self.seeds[:rows], self.numbers[:rows]),
            self.recent[:rows],
            self.numbers[:rows],
        )

        logits = penalise(network.follow(hidden).float(), _oldest(recent[:, 0], numbers), penalty)
        semantic = choose(logits, exponential(keys, 0, logits.shape[-1]), temperature, top_p)
        spoken = semantic.clamp(max=network.semantic_count - 1)
        codes = [spoken]
        x = torch.stack((network.fast_project_in(hidden), network.fast_embeddings(spoken)), 1)
        # The first frame knows no past; afterwards zeros stand in it until the window is full, as upstream's do.
        known = torch.where(numbers[:, None, None] > 0, recent, -1)
        for codebook in range(1, network.config.codebooks):
            first = 0 if codebook == 1 else codebook
            logits = network.write(x, first, self.fast_cache[:, :, :rows])[:, : self.residual_size].float()
            logits = penalise(logits, known[:, codebook], penalty)
            code = choose(logits, exponential(keys, codebook, logits.shape[-1]), temperature, top_p)
            codes.append(code)
            x = network.fast_embeddings(code)[:, None]
        frame = torch.stack(codes, 1)
        self._advance(rows, frame)
        return torch.cat((semantic[:, None], frame[:, 1:]), 1)

    def _advance(self, rows: int, frame: Tensor) -> None:
        self.pending[:rows] = self.network.embed_frames(frame)
        self.positions[:rows] = (self.positions[:rows] + 1).clamp(
            max=self.length - 1
        )  # a row past its end stays inside
        numbers = self.numbers[:rows]
        shifted = torch.cat((self.recent[:rows, :, 1:], frame[:, :, None]), 2)
        self.recent[:rows] = torch.where(numbers[:, None, None] > 0, shifted, self.recent[:rows])
        self.numbers[:rows] += 1


def _oldest(recent: Tensor, numbers: Tensor) -> Tensor:
    """(b, 1) the semantic code the penalty falls on, or -1.

    Upstream hands the penalty a column of its history, one frame's codes, where the row of semantic codes was meant. Of that,
    the logits that can be sampled leave the oldest frame's semantic code. The published weights were judged with it, and
    a penalty on all sixteen would cut held sounds short, so it stays.
    """
    known = numbers - 1  # the first frame is not part of upstream's history
    index = (WINDOW - known).clamp(min=0, max=WINDOW - 1)
    return torch.where(known[:, None] > 0, recent.gather(1, index[:, None]), -1)
