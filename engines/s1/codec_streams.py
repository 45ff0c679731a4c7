"""Streams of sound: what the codec keeps of each between packets, and packets of many streams decoded at once.

On a GPU packets are padded to buckets of few sizes, each recorded as a CUDA graph, in a stream of the device's own, so that
frames are drawn meanwhile. A packet shorter than its bucket spoils what is kept, so it must be its stream's last.
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
from engines.runtime.compilation import Compiled, Graphs
from engines.runtime.launching import Plans
from engines.runtime.transfers import Arriving, sent
from engines.s1.active_request import PACKETS
from engines.s1.backends import CODEC
from engines.s1.codec import Codec, unplanned
from engines.s1.codec_layers import POSITIONS, CodecState, Convolution, TransposedConvolution, WindowAttention

if TYPE_CHECKING:
    from engines.s1.codec_fused import FusedCodec

FEW = 4  # streams decoded at once for which cuDNN's convolutions gain no time
ROWS_MAX = 32  # streams decoded at once; more would need more memory and gain no time


@dataclass(frozen=True, slots=True, eq=False)
class Packet:
    """The next frames of a stream."""

    slot: int
    codes: Tensor  # (codebooks, frames) on the host


class CodecStreams:
    """`slots` streams, each a row of what the codec's layers keep."""

    def __init__(self, codec: Codec, slots: int, compile: bool) -> None:
        """`compile` allows backends other than PyTorch."""
        weight = next(codec.decoder.parameters())
        self.selection = Selection(CODEC, Conditions(hardware=Hardware.of(weight.device), compile=compile))
        graphed = self.selection.name == "triton"
        self.codec, self.device = codec, weight.device
        self._layers = list(_looking_back(codec))
        size = sum(prod(kept) for _, kept in self._layers)
        # One row more, for what is decoded only to fill a bucket.
        self._kept = torch.zeros(slots + 1, size, dtype=weight.dtype, device=self.device)
        self._positions = torch.zeros(slots + 1, dtype=torch.long, device=self.device)
        self._free = list(range(slots))
        self._stream = torch.cuda.Stream(self.device) if weight.is_cuda else None  # type: ignore[no-untyped-call]
        if self._stream is not None:
            self._stream.wait_stream(torch.cuda.current_stream())  # for weights and zeros
        rows = min(slots, ROWS_MAX)
        widths = [*(1 << power for power in range((rows - 1).bit_length())), rows] if graphed else [1]
        self.buckets = [(rows, frames) for rows in widths for frames in PACKETS]
        self._graphs = Graphs(self._decode_fused, ()) if graphed else None
        self.compiled = (
            None if self._graphs is None else Compiled(self._decode_bucket, self._graphs, self.selection.fail)
        )
        self._ready: list[tuple[int, int]] = []  # buckets that are recorded
        self._slots = torch.full((rows,), slots, device=self.device)
        self._codes = torch.zeros(
            rows, codec.config.residual_codebooks + 1, PACKETS[-1], dtype=torch.long, device=self.device
        )

    @property
    def bytes(self) -> int:
        """Bytes of what is kept."""
        return self._kept.numel() * self._kept.element_size()

    def open(self) -> int:
        """A slot for a stream that begins."""
        slot = self._free.pop()
        with self._beside():
            self._kept[slot].zero_()
            self._positions[slot].zero_()
        return slot

    def close(self, slot: int) -> None:
        """Give a slot back; what was asked of it before is still done."""
        self._free.append(slot)

    @torch.inference_mode()
    def decode(self, packets: Sequence[Packet]) -> Arriving:
        """(packets, samples) sound of at most ROWS_MAX streams; behind a shorter packet's own sound stands noise."""
        frames = max(packet.codes.shape[1] for packet in packets)
        bucket = self._bucket(len(packets), frames)
        rows, frames = bucket or (len(packets), frames)
        slots = torch.full((rows,), len(self._kept) - 1)
        codes = torch.zeros(rows, self._codes.shape[1], frames, dtype=torch.long)
        for row, packet in enumerate(packets):
            slots[row] = packet.slot
            codes[row, :, : packet.codes.shape[1]] = packet.codes
        with self._beside():
            if bucket is None:
                sound = self._decode(sent(slots, self.device), sent(codes, self.device))
            else:
                self._slots[:rows] = sent(slots, self.device)
                self._codes[:rows, :, :frames] = sent(codes, self.device)
                sound = self._run(bucket)
            return Arriving(sound[: len(packets)])

    def go_first(self) -> None:
        """Have what the device is asked to do from now on wait for the packets that it was given."""
        if self._stream is not None:
            torch.cuda.current_stream(self.device).wait_stream(self._stream)

    @torch.inference_mode()
    def kernels(self) -> Iterator[Plans]:
        """What is started for any bucket, to be compiled before they are warmed, part by part."""
        if self._graphs is None:
            return
        for number, (rows, _) in enumerate(self.buckets):
            if rows == 1:  # many rows are more programs of the same kernels
                with self._beside():
                    self._slots.fill_(len(self._kept) - 1)
                    plans = self._graphs.kernels(number)
                yield plans

    @torch.inference_mode()
    def warm(self) -> Iterator[tuple[int, int]]:
        """Record each bucket, or decode it once; others speak between them."""
        for bucket in self.buckets:
            with self._beside():
                self._slots.fill_(len(self._kept) - 1)
                self._run(bucket)
            if self.compiled is not None:
                self._ready.append(bucket)
            yield bucket

    def padded(self, frames: int) -> int:
        """Frames a packet of so many is decoded as: packets of one size go together."""
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
        from engines.s1.codec_fused import FusedCodec  # it imports Triton, which comes with CUDA's torch alone

        if self._stream is None:
            return FusedCodec(self.codec)
        self._stream.synchronize()  # weights are laid out anew: their old memory, which is free then, may not still be read
        fused = FusedCodec(self.codec)
        self._stream.synchronize()
        return fused

    def _decode(self, slots: Tensor, codes: Tensor, fused: "FusedCodec | None" = None) -> Tensor:
        """(b, codebooks, t) codes of the streams in (b,) slots -> (b, t * hop) samples."""
        kept = self._kept[slots]
        parts = torch.split(kept, [prod(shape) for _, shape in self._layers], 1)
        views = {layer: part.view(len(kept), *shape) for (layer, shape), part in zip(self._layers, parts, strict=True)}
        state = CodecState(self._positions[slots], views)
        with unplanned() if fused is None or len(codes) <= FEW else nullcontext():
            sound = (fused or self.codec).decode_packets(codes, state)
        self._kept[slots] = kept
        self._positions[slots] = (state.positions + codes.shape[2]).clamp(max=POSITIONS - PACKETS[-1])
        return sound.float()

    def _beside(self) -> AbstractContextManager[object]:
        """Work of the device beside the drawing of frames, and after all such work before it."""
        return nullcontext() if self._stream is None else torch.cuda.stream(self._stream)


def _looking_back(codec: Codec) -> Iterator[tuple[nn.Module, tuple[int, ...]]]:
    """The layers of what decodes that look back at the packet before, and the shape of what they keep of it."""
    for part in (codec.quantizer.post_module, codec.quantizer.upsample, codec.decoder):
        for layer in part.modules():
            if isinstance(layer, Convolution | TransposedConvolution | WindowAttention) and layer.kept[0]:
                yield layer, layer.kept
