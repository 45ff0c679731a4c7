"""Decode frames to audio: choose which streams' packets are decoded together, and return the audio that has arrived."""

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import torch

from engines.runtime.transfers import AsyncHostCopy
from engines.s1.active_request import GroupSound, S1ActiveRequest
from engines.s1.codec_streams import ROWS_MAX, CodecStreams, Packet
from engines.types import Samples

_SILENCE = np.empty(0, np.float32)
_NOTHING = AsyncHostCopy(torch.empty(0, 0))


@dataclass(frozen=True, slots=True, eq=False)
class ArrivedSound:
    """A packet of a group's audio on the host."""

    sound: GroupSound
    samples: Samples
    last: bool  # True for the last packet of its group


class Sounding:
    """The groups whose audio is being decoded."""

    def __init__(self, streams: CodecStreams, patient: bool) -> None:
        """Create an empty queue; `patient` lets packets wait for others, because many take hardly longer than one."""
        self.streams = streams
        self.patient = patient
        self._sounds: list[GroupSound] = []
        self._leaving: deque[tuple[Sequence[tuple[GroupSound, int, bool]], AsyncHostCopy]] = deque()

    def add(self, sound: GroupSound) -> None:
        """Add a group whose frames are being generated."""
        self._sounds.append(sound)

    def drop(self, request: S1ActiveRequest) -> None:
        """Stop decoding a request; packets that were started still arrive."""
        for sound in [each for each in self._sounds if each.request is request]:
            self.close(sound)

    def decode(self) -> None:
        """Start to decode due packets, unless they should wait for more."""
        first: dict[S1ActiveRequest, GroupSound] = {}  # the groups of a text are decoded in order
        for sound in self._sounds:
            first.setdefault(sound.request, sound)
        due = [sound for sound in first.values() if sound.due]
        waits = self.patient and len(due) < len(first) and all(sound.patience > 0 for sound in due)
        if waits:
            for sound in due:
                sound.waited += 1
            return
        sizes: dict[tuple[int, int], list[GroupSound]] = {}
        for sound in due:
            sizes.setdefault((min(sound.packets, 1), self.streams.padded(sound.frames_due)), []).append(sound)
        for (_, size), sounds in sorted(sizes.items()):  # first packets first
            for start in range(0, len(sounds), ROWS_MAX):
                self._begin(sounds[start : start + ROWS_MAX], silent=size == 0)

    def _begin(self, sounds: Sequence[GroupSound], silent: bool) -> None:
        """Decode the next packet of each of these, which have one size; `silent` ones have no more frames."""
        made = _NOTHING if silent else self.streams.decode([self._packet(sound) for sound in sounds])
        leaving = []
        for sound in sounds:  # after decoding, because it is repeated if the device runs out of memory
            frames = sound.frames_due
            sound.decoded += frames
            sound.packets, sound.waited = sound.packets + 1, 0
            last = sound.ended and sound.decoded == len(sound.frames)
            leaving.append((sound, frames, last))
            if last:
                self.close(sound)
        self._leaving.append((leaving, made))

    def _packet(self, sound: GroupSound) -> Packet:
        if sound.slot is None:
            sound.slot = self.streams.open()
        return Packet(sound.slot, torch.from_numpy(np.stack(sound.frames[sound.decoded :][: sound.frames_due], 1)))

    def close(self, sound: GroupSound) -> None:
        """Stop decoding this group."""
        self._sounds.remove(sound)
        if sound.slot is not None:
            self.streams.close(sound.slot)

    def arrived(self, wait: bool) -> Iterator[ArrivedSound]:
        """Yield the packets that have arrived, in the order of decoding; `wait` waits for the first one."""
        hop = self.streams.codec.config.hop
        while self._leaving and (wait or self._leaving[0][1].ready):
            wait = False
            leaving, made = self._leaving.popleft()
            samples = made.value().numpy()
            for row, (sound, frames, last) in enumerate(leaving):
                yield ArrivedSound(sound, samples[row, : frames * hop] if frames else _SILENCE, last)
