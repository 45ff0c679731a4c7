"""Streams of a codec that is not causal: each packet is decoded with some frames before and after it.

The audio of a frame is final when the `after` frames that follow it are known, so audio trails the codes by them. The streamed
audio equals that of a whole decode if no sample depends on frames further away.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Protocol

import torch
from torch import Tensor

from engines.codec_lm.backends import CODEC, CODEC_WINDOWS
from engines.codec_lm.frames import PACKETS
from engines.codec_lm.packet_batches import Decode, PacketBatches
from engines.codec_lm.streaming import DecodedPackets, Packet
from engines.runtime.backends import Conditions, Hardware, Selection
from engines.runtime.compilation import WithEagerFallback
from engines.runtime.launching import KernelPlans
from engines.runtime.transfers import AsyncHostCopy
from engines.types import BackendChoice


class WindowedCodec(Protocol):
    """A codec that decodes a window of frames."""

    @property
    def codebooks(self) -> int:
        """Return the number of codes of a frame."""
        ...

    @property
    def hop(self) -> int:
        """Return the samples of a frame."""
        ...

    @property
    def before(self) -> int:
        """Return the earlier frames on which the audio of a frame depends."""
        ...

    @property
    def after(self) -> int:
        """Return the later frames on which the audio of a frame depends."""
        ...

    @property
    def parts(self) -> int:
        """Return the equal parts of a frame whose audio can be final before that of the others."""
        ...

    @property
    def parts_after(self) -> int:
        """Return the later parts of frames on which the audio of a part depends."""
        ...

    @property
    def decoding_weight(self) -> Tensor:
        """Return a weight of the decoder, which has its device and dtype."""
        ...

    def decode_windows(self, starts: Tensor, codes: Tensor) -> Tensor:
        """Decode (b, codebooks, t) codes, of which the first are frames (b,) `starts` of their streams, to (b, t * hop).

        CUDA graphs record this function, so it must not synchronise.
        """
        ...


@dataclass(slots=True, eq=False)
class _Stream:
    codes: Tensor  # (codebooks, frames), the newest ones
    total: int = 0  # frames so far
    sent: int = 0  # parts of frames whose audio was returned


@dataclass(frozen=True, slots=True, eq=False)
class _Window:
    row: int  # of the result
    stream: _Stream  # after this packet
    slot: int
    start: int  # first frame of the window
    first: int  # first part of a frame whose audio is returned
    width: int  # frames that are decoded
    exact: bool  # True if the window ends with its stream, so that nothing may follow it

    @property
    def codes(self) -> Tensor:
        """Return the (codebooks, frames) codes of the window."""
        return self.stream.codes[:, self.stream.codes.shape[1] - (self.stream.total - self.start) :]


class WindowedStreams:
    """A fixed number of `slots` for streams. The codes of a stream are kept on the host."""

    def __init__(
        self,
        codec: WindowedCodec,
        slots: int,
        compile: bool,
        packets: Sequence[int] = PACKETS,
        fused: Callable[[], Decode] | None = None,
    ) -> None:
        """Create the slots for packets of these sizes; `compile` allows CUDA graphs.

        `fused` builds a form of `decode_windows` from Triton kernels, if the codec has one.
        """
        weight = codec.decoding_weight
        conditions = Conditions(hardware=Hardware.of(weight.device), compile=compile)
        self._selection = Selection(CODEC_WINDOWS if fused is None else CODEC, conditions)
        self._codec, self.delay = codec, codec.after
        around = codec.before + codec.after
        self._packets = sorted(set(packets))
        self._keep = 2 * around + self._packets[-1]  # frames of a stream that a later window may need
        self._free = list(range(slots))
        self._streams: dict[int, _Stream] = {}
        graphed: Decode | None = codec.decode_windows if self._selection.name == "graphs" else None
        if fused is not None and self._selection.name == "triton":
            graphed = fused()
        self._batches = PacketBatches(
            codec.decode_windows, graphed, self._selection.fail, device=weight.device, rows=slots,
            codebooks=codec.codebooks, sizes=[around + frames for frames in self._packets], spare=0,
        )  # fmt: skip

    @property
    def codebooks(self) -> int:
        """Return the number of codes of a frame."""
        return self._codec.codebooks

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
        """Return 0: the device keeps nothing of a stream."""
        return 0

    def open(self) -> int:
        """Return a slot for a new stream."""
        slot = self._free.pop()
        self._streams[slot] = _Stream(torch.zeros(self._codec.codebooks, 0, dtype=torch.long))
        return slot

    def close(self, slot: int) -> None:
        """Free a slot."""
        del self._streams[slot]
        self._free.append(slot)

    @torch.inference_mode()
    def decode(self, packets: Sequence[Packet]) -> DecodedPackets:
        """Decode packets of at most ROWS_MAX streams; a packet's audio is all audio that has become final."""
        windows = [self._window(row, packet) for row, packet in enumerate(packets)]
        hop = self._codec.hop // self._codec.parts
        lengths = [hop * (window.stream.sent - window.first) for window in windows]
        with self._batches.on_stream():
            sound = torch.zeros(len(packets), max(lengths), device=self._batches.device)
            wanted = sorted((each for each in windows if each.stream.sent > each.first), key=_shape)
            for _, group in groupby(wanted, _shape):
                self._decode(list(group), sound)
            copy = AsyncHostCopy(sound)
        for window in windows:  # after decoding, because it is repeated if the device runs out of memory
            self._streams[window.slot] = window.stream
        return DecodedPackets(copy, lengths)

    def _decode(self, windows: Sequence[_Window], sound: Tensor) -> None:
        """Decode windows of one shape, and write their final frames to their rows of `sound`."""
        parts = self._codec.parts
        hop = self._codec.hop // parts
        pad = not windows[0].exact
        made = self._batches.run([each.start for each in windows], [each.codes for each in windows], pad)
        for row, window in zip(made, windows, strict=True):
            first, stop = (hop * (part - parts * window.start) for part in (window.first, window.stream.sent))
            sound[window.row, : stop - first] = row[first:stop]

    def _window(self, row: int, packet: Packet) -> _Window:
        stream = self._streams[packet.slot]
        codes = torch.cat((stream.codes, packet.codes), 1)
        total, parts = stream.total + packet.codes.shape[1], self._codec.parts
        sent = parts * total if packet.last else max(stream.sent, parts * total - self._codec.parts_after)
        start = max(0, stream.sent // parts - self._codec.before)
        if packet.last and (size := self._batches.padded(total - start)) <= total:
            start = total - size  # with more frames before it, so that the bucket ends with the stream
        following = _Stream(codes[:, -self._keep :], total, sent)
        return _Window(row, following, packet.slot, start, stream.sent, total - start, packet.last)

    def padded(self, frames: int) -> int:
        """Return the size by which packets are grouped: packets of any size are decoded together."""
        return min(size for size in (0, *self._packets) if size >= frames)

    def go_first(self) -> None:
        """Make the current stream wait for queued codec work."""
        self._batches.go_first()

    def kernels(self) -> Iterator[KernelPlans]:
        """Yield the kernels that the buckets launch, so that they can be compiled before warm-up."""
        return self._batches.kernels()

    def warm(self) -> Iterator[tuple[int, int]]:
        """Prepare each bucket; the scheduler steps other work between two items."""
        return self._batches.warm()


def _shape(window: _Window) -> tuple[bool, int]:
    """Return the key by which windows are decoded together."""
    return window.exact, window.width
