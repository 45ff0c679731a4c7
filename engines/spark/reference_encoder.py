"""Encode references to the codes of a BiCodec.

On a GPU, launching the kernels takes longer than running them, so CUDA graphs are recorded for a few lengths. A shorter clip is
padded to the next length. The padding is masked, so codes differ only by rounding. Longer clips are encoded without graphs.
"""

import logging
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import torch
from torch import Tensor

from engines.runtime.compilation import CudaGraphCache, WithEagerFallback
from engines.runtime.priorities import REFERENCE_ENCODING
from engines.spark.bicodec import BiCodec
from engines.spark.features import SpeechFeatures, frames_of
from engines.spark.mel import SAMPLE_RATE
from engines.spark.volume import normalise_volume

log = logging.getLogger(__name__)

LENGTHS = tuple(seconds * SAMPLE_RATE for seconds in (4, 6, 8, 11, 15))  # samples of clips with a graph


class BiCodecEncoder:
    """Encodes references; `engines.codec_lm.parts.AudioEncoder` describes it."""

    sample_rate = SAMPLE_RATE

    def __init__(self, codec: BiCodec, features: SpeechFeatures) -> None:
        self.codec, self.features = codec, features
        device = codec.decoding_weight.device
        # Global and semantic codes are computed at the same time; one clip leaves most of a GPU idle.
        self._beside = torch.cuda.Stream(device, REFERENCE_ENCODING) if device.type == "cuda" else None  # type: ignore[no-untyped-call]
        self._graphed: WithEagerFallback | None = None
        self._lock = threading.Lock()  # while a thread encodes, another one warms

    @torch.inference_mode()
    def warm(self) -> Iterator[None]:
        """Record CUDA graphs for all lengths. Without memory for them, clips are encoded without graphs."""
        if not (self.codec.keeps_length and self.features.can_pad):
            return
        device = self.codec.decoding_weight.device
        self._graphed = WithEagerFallback(self._eager, _GraphedEncoder(self, device))
        for length in LENGTHS:
            try:
                with self._lock, _tf32():
                    self._graphed(length, torch.ones(length, device=device))
            except torch.OutOfMemoryError:
                log.warning("no memory for CUDA graphs of the reference encoder; it runs without them")
                self._graphed = None
                return
            yield

    def encode(self, samples: Tensor) -> Tensor:
        """Encode (n,) samples to (1 + global codes, frames) codes, of which the global ones are the same in all frames."""
        padded = next((each for each in LENGTHS if each >= len(samples)), None)
        with self._lock:
            if self._graphed is None or padded is None:
                return self.codes(samples)
            return self._graphed(padded, samples)

    def codes(self, samples: Tensor, length: Tensor | None = None) -> Tensor:
        """Compute what `encode` returns. Samples after the first `length` (1,), if given, are zeros outside of the clip."""
        samples = normalise_volume(samples)
        if self._beside is None:
            voice = self.codec.encode_global(samples, length)
            semantic = self._semantic(samples, length)
        else:
            current = torch.cuda.current_stream(samples.device)
            self._beside.wait_stream(current)
            with torch.cuda.stream(self._beside):
                voice = self.codec.encode_global(samples, length)
            semantic = self._semantic(samples, length)
            current.wait_stream(self._beside)
        return torch.cat((semantic[None], voice[:, None].expand(-1, len(semantic))))

    def _semantic(self, samples: Tensor, length: Tensor | None) -> Tensor:
        frames = None if length is None else frames_of(length)
        return self.codec.encode_semantic(self.features(samples, length), frames)

    def _eager(self, padded: int, samples: Tensor) -> Tensor:
        return self.codes(samples)


@contextmanager
def _tf32() -> Iterator[None]:
    """Multiply matrices in TF32 as long as graphs are recorded: the switch is for all threads, and graphs keep it.

    A clip of 6 s is then encoded in less than half of the time, and convolutions round in the same way by default.
    """
    matmul = torch.backends.cuda.matmul
    before, matmul.allow_tf32 = matmul.allow_tf32, True
    try:
        yield
    finally:
        matmul.allow_tf32 = before


class _GraphedEncoder:
    """Computes `BiCodecEncoder.codes` with a CUDA graph for each length."""

    def __init__(self, encoder: BiCodecEncoder, device: torch.device) -> None:
        self._encoder = encoder
        self._samples = torch.zeros(max(LENGTHS), device=device)
        self._length = torch.zeros(1, dtype=torch.long, device=device)
        self._graphs = CudaGraphCache(self._run, (), REFERENCE_ENCODING)

    def __call__(self, padded: int, samples: Tensor) -> Tensor:
        self._samples[: len(samples)] = samples
        self._samples[len(samples) : padded] = 0.0
        self._length.fill_(len(samples))
        return self._graphs(padded)[:, : frames_of(len(samples))].clone()

    def _run(self, padded: int) -> Tensor:
        return self._encoder.codes(self._samples[:padded], self._length)
