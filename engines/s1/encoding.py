"""References to codes: once per clip, kept, and beside the lane where the encoder has a device of its own."""

from concurrent.futures import Future, ThreadPoolExecutor

import torch
from torch import Tensor

from engines import audio as sound
from engines.s1.codec import Codec
from engines.s1.voices import CodeStore, audio_digest
from engines.types import Audio


class Encoder:
    """Asked from the lane alone."""

    def __init__(self, codec: Codec, store: CodeStore, device: torch.device, beside: bool) -> None:
        """`device` is where the codec's encoder is; `beside` lets the lane go on meanwhile."""
        self._codec, self._device, self.store = codec, device, store
        self._coming: dict[str, Future[Tensor]] = {}
        self._pool = ThreadPoolExecutor(1, "s1-encoder") if beside else None

    def ask(self, audio: Audio) -> Future[Tensor]:
        """The clip's (codebooks, frames) codes, now or soon."""
        digest = audio_digest(audio)
        if (coming := self._coming.get(digest)) is not None and not coming.done():
            return coming
        self._coming.pop(digest, None)
        if (kept := self.store.get(digest)) is not None:
            return _here(kept)
        if self._pool is None:
            return _here(self._encode(audio, digest))
        self._coming[digest] = self._pool.submit(self._encode, audio, digest)
        return self._coming[digest]

    def close(self) -> None:
        if self._pool is not None:
            self._pool.shutdown(wait=False, cancel_futures=True)

    @torch.inference_mode()
    def _encode(self, audio: Audio, digest: str) -> Tensor:
        samples = sound.resample(audio, self._codec.config.sample_rate).samples
        return self.store.put(digest, self._codec.encode(torch.from_numpy(samples).to(self._device)).cpu())


def _here(codes: Tensor) -> Future[Tensor]:
    future: Future[Tensor] = Future()
    future.set_result(codes)
    return future
