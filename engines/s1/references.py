"""References as the engine takes them: checked, and encoded once a clip, beside the lane if the encoder stands elsewhere."""

from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from engines import audio as sound
from engines import text as writing
from engines.errors import BadAudio, BadText, UnsupportedText
from engines.registry import SPECS
from engines.s1.caches import CodeStore
from engines.s1.model import Voice
from engines.s1.prompt import Turn
from engines.types import Audio, Reference

LEVEL_RMS = 0.08  # quieter references are raised to this for the codec, and its speech lowered again


@dataclass(frozen=True, slots=True, eq=False)
class Prepared:
    """A reference as the network takes it."""

    transcript: str
    codes: Future[Tensor]  # (codebooks, frames)
    digest: str  # of sound and transcript: what the network has read is kept under it
    level_rms: float  # as the codec hears it
    gain: float  # to put on what is made, undoing the level correction

    @property
    def turn(self) -> Turn:
        """Waits for the codes."""
        return Turn(self.transcript, self.codes.result())


class References:
    """Called from the lane alone."""

    def __init__(self, voice: Voice, store: CodeStore, device: torch.device, beside: bool) -> None:
        """`device` is where the voice's encoder is; `beside` lets the lane go on while it works."""
        self.store = store
        self._voice, self._device = voice, device
        self._coming: dict[str, Future[Tensor]] = {}
        self._pool = ThreadPoolExecutor(1, "s1-encoder") if beside else None

    def prepare(self, reference: Reference) -> Prepared:
        """Raises BadAudio, BadText."""
        limit_s = SPECS["s1"].reference_max_s
        if reference.audio.duration_s > limit_s + 0.01:
            raise BadAudio(
                f"the reference is {reference.audio.duration_s:.1f} s long; S1-Mini takes {limit_s:.0f} s, select a part"
            )
        transcript = self._transcript(reference)
        rms = float(np.sqrt(np.mean(np.square(reference.audio.samples, dtype=np.float64))))
        if rms == 0.0:
            raise BadAudio("the reference is silent; choose another part or clip")
        gain = min(1.0, rms / LEVEL_RMS)
        raised = Audio(reference.audio.samples / np.float32(gain), reference.audio.sample_rate)
        return Prepared(transcript, self._codes(raised), reference.digest, rms / gain, gain)

    def close(self) -> None:
        if self._pool is not None:
            self._pool.shutdown(wait=False, cancel_futures=True)

    def _transcript(self, reference: Reference) -> str:
        """As the checkpoint can say it."""
        spoken = writing.spoken_form(writing.without_markers(reference.transcript))
        characters = frozenset(self._voice.defaults.characters)
        try:
            transcript = (writing.fit(spoken, characters) if characters else spoken).strip()
        except UnsupportedText as error:
            raise UnsupportedText(f"the transcript: {error}", error.characters) from error
        if not transcript:
            raise BadText("the transcript has nothing this checkpoint can say; type what is said in the reference")
        return transcript

    def _codes(self, audio: Audio) -> Future[Tensor]:
        digest = audio.digest
        coming = self._coming.pop(digest, None)
        if coming is not None and not coming.done():
            self._coming[digest] = coming
            return coming
        if (kept := self.store.get(digest)) is not None:
            return _here(kept)
        if self._pool is None:
            return _here(self._encode(audio, digest))
        self._coming[digest] = self._pool.submit(self._encode, audio, digest)
        return self._coming[digest]

    @torch.inference_mode()
    def _encode(self, audio: Audio, digest: str) -> Tensor:
        encoder = self._voice.encoder
        samples = sound.resample(audio, encoder.config.sample_rate).samples
        return self.store.put(digest, encoder.encode(torch.from_numpy(samples).to(self._device)).cpu())


def _here(codes: Tensor) -> Future[Tensor]:
    future: Future[Tensor] = Future()
    future.set_result(codes)
    return future
