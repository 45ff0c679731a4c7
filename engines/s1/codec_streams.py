"""Codec streams: the stored state of each stream between packets, and decoding of many streams' packets at once.

On a GPU, packets are padded to a few bucket sizes, each recorded as a CUDA graph. They run on a separate CUDA stream, so that
frames are generated meanwhile. A packet that is shorter than its bucket corrupts the stored state, so it must be its
stream's last.
"""

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from functools import cached_property
from math import prod
from typing import TYPE_CHECKING

import torch
from torch import Tensor, nn

from engines.runtime.backends import Conditions, Hardware, Selection
from engines.runtime.compilation import CudaGraphCache, WithEagerFallback
from engines.runtime.launching import KernelPlans
from engines.runtime.transfers import AsyncHostCopy, to_device
from engines.s1.active_request import PACKETS
from engines.s1.backends import CODEC
from engines.s1.codec import Codec, unplanned
from engines.s1.codec_layers import POSITIONS, CodecState, Convolution, TransposedConvolution, WindowAttention

if TYPE_CHECKING:
    from engines.s1.codec_fused import FusedCodec

FEW = 4  # for up to this many streams, cuDNN's convolutions save no time
ROWS_MAX = 32  # streams decoded at once; more would need more memory and save no time


@dataclass(frozen=True, slots=True, eq=False)
class Packet:
    """The next frames of a stream."""

    slot: int
    codes: Tensor  # (codebooks, frames) on the host


