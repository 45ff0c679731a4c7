"""From frames to sound: which streams' packets are decoded together, and what has arrived on the host."""

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import torch

from engines.runtime.transfers import Arriving
from engines.s1.active_request import GroupSound, S1ActiveRequest
from engines.s1.codec_streams import ROWS_MAX, CodecStreams, Packet
from engines.types import Samples

_SILENCE = np.empty(0, np.float32)
_NOTHING = Arriving(torch.empty(0, 0))


@dataclass(frozen=True, slots=True, eq=False)
class ArrivedSound:
    """A packet of a group's sound on the host."""

    sound: GroupSound
    samples: Samples
    last: bool  # of its group


class Sounding:
    """The groups whose sound is being made."""

    def __init__(self, streams: CodecStreams, patient: bool) -> None:
        """`patient`: packets wait a little for those of others, where many take hardly longer than one."""
        self.streams = streams
        self.patient = patient
        self._sounds: list[GroupSound] = []
        self._leaving: deque[tuple[Sequence[tuple[GroupSound, int, bool]], Arriving]] = deque()

    def add(self, sound: GroupSound) -> None:
        """Make sound of what will be drawn."""
        self._sounds.append(sound)

    def drop(self, request: S1ActiveRequest) -> None:
        """Make no more sound of a request; what was begun still arrives."""
        for sound in [each for each in self._sounds if each.request is request]:
            self.close(sound)

    def decode(self) -> None:
        """Begin to decode what is due, unless it had better wait for company."""
        first: dict[S1ActiveRequest, GroupSound] = {}  # a text is heard group by group
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
        """Decode the next packet of each of these, which are of one size; `silent` ones have no more frames."""
        made = _NOTHING if silent else self.streams.decode([self._packet(sound) for sound in sounds])
        leaving = []
        for sound in sounds:  # only what was begun counts: a device without memory is asked again
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
        """Make no more of this sound."""
        self._sounds.remove(sound)
        if sound.slot is not None:
            self.streams.close(sound.slot)

    def arrived(self, wait: bool) -> Iterator[ArrivedSound]:
        """What has arrived since, in the order it was made; `wait` waits for the first of it."""
        hop = self.streams.codec.config.hop
        while self._leaving and (wait or self._leaving[0][1].here):
            wait = False
            leaving, made = self._leaving.popleft()
            samples = made.value().numpy()
            for row, (sound, frames, last) in enumerate(leaving):
                yield ArrivedSound(sound, samples[row, : frames * hop] if frames else _SILENCE, last)
