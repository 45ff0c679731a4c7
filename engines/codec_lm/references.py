"""Check references, and encode each clip once.

On a GPU, a background thread starts the encoder on a separate CUDA stream, so that the decode steps of other requests continue.
On a CPU, the calling thread encodes, or a background thread if the language model has another device.
"""

import math
import time
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
from engines.runtime.priorities import REFERENCE_ENCODING
from engines.runtime.transfers import AsyncHostCopy, to_device
from engines.types import Audio, Reference, Samples

POLL_S = 0.0002
LEVEL_RMS = 0.08  # quieter references are raised to this level for the codec, and the result is lowered again


@dataclass(frozen=True, slots=True, eq=False)
class EncoderInput:
    """A clip as an encoder takes it."""

    audio: Audio
    digest: str  # of `audio`, the key of its codes
    samples: Samples | None = None  # at the encoder's rate; None if the codes are stored


@dataclass(frozen=True, slots=True, eq=False)
class CheckedReference:
    """The facts about a reference that are known before it is encoded."""

    digest: str  # of audio and transcript
    transcript: str  # in the checkpoint's characters
    positions: int  # of the prompt that the reference uses
    clip: EncoderInput  # at the level that the codec needs
    level_rms: float  # of the clip
    gain: float  # applied to the result, to undo the raised level of the reference


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


@dataclass(frozen=True, slots=True, eq=False)
class DeviceEncoding:
    """A clip that the device encodes."""

    digest: str
    codes: Future[Tensor]
    copy: Future[AsyncHostCopy]  # of the codes, once the encoder is launched


class ReferenceEncoder:
    """Checks references and encodes each clip once. Any thread may call `read`; only the scheduler's may call others."""

    def __init__(self, model: CodecLm, spec: Spec, store: CodeStore, device: torch.device, *, background: bool) -> None:
        """Create the encoder; `device` has the model's encoder; `background` encodes on a separate thread."""
        self.store = store
        self._model, self._spec, self._device = model, spec, device
        self._running: dict[str, Future[Tensor]] = {}
        self._on_device: list[DeviceEncoding] = []  # in the order of their start
        self._stream = torch.cuda.Stream(device, REFERENCE_ENCODING) if device.type == "cuda" else None  # type: ignore[no-untyped-call]
        in_thread = background or self._stream is not None
        self._pool = ThreadPoolExecutor(1, "reference-encoder") if in_thread else None

    def read(self, reference: Reference, prompt: PromptFormat) -> CheckedReference:
        """Read the transcript, and prepare the clip for the encoder. Raises BadAudio, BadText."""
        check_length(reference.audio, self._spec)
        characters = frozenset(self._model.defaults.characters)
        transcript = spoken_transcript(reference, characters) if prompt.reads_transcript else ""
        frames = math.ceil(reference.audio.duration_s * self._model.frames.frame_rate)
        positions = prompt.positions(transcript, frames) if prompt.reads_reference else 0
        rms = level_rms(reference.audio)
        gain = min(1.0, rms / LEVEL_RMS)
        raised = Audio(reference.audio.samples / np.float32(gain), reference.audio.sample_rate)
        return CheckedReference(reference.digest, transcript, positions, self._clip(raised), rms / gain, gain)

    def prepare(self, reference: Reference, checked: CheckedReference) -> EncodedReference:
        """Return the network's input for the reference; `checked` is the result of `read`."""
        designer = self._model.designer  # codes of other engines, and damaged ones, are ignored
        voice = reference.voice_codes if designer is not None and designer.accepts(reference.voice_codes) else ()
        return EncodedReference(
            checked.transcript, self._codes(checked.clip), checked.positions, checked.digest, checked.clip.audio,
            checked.level_rms, checked.gain, voice,
        )  # fmt: skip

    def encode(self, audio: Audio) -> Future[Tensor]:
        """Return the (codebooks, frames) codes of a clip, which may still be encoded."""
        return self._codes(self._clip(audio))

    def collect(self, wait_max_s: float = 0.0) -> None:
        """Store the codes that have arrived from the device. Wait at most `wait_max_s` for the codes of the oldest clip."""
        until = time.monotonic() + wait_max_s
        while self._on_device and not _has_arrived(self._on_device[0].copy) and time.monotonic() < until:
            time.sleep(POLL_S)
        while self._on_device and _has_arrived(self._on_device[0].copy):
            ended = self._on_device.pop(0)
            if (error := ended.copy.exception()) is not None:
                ended.codes.set_exception(error)
            else:
                ended.codes.set_result(self.store.put(ended.digest, ended.copy.result().value().clone()))

    @property
    def in_background(self) -> bool:
        """Return True if a thread encodes clips from start to end, because the encoder has its own device."""
        return self._pool is not None and self._stream is None

    def close(self) -> None:
        """Stop encoding."""
        if self._pool is not None:
            self._pool.shutdown(wait=False, cancel_futures=True)

    def _clip(self, audio: Audio) -> EncoderInput:
        """Resample a clip for the encoder, unless its codes are stored."""
        digest = audio.digest
        return EncoderInput(audio, digest, None if digest in self.store else self._resampled(audio))

    def _resampled(self, audio: Audio) -> Samples:
        return sound.resample(audio, self._model.encoder.sample_rate).samples

    def _codes(self, clip: EncoderInput) -> Future[Tensor]:
        running = self._running.pop(clip.digest, None)
        if running is not None and not running.done():
            self._running[clip.digest] = running
            return running
        if (kept := self.store.get(clip.digest)) is not None:
            return _done(kept)
        samples = self._resampled(clip.audio) if clip.samples is None else clip.samples
        if self._pool is None:
            return _done(self._encode(samples, clip.digest))
        if self._stream is None:
            codes = self._pool.submit(self._encode, samples, clip.digest)
        else:
            codes = Future()
            self._on_device.append(DeviceEncoding(clip.digest, codes, self._pool.submit(self._launch, samples)))
        self._running[clip.digest] = codes
        return codes

    @torch.inference_mode()
    def _launch(self, samples: Samples) -> AsyncHostCopy:
        """Start to encode samples on the GPU."""
        with torch.cuda.stream(self._stream):
            return AsyncHostCopy(self._model.encoder.encode(to_device(torch.from_numpy(samples), self._device)))

    @torch.inference_mode()
    def _encode(self, samples: Samples, digest: str) -> Tensor:
        return self.store.put(digest, self._model.encoder.encode(torch.from_numpy(samples).to(self._device)).cpu())


def _has_arrived(copy: Future[AsyncHostCopy]) -> bool:
    return copy.done() and (copy.exception() is not None or copy.result().ready)


def _done(codes: Tensor) -> Future[Tensor]:
    future: Future[Tensor] = Future()
    future.set_result(codes)
    return future
