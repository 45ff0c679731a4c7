"""Streams of a causal codec: the stored state of each stream between packets, and decoding of many streams' packets at once.

A packet that is shorter than its bucket corrupts the stored state, so it must be its stream's last.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import cached_property
from math import prod
from typing import Protocol

import torch
from torch import Tensor, nn

from engines.codec_lm.backends import CODEC
from engines.codec_lm.codec_layers import POSITIONS, CodecState
from engines.codec_lm.frames import PACKETS
from engines.codec_lm.packet_batches import PacketBatches
from engines.codec_lm.streaming import DecodedPackets, Packet
from engines.runtime.backends import Conditions, Hardware, Selection
from engines.runtime.compilation import WithEagerFallback
from engines.runtime.launching import KernelPlans
from engines.runtime.transfers import AsyncHostCopy
from engines.types import BackendChoice

FEW = 4  # for up to this many streams, cuDNN's convolutions save no time
DecodeWithState = Callable[[Tensor, CodecState], Tensor]


class StatefulCodec(Protocol):
    """A causal codec, whose layers store what they need of earlier packets."""

    @property
    def codebooks(self) -> int:
        """Return the number of codes of a frame."""
        ...

    @property
    def hop(self) -> int:
        """Return the samples of a frame."""
        ...

    @property
    def decoding_weight(self) -> Tensor:
        """Return a weight of the decoder, which has its device and dtype."""
        ...

    def stored_layers(self) -> Iterable[tuple[nn.Module, tuple[int, ...]]]:
        """Yield the decoding layers that read the previous packet, and the shape of the state that they store."""
        ...

    def decode_packets(self, codes: Tensor, state: CodecState | None) -> Tensor:
        """Decode (b, codebooks, t) codes, the next ones of b streams, to (b, t * hop) samples."""
        ...


class StatefulStreams:
    """A fixed number of `slots` for streams, each a row of the codec layers' state."""

    delay = 0  # frames by which audio follows its codes

    def __init__(
        self, codec: StatefulCodec, slots: int, compile: bool, fused: Callable[[], DecodeWithState] | None = None
    ) -> None:
        """Create the slots; `compile` allows backends other than PyTorch.

        `fused` builds `decode_packets` in a form that CUDA graphs can record. The layout of the weights may change.
        """
        weight = codec.decoding_weight
        conditions = Conditions(hardware=Hardware.of(weight.device), compile=compile and fused is not None)
        self._selection = Selection(CODEC, conditions)
        self.codec, self._build_fused = codec, fused
        self._layers = list(codec.stored_layers())
        size = sum(prod(kept) for _, kept in self._layers)
        # One more row, for the padding of a bucket.
        self._kept = torch.zeros(slots + 1, size, dtype=weight.dtype, device=weight.device)
        self._positions = torch.zeros(slots + 1, dtype=torch.long, device=weight.device)
        self._free = list(range(slots))
        graphed = self._decode_fused if self._selection.name == "triton" else None
        self._batches = PacketBatches(
            self._decode, graphed, self._selection.fail,
            device=weight.device, rows=slots, codebooks=codec.codebooks, sizes=PACKETS, spare=slots,
        )  # fmt: skip

    @property
    def codebooks(self) -> int:
        """Return the number of codes of a frame."""
        return self.codec.codebooks

    @property
    def choice(self) -> BackendChoice:
        """Return the backend in use."""
        return self._selection.choice

    @property
    def compiled(self) -> WithEagerFallback | None:
        """Return the compiled decoder; None if nothing is compiled."""
        return self._batches.compiled

    @property
    def buckets(self) -> Sequence[tuple[int, int]]:
        """Return the shapes that `warm` prepares."""
        return self._batches.buckets

    @property
    def bytes(self) -> int:
        """Return the bytes of the stored state."""
        return self._kept.numel() * self._kept.element_size()

    def open(self) -> int:
        """Return a cleared slot for a new stream."""
        slot = self._free.pop()
        with self._batches.on_stream():
            self._kept[slot].zero_()
            self._positions[slot].zero_()
        return slot

    def close(self, slot: int) -> None:
        """Free a slot; work that is already queued still finishes."""
        self._free.append(slot)

    @torch.inference_mode()
    def decode(self, packets: Sequence[Packet]) -> DecodedPackets:
        """Decode packets of at most ROWS_MAX streams."""
        with self._batches.on_stream():
            sound = self._batches.run([packet.slot for packet in packets], [packet.codes for packet in packets])
            return DecodedPackets(AsyncHostCopy(sound), [self.codec.hop * packet.codes.shape[1] for packet in packets])

    def padded(self, frames: int) -> int:
        """Return the bucket size for a packet of this many frames; packets of one size are decoded together."""
        return self._batches.padded(frames)

    def go_first(self) -> None:
        """Make the current stream wait for queued codec work."""
        self._batches.go_first()

    def kernels(self) -> Iterator[KernelPlans]:
        """Yield the kernels that the buckets launch, so that they can be compiled before warm-up."""
        return self._batches.kernels()

    def warm(self) -> Iterator[tuple[int, int]]:
        """Prepare each bucket; the scheduler steps other work between two items."""
        return self._batches.warm()

    def _decode_fused(self, slots: Tensor, codes: Tensor) -> Tensor:
        return self._decode(slots, codes, self._fused)

    @cached_property
    def _fused(self) -> DecodeWithState:
        if self._build_fused is None:
            raise RuntimeError("the codec has no form for CUDA graphs")
        self._batches.synchronize()  # the weights' layout changes, and queued work must not read their old memory
        fused = self._build_fused()
        self._batches.synchronize()
        return fused

    def _decode(self, slots: Tensor, codes: Tensor, fused: DecodeWithState | None = None) -> Tensor:
        """Decode (b, codebooks, t) codes of the streams in (b,) slots to (b, t * hop) samples."""
        kept = self._kept[slots]
        parts = torch.split(kept, [prod(shape) for _, shape in self._layers], 1)
        views = {layer: part.view(len(kept), *shape) for (layer, shape), part in zip(self._layers, parts, strict=True)}
        state = CodecState(self._positions[slots], views)
        with without_cudnn() if fused is None or len(codes) <= FEW else nullcontext():
            sound = (fused or self.codec.decode_packets)(codes, state)
        self._kept[slots] = kept
        self._positions[slots] = (state.positions + codes.shape[2]).clamp(max=POSITIONS - PACKETS[-1])
        return sound.float()


def without_cudnn() -> AbstractContextManager[None]:
    """Disable cuDNN, whose convolutions are slightly faster, but need a second of planning for each new size."""
    return torch.backends.cudnn.flags(enabled=False)
