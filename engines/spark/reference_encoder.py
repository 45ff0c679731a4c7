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
from engines.spark.bicodec import REFERENCE, BiCodec
from engines.spark.features import HOP, SpeechFeatures, frames_of, normalise
from engines.spark.mel import SAMPLE_RATE
from engines.spark.volume import normalise_volume

log = logging.getLogger(__name__)

LENGTHS = tuple(seconds * SAMPLE_RATE for seconds in (4, 6, 8, 11, 15))  # samples of clips with a graph
VOICE = 0  # in place of a length, the key of the graph of global codes


class BiCodecEncoder:
    """Encodes references; `engines.codec_lm.parts.AudioEncoder` describes it."""

    sample_rate = SAMPLE_RATE

    def __init__(self, codec: BiCodec, features: SpeechFeatures) -> None:
        self.codec, self.features = codec, features
        self._graphed: WithEagerFallback | None = None
        self._lock = threading.Lock()  # while a thread encodes, another one warms

    @torch.inference_mode()
    def warm(self) -> Iterator[None]:
        """Record CUDA graphs for all lengths. Without memory for them, clips are encoded without graphs."""
        if not (self.codec.keeps_length and self.features.can_pad):
            return
        device = self.codec.decoding_weight.device
        self._graphed = WithEagerFallback(self._eager, _GraphedEncoder(self.codec, self.features, device))
        for key in (VOICE, *LENGTHS):
            padded = key - HOP if key else REFERENCE  # so that the kernels of the mask run before they are recorded
            try:
                with self._lock, _tf32():
                    self._graphed(key, torch.ones(padded, device=device))
            except torch.OutOfMemoryError:
                log.warning("no memory for CUDA graphs of the reference encoder; it runs without them")
                self._graphed = None
                return
            yield

    def encode(self, samples: Tensor) -> Tensor:
        """Encode (n,) samples to (1 + global codes, frames) codes, of which the global ones are the same in all frames."""
        samples = normalise_volume(samples)
        length = next((each for each in LENGTHS if each >= len(samples)), None)
        with self._lock, _tf32():
            graphed = self._eager if self._graphed is None else self._graphed
            semantic = (self._eager if length is None else graphed)(length, normalise(samples))
            voice = graphed(VOICE, samples)
        return torch.cat((semantic[None], voice[:, None].expand(-1, len(semantic))))

    def _eager(self, key: int | None, samples: Tensor) -> Tensor:
        """Return the global codes if the key is VOICE, else the semantic codes."""
        if key == VOICE:
            return self.codec.encode_global(samples)
        return self.codec.encode_semantic(self.features.from_normalised(samples))


@contextmanager
def _tf32() -> Iterator[None]:
    """Multiply matrices in TF32, as the convolutions of a GPU always do. This makes the encoder about twice as fast."""
    matmul = torch.backends.cuda.matmul
    before, matmul.allow_tf32 = matmul.allow_tf32, True
    try:
        yield
    finally:
        matmul.allow_tf32 = before


class _GraphedEncoder:
    """Computes `BiCodecEncoder._eager` with a CUDA graph for each key."""

    def __init__(self, codec: BiCodec, features: SpeechFeatures, device: torch.device) -> None:
        self._codec, self._features = codec, features
        self._samples = torch.zeros(max(LENGTHS), device=device)
        self._length = torch.zeros(1, dtype=torch.long, device=device)
        self._graphs = CudaGraphCache(self._run, (), REFERENCE_ENCODING)

    def __call__(self, key: int, samples: Tensor) -> Tensor:
        clip = self._codec.clip(samples) if key == VOICE else samples
        self._samples[: len(clip)] = clip
        self._samples[len(clip) :] = 0.0
        self._length.fill_(len(clip))
        codes = self._graphs(key)
        return codes.clone() if key == VOICE else codes[: frames_of(len(clip))].clone()

    def _run(self, key: int) -> Tensor:
        if key == VOICE:
            return self._codec.encode_global(self._samples[:REFERENCE])
        features = self._features.from_normalised(self._samples[:key], self._length)
        return self._codec.encode_semantic(features, frames_of(self._length))
