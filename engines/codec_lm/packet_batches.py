"""Decode batches of packets. On a GPU they are padded to a few bucket sizes, each recorded as a CUDA graph.

They run on a separate CUDA stream, so that codes are generated meanwhile.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext

import torch
from torch import Tensor

from engines.codec_lm.streaming import ROWS_MAX
from engines.runtime.compilation import CudaGraphCache, WithEagerFallback
from engines.runtime.launching import KernelPlans
from engines.runtime.priorities import AUDIO_DECODING
from engines.runtime.transfers import to_device

Decode = Callable[[Tensor, Tensor], Tensor]  # (b,) numbers of the rows, (b, codebooks, t) codes -> (b, samples)


class PacketBatches:
    """Runs a function of rows of codes; the caller does so within `on_stream`."""

    def __init__(
        self,
        decode: Decode,
        graphed: Decode | None,
        on_failure: Callable[[Exception], None],
        *,
        device: torch.device,
        rows: int,
        codebooks: int,
        sizes: Sequence[int],
        spare: int,
    ) -> None:
        """Create the buffers of at most `rows` rows; `graphed` is the form of `decode` for CUDA graphs.

        `sizes` are the frames of the buckets. Rows that only fill a bucket have the number `spare`.
        """
        self._decode, self._graphed, self._sizes, self._spare = decode, graphed, sizes, spare
        self.device = device
        self._stream = torch.cuda.Stream(device, AUDIO_DECODING) if device.type == "cuda" else None  # type: ignore[no-untyped-call]
        rows = min(rows, ROWS_MAX)
        widths = [1] if graphed is None else [*(1 << power for power in range((rows - 1).bit_length())), rows]
        self.buckets = [(rows, frames) for rows in widths for frames in sizes]
        self._graphs = None if graphed is None else CudaGraphCache(self._record, (), AUDIO_DECODING)
        self.compiled = None if self._graphs is None else WithEagerFallback(self._eager, self._graphs, on_failure)
        self._ready: list[tuple[int, int]] = []  # recorded buckets
        self._numbers = torch.full((rows,), spare, device=device)
        self._codes = torch.zeros(rows, codebooks, max(sizes), dtype=torch.long, device=device)
        if self._stream is not None:
            self._stream.wait_stream(torch.cuda.current_stream())  # wait for weights and buffers

    def run(self, numbers: Sequence[int], codes: Sequence[Tensor], pad: bool = True) -> Tensor:
        """Decode (codebooks, frames) codes of rows with these numbers to (rows, samples) on the device.

        After the audio of a shorter row follows noise. Without `pad`, no frames follow those of the longest row. The next
        call may overwrite the result.
        """
        frames = max(each.shape[1] for each in codes)
        bucket = self._bucket(len(codes), frames) if pad or self.padded(frames) == frames else None
        rows, frames = bucket or (len(codes), frames)
        filled = torch.tensor([*numbers, *[self._spare] * (rows - len(codes))])
        padded = torch.zeros(rows, self._codes.shape[1], frames, dtype=torch.long)
        for row, each in enumerate(codes):
            padded[row, :, : each.shape[1]] = each
        if bucket is None:
            return self._decode(to_device(filled, self.device), to_device(padded, self.device))[: len(codes)]
        self._numbers[:rows] = to_device(filled, self.device)
        self._codes[:rows, :, :frames] = to_device(padded, self.device)
        return self._run(bucket)[: len(codes)]

    def padded(self, frames: int) -> int:
        """Return the smallest bucket size for this many frames, or the same number if nothing is compiled."""
        return min(size for size in (0, *self._sizes) if size >= frames) if self.compiled else frames

    def go_first(self) -> None:
        """Make the current stream wait for queued codec work."""
        if self._stream is not None:
            torch.cuda.current_stream(self.device).wait_stream(self._stream)

    def synchronize(self) -> None:
        """Wait until all queued codec work is done."""
        if self._stream is not None:
            self._stream.synchronize()

    def on_stream(self) -> AbstractContextManager[object]:
        """Select the codec's CUDA stream, which runs parallel to the generation of codes."""
        return nullcontext() if self._stream is None else torch.cuda.stream(self._stream)

    @torch.inference_mode()
    def kernels(self) -> Iterator[KernelPlans]:
        """Yield the kernels that the buckets launch, so that they can be compiled before warm-up."""
        if self._graphs is None:
            return
        for number, (rows, _) in enumerate(self.buckets):
            if rows == 1:  # more rows only need more programs of the same kernels
                with self.on_stream():
                    self._numbers.fill_(self._spare)
                    plans = self._graphs.kernels(number)
                yield plans

    @torch.inference_mode()
    def warm(self) -> Iterator[tuple[int, int]]:
        """Record each bucket, or decode it once; the scheduler steps other work between two items."""
        for bucket in self.buckets:
            with self.on_stream():
                self._numbers.fill_(self._spare)
                self._run(bucket)
            if self.compiled is not None:
                self._ready.append(bucket)
            yield bucket

    def _bucket(self, rows: int, frames: int) -> tuple[int, int] | None:
        size = self.padded(frames)
        return min((each for each in self._ready if each[0] >= rows and each[1] == size), default=None)

    def _run(self, bucket: tuple[int, int]) -> Tensor:
        sound: Tensor = (self.compiled or self._eager)(self.buckets.index(bucket))
        return sound

    def _eager(self, number: int) -> Tensor:
        return self._decode(*self._inputs(number))

    def _record(self, number: int) -> Tensor:
        return (self._graphed or self._decode)(*self._inputs(number))

    def _inputs(self, number: int) -> tuple[Tensor, Tensor]:
        rows, frames = self.buckets[number]
        return self._numbers[:rows], self._codes[:rows, :, :frames]
