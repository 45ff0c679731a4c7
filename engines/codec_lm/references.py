"""Check references and encode each clip once, in the background if the encoder has a separate device."""

import math
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from engines import audio as sound
from engines.codec_lm.caches import CodeStore
from engines.codec_lm.parts import CodecLm
from engines.codec_lm.prompts import PromptFormat, Turn
from engines.references import check_length, level_rms, spoken_transcript
from engines.registry import Spec
from engines.types import Audio, Reference

LEVEL_RMS = 0.08  # quieter references are raised to this level for the codec, and the result is lowered again


@dataclass(frozen=True, slots=True)
class ReferenceText:
    """The facts about a reference that are known before it is encoded."""

    digest: str  # of audio and transcript
    transcript: str  # in the checkpoint's characters
    positions: int  # of the prompt that the reference uses


@dataclass(frozen=True, slots=True, eq=False)
class EncodedReference:
    """A reference as input of the network."""

    transcript: str
    codes: Future[Tensor]  # (codebooks, frames)
    positions: int  # of the prompt that the reference uses
    digest: str  # of audio and transcript; the key of its keys and values
    audio: Audio  # as given to the codec
    level_rms: float  # of `audio`
    gain: float  # applied to the result, to undo the raised level of the reference
    voice_codes: tuple[int, ...] = ()  # of a designed voice, in place of those of the clip

    @property
    def turn(self) -> Turn:
        """Return its turn in the prompt; wait for the codes."""
        codes = self.codes.result()
        if self.voice_codes:
            voice = torch.tensor(self.voice_codes)[:, None].expand(-1, codes.shape[1])
            codes = torch.cat((codes[:1], voice))
        return Turn(self.transcript, codes)


class ReferenceEncoder:
    """Checks references and encodes each clip once. Any thread may call `read`, only the scheduler's the rest."""

    def __init__(self, model: CodecLm, spec: Spec, store: CodeStore, device: torch.device, *, background: bool) -> None:
        """Create the encoder; `device` has the model's encoder; `background` encodes on a separate thread."""
        self.store = store
        self._model, self._spec, self._device = model, spec, device
        self._encoding: dict[str, Future[Tensor]] = {}
        self._pool = ThreadPoolExecutor(1, "reference-encoder") if background else None

    def read(self, reference: Reference, prompt: PromptFormat) -> ReferenceText:
        """Read the transcript, and count the positions of the reference in a prompt. Raises BadAudio, BadText."""
        check_length(reference.audio, self._spec)
        characters = frozenset(self._model.defaults.characters)
        transcript = spoken_transcript(reference.transcript, characters) if prompt.reads_transcript else ""
        frames = math.ceil(reference.audio.duration_s * self._model.frames.frame_rate)
        positions = prompt.positions(transcript, frames) if prompt.reads_reference else 0
        return ReferenceText(reference.digest, transcript, positions)

    def prepare(self, reference: Reference, text: ReferenceText) -> EncodedReference:
        """Return the network's input for the reference; `text` is the result of `read`. Raises BadAudio."""
        rms = level_rms(reference.audio)
        gain = min(1.0, rms / LEVEL_RMS)
        raised = Audio(reference.audio.samples / np.float32(gain), reference.audio.sample_rate)
        codes = self.encode(raised)
        designer = self._model.designer  # codes of other engines, and damaged ones, are ignored
        voice = reference.voice_codes if designer is not None and designer.accepts(reference.voice_codes) else ()
        return EncodedReference(text.transcript, codes, text.positions, text.digest, raised, rms / gain, gain, voice)

    def encode(self, audio: Audio) -> Future[Tensor]:
        """Return the (codebooks, frames) codes of a clip, which may still be encoded in the background."""
        digest = audio.digest
        running = self._encoding.pop(digest, None)
        if running is not None and not running.done():
            self._encoding[digest] = running
            return running
        if (kept := self.store.get(digest)) is not None:
            return _done(kept)
        if self._pool is None:
            return _done(self._encode(audio, digest))
        self._encoding[digest] = self._pool.submit(self._encode, audio, digest)
        return self._encoding[digest]

    @property
    def in_background(self) -> bool:
        """Return True if clips are encoded in another thread, because the encoder has its own device."""
        return self._pool is not None

    def close(self) -> None:
        """Stop encoding."""
        if self._pool is not None:
            self._pool.shutdown(wait=False, cancel_futures=True)

    @torch.inference_mode()
    def _encode(self, audio: Audio, digest: str) -> Tensor:
        encoder = self._model.encoder
        samples = sound.resample(audio, encoder.sample_rate).samples
        return self.store.put(digest, encoder.encode(torch.from_numpy(samples).to(self._device)).cpu())


def _done(codes: Tensor) -> Future[Tensor]:
    future: Future[Tensor] = Future()
    future.set_result(codes)
    return future
