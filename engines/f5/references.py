"""Prepare references for the F5 network, once each."""

import math
import threading
from collections import OrderedDict
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
import torch

from engines import audio as sound
from engines.f5.mel import FLOOR, HOP, SAMPLE_RATE, log_mel
from engines.f5.spec import SPEC
from engines.references import check_length, level_rms, spoken_transcript
from engines.types import CacheUse, Reference

LEVEL_RMS = 0.1  # quieter references are raised to this level for the network, and the result is lowered again
TAIL_S = 0.05  # silence after a reference, so that its last word does not run into the first new one
TAIL_SAMPLES = round(TAIL_S * SAMPLE_RATE)
KEPT = 32


@dataclass(frozen=True, slots=True)
class F5ReferenceText:
    """The facts about a reference that are known before its spectrogram is computed."""

    digest: str  # of the reference
    transcript: str  # in the checkpoint's characters, with a full stop and a space at the end
    frames: int  # of its mel
    paced_frames: int  # frames without the silences beyond natural pauses; they give the speaking rate
    gain: float  # applied to the result, to undo the raised level of the reference


@dataclass(frozen=True, slots=True, eq=False)
class F5Reference:
    """A reference as the network reads it. It does not depend on the weights."""

    mel: torch.Tensor  # (frames, 100)
    paced_frames: int
    transcript: str
    gain: float


def with_full_stop(transcript: str) -> str:
    """Return a transcript that ends like a sentence, so that the new text starts like one. No gap follows a wide mark."""
    if transcript[-1] in "。！？":
        return transcript
    return transcript + (" " if transcript[-1] in ".!?" else ". ")


class F5ReferenceCache:
    """Reads and prepares references, and caches the latest. Any thread may call `read`, only the scheduler's `prepare`."""

    def __init__(self, characters: frozenset[str], device: torch.device, floor: float = math.log(FLOOR)) -> None:
        """Create an empty cache; `characters` are those of the checkpoint, `floor` is the lower limit of the log-mels."""
        self._characters, self._device, self._floor = characters, device, floor
        self._read: OrderedDict[str, F5ReferenceText] = OrderedDict()
        self._prepared: OrderedDict[str, F5Reference] = OrderedDict()
        self._found, self._missed = 0, 0
        self._lock = threading.Lock()

    @property
    def memory_bytes(self) -> int:
        """Return the bytes of all mels on the device."""
        return sum(prepared.mel.nbytes for prepared in self._prepared.values())

    @property
    def use(self) -> CacheUse:
        """Return entries, bytes and lookups of the prepared references."""
        return CacheUse(
            name="references",
            entries=len(self._prepared),
            bytes=self.memory_bytes,
            found=self._found,
            missed=self._missed,
        )

    def clear(self) -> None:
        """Remove all references."""
        with self._lock:
            self._read.clear()
        self._prepared.clear()

    def read(self, reference: Reference) -> F5ReferenceText:
        """Read the transcript and measure the audio, without a device. Raises BadAudio, BadText."""
        key = reference.digest
        with self._lock:
            found = self._read.get(key)
        if found is None:
            found = self._measured(reference, key)
        with self._lock:
            _keep(self._read, key, found)
        return found

    def prepare(self, reference: Reference, text: F5ReferenceText | None = None) -> F5Reference:
        """Return the network's input for the reference; `text` is the result of `read`. Raises BadAudio, BadText."""
        text = text or self.read(reference)
        found = self._prepared.get(text.digest)
        if found is None:
            self._missed += 1
            found = F5Reference(self._mel(reference, text.gain), text.paced_frames, text.transcript, text.gain)
        else:
            self._found += 1
        _keep(self._prepared, text.digest, found)
        return found

    def _measured(self, reference: Reference, key: str) -> F5ReferenceText:
        check_length(reference.audio, SPEC)
        transcript = with_full_stop(spoken_transcript(reference, self._characters))
        rms = level_rms(reference.audio)
        frames = (sound.resampled_length(reference.audio, SAMPLE_RATE) + TAIL_SAMPLES) // HOP + 1
        silent_s = reference.audio.duration_s - sound.paced_s(reference.audio)
        paced_frames = frames - round(silent_s * SAMPLE_RATE / HOP)
        return F5ReferenceText(key, transcript, frames, paced_frames, min(1.0, rms / LEVEL_RMS))

    def _mel(self, reference: Reference, gain: float) -> torch.Tensor:
        samples = sound.resample(reference.audio, SAMPLE_RATE).samples
        padded = np.concatenate((samples / gain, np.zeros(TAIL_SAMPLES, np.float32)))
        return log_mel(torch.from_numpy(padded.astype(np.float32))).clamp(min=self._floor).to(self._device)


Kept = TypeVar("Kept")


def _keep(kept: OrderedDict[str, Kept], key: str, value: Kept) -> None:
    """Add a value to a cache, and remove the least recently used one if the cache is full."""
    kept[key] = value
    kept.move_to_end(key)
    if len(kept) > KEPT:
        kept.popitem(last=False)
