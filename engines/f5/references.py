"""References as the F5 network takes them, prepared once each."""

import math
from collections import OrderedDict
from dataclasses import dataclass

import numpy as np
import torch

from engines import audio as sound
from engines import text as writing
from engines.errors import BadAudio, BadText, UnsupportedText
from engines.f5.mel import FLOOR, HOP, SAMPLE_RATE, log_mel
from engines.f5.spec import SPEC
from engines.types import Reference

LEVEL_RMS = 0.1  # quieter references are raised to this level for the network, and what is made is lowered again
TAIL_S = 0.05  # silence behind a reference, so that its last word does not run into the first new one
KEPT = 32


@dataclass(frozen=True, slots=True, eq=False)
class F5Reference:
    """A reference as the network takes it; the same for every set of weights."""

    mel: torch.Tensor  # (frames, 100)
    paced_frames: int  # of those, without silences longer than natural pauses: they give the speaking rate
    transcript: str  # as the checkpoint can say it, ending in a full stop and a space
    gain: float  # applied to what is made, to undo the raised level


def with_full_stop(transcript: str) -> str:
    """A transcript that ends like a sentence, so that the new text begins like one."""
    return transcript + (" " if transcript[-1] in ".!?。！？" else ". ")


class F5ReferenceCache:
    """Prepares references and keeps those used last."""

    def __init__(self, characters: frozenset[str], device: torch.device, floor: float = math.log(FLOOR)) -> None:
        """`characters` are what the checkpoint can say; no band of a log-mel is below `floor`."""
        self._characters, self._device, self._floor = characters, device, floor
        self._prepared: OrderedDict[str, F5Reference] = OrderedDict()

    @property
    def memory_bytes(self) -> int:
        """Bytes of all mels on the device."""
        return sum(prepared.mel.nbytes for prepared in self._prepared.values())

    def prepare(self, reference: Reference) -> F5Reference:
        """Raises BadAudio, BadText."""
        key = reference.digest
        if key not in self._prepared:
            self._prepared[key] = self._read(reference)
            if len(self._prepared) > KEPT:
                self._prepared.popitem(last=False)
        self._prepared.move_to_end(key)
        return self._prepared[key]

    def _read(self, reference: Reference) -> F5Reference:
        limit_s = SPEC.reference_max_s
        if reference.audio.duration_s > limit_s + 0.01:
            raise BadAudio(
                f"the reference is {reference.audio.duration_s:.1f} s long; F5-TTS takes {limit_s:.0f} s, select a part"
            )
        try:
            spoken = writing.spoken_form(writing.without_markers(reference.transcript))
            transcript = writing.fit(spoken, self._characters).strip()
        except UnsupportedText as error:
            raise UnsupportedText(f"the transcript: {error}", error.characters) from error
        if not transcript:
            raise BadText("the transcript has nothing this checkpoint can say; type what is said in the reference")
        samples = sound.resample(reference.audio, SAMPLE_RATE).samples
        rms = float(np.sqrt(np.mean(np.square(samples, dtype=np.float64))))
        if rms == 0.0:
            raise BadAudio("the reference is silent; choose another part or clip")
        gain = min(1.0, rms / LEVEL_RMS)
        padded = np.concatenate((samples / gain, np.zeros(round(TAIL_S * SAMPLE_RATE), np.float32)))
        mel = log_mel(torch.from_numpy(padded.astype(np.float32))).clamp(min=self._floor).to(self._device)
        silent_s = reference.audio.duration_s - sound.paced_s(reference.audio)
        paced_frames = len(mel) - round(silent_s * SAMPLE_RATE / HOP)
        return F5Reference(mel, paced_frames, with_full_stop(transcript), gain)