class CodecStreams:
    """A fixed number of `slots` for streams, each a row of the codec layers' state."""

    def __init__(self, codec: Codec, slots: int, compile: bool) -> None:
        """Create the slots; `compile` allows backends other than PyTorch."""
        weight = next(codec.decoder.parameters())
        self.selection = Selection(CODEC, Conditions(hardware=Hardware.of(weight.device), compile=compile))
        graphed = self.selection.name == "triton"
        self.codec, self.device = codec, weight.device
        self._layers = list(_looking_back(codec))
        size = sum(prod(kept) for _, kept in self._layers)
        # One more row, for the padding of a bucket.
        self._kept = torch.zeros(slots + 1, size, dtype=weight.dtype, device=self.device)
        self._positions = torch.zeros(slots + 1, dtype=torch.long, device=self.device)
        self._free = list(range(slots))
        self._stream = torch.cuda.Stream(self.device) if weight.is_cuda else None  # type: ignore[no-untyped-call]
        if self._stream is not None:
            self._stream.wait_stream(torch.cuda.current_stream())  # wait for weights and zeros
        rows = min(slots, ROWS_MAX)
        widths = [*(1 << power for power in range((rows - 1).bit_length())), rows] if graphed else [1]
        self.buckets = [(rows, frames) for rows in widths for frames in PACKETS]
        self._graphs = graphs = CudaGraphCache(self._decode_fused, ()) if graphed else None
        failed = self.selection.fail
        self.compiled = None if graphs is None else WithEagerFallback(self._decode_bucket, graphs, failed)
        self._ready: list[tuple[int, int]] = []  # recorded buckets
        self._slots = torch.full((rows,), slots, device=self.device)
        self._codes = torch.zeros(
            rows, codec.config.residual_codebooks + 1, PACKETS[-1], dtype=torch.long, device=self.device
        )

    @property
    def bytes(self) -> int:
        """Return the bytes of the stored state."""
        return self._kept.numel() * self._kept.element_size()

    def open(self) -> int:
        """Return a cleared slot for a new stream."""
        slot = self._free.pop()
        with self._on_codec_stream():
            self._kept[slot].zero_()
            self._positions[slot].zero_()
        return slot

    def close(self, slot: int) -> None:
        """Free a slot; work that is already queued still finishes."""
        self._free.append(slot)

    @torch.inference_mode()
    def decode(self, packets: Sequence[Packet]) -> AsyncHostCopy:
        """Decode packets of at most ROWS_MAX streams to (packets, samples); after a shorter packet's audio follows noise."""
        frames = max(packet.codes.shape[1] for packet in packets)
        bucket = self._bucket(len(packets), frames)
        rows, frames = bucket or (len(packets), frames)
        slots = torch.full((rows,), len(self._kept) - 1)
        codes = torch.zeros(rows, self._codes.shape[1], frames, dtype=torch.long)
        for row, packet in enumerate(packets):
            slots[row] = packet.slot
            codes[row, :, : packet.codes.shape[1]] = packet.codes
        with self._on_codec_stream():
            if bucket is None:
                sound = self._decode(to_device(slots, self.device), to_device(codes, self.device))
            else:
                self._slots[:rows] = to_device(slots, self.device)
                self._codes[:rows, :, :frames] = to_device(codes, self.device)
                sound = self._run(bucket)
            return AsyncHostCopy(sound[: len(packets)])

    def go_first(self) -> None:
        """Make the current stream wait for queued codec work."""
        if self._stream is not None:
            torch.cuda.current_stream(self.device).wait_stream(self._stream)

    @torch.inference_mode()
    def kernels(self) -> Iterator[KernelPlans]:
        """Yield the kernels that the buckets launch, so that they can be compiled before warm-up."""
        if self._graphs is None:
            return
        for number, (rows, _) in enumerate(self.buckets):
            if rows == 1:  # more rows only need more programs of the same kernels
                with self._on_codec_stream():
                    self._slots.fill_(len(self._kept) - 1)
                    plans = self._graphs.kernels(number)
                yield plans

    @torch.inference_mode()
    def warm(self) -> Iterator[tuple[int, int]]:
        """Record each bucket, or decode it once; the scheduler steps other work between two items."""
        for bucket in self.buckets:
            with self._on_codec_stream():
                self._slots.fill_(len(self._kept) - 1)
                self._run(bucket)
            if self.compiled is not None:
                self._ready.append(bucket)
            yield bucket

    def padded(self, frames: int) -> int:
        """Return the bucket size for a packet of this many frames; packets of one size are decoded together."""
        return min(size for size in (0, *PACKETS) if size >= frames) if self.compiled else frames

    def _bucket(self, rows: int, frames: int) -> tuple[int, int] | None:
        fit = [bucket for bucket in self._ready if bucket[0] >= rows and bucket[1] == self.padded(frames)]
        return min(fit, default=None)

    def _run(self, bucket: tuple[int, int]) -> Tensor:
        sound: Tensor = (self.compiled or self._decode_bucket)(self.buckets.index(bucket))
        return sound

    def _decode_bucket(self, number: int) -> Tensor:
        rows, frames = self.buckets[number]
        return self._decode(self._slots[:rows], self._codes[:rows, :, :frames])

    def _decode_fused(self, number: int) -> Tensor:
        rows, frames = self.buckets[number]
        return self._decode(self._slots[:rows], self._codes[:rows, :, :frames], self._fused)

    @cached_property
    def _fused(self) -> "FusedCodec":
        from engines.s1.codec_fused import FusedCodec  # imports Triton, which only CUDA builds of torch bring

        if self._stream is None:
            return FusedCodec(self.codec)
        self._stream.synchronize()  # the weights' layout changes, and queued work must not read their old memory
        fused = FusedCodec(self.codec)
        self._stream.synchronize()
        return fused

    def _decode(self, slots: Tensor, codes: Tensor, fused: "FusedCodec | None" = None) -> Tensor:
        """Decode (b, codebooks, t) codes of the streams in (b,) slots to (b, t * hop) samples."""
        kept = self._kept[slots]
        parts = torch.split(kept, [prod(shape) for _, shape in self._layers], 1)
        views = {layer: part.view(len(kept), *shape) for (layer, shape), part in zip(self._layers, parts, strict=True)}
        state = CodecState(self._positions[slots], views)
        with unplanned() if fused is None or len(codes) <= FEW else nullcontext():
            sound = (fused or self.codec).decode_packets(codes, state)
        self._kept[slots] = kept
        self._positions[slots] = (state.positions + codes.shape[2]).clamp(max=POSITIONS - PACKETS[-1])
        return sound.float()

    def _on_codec_stream(self) -> AbstractContextManager[object]:
        """Select the codec's CUDA stream, which runs parallel to the generation of frames."""
        return nullcontext() if self._stream is None else torch.cuda.stream(self._stream)


def _looking_back(codec: Codec) -> Iterator[tuple[nn.Module, tuple[int, ...]]]:
    """Yield the decoding layers that read the previous packet, and the shape of the state that they store."""
    for part in (codec.quantizer.post_module, codec.quantizer.upsample, codec.decoder):
        for layer in part.modules():
            if isinstance(layer, Convolution | TransposedConvolution | WindowAttention) and layer.kept[0]:
                yield layer, layer.kept
