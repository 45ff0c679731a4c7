"""Decode frames to audio: choose which streams' packets are decoded together, and return the audio that has arrived."""

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import torch

from engines.codec_lm.active_request import ActiveRequest, GroupAudio
from engines.codec_lm.streaming import ROWS_MAX, CodecStreams, DecodedPackets, Packet
from engines.runtime.transfers import AsyncHostCopy
from engines.types import Samples

# With at most this many requests, the next decode step waits for the first audio of a request.
FEW_REQUESTS = 4


@dataclass(frozen=True, slots=True, eq=False)
class ArrivedPacket:
    """A packet of a group's audio on the host."""

    sound: GroupAudio
    samples: Samples
    last: bool  # True for the last packet of its group


class PacketQueue:
    """The groups whose frames are being decoded to audio, packet by packet."""

    def __init__(self, streams: CodecStreams, patient: bool) -> None:
        """Create an empty queue; `patient` lets packets wait for others, because many take hardly longer than one."""
        self.streams = streams
        self.patient = patient
        self._sounds: list[GroupAudio] = []
        self._leaving: deque[tuple[Sequence[tuple[GroupAudio, bool]], DecodedPackets]] = deque()

    def add(self, sound: GroupAudio) -> None:
        """Add a group whose frames are being generated."""
        self._sounds.append(sound)

    def drop(self, request: ActiveRequest) -> None:
        """Stop decoding a request; packets that were started still arrive."""
        for sound in [each for each in self._sounds if each.request is request]:
            self.close(sound)

    def decode(self) -> None:
        """Start to decode due packets, unless they should wait for more."""
        first: dict[ActiveRequest, GroupAudio] = {}  # the groups of a text are decoded in order
        for sound in self._sounds:
            first.setdefault(sound.request, sound)
        due = [sound for sound in first.values() if sound.due]
        waits = self.patient and len(due) < len(first) and all(sound.patience > 0 for sound in due)
        if waits:
            for sound in due:
                sound.waited += 1
            return
        sizes: dict[tuple[int, int], list[GroupAudio]] = {}
        for sound in due:
            sizes.setdefault((min(sound.packets, 1), self.streams.padded(sound.frames_due)), []).append(sound)
        for _, sounds in sorted(sizes.items()):  # first packets first
            for start in range(0, len(sounds), ROWS_MAX):
                self._begin(sounds[start : start + ROWS_MAX])
            if len(first) <= FEW_REQUESTS and not all(sound.request.heard for sound in sounds):
                self.streams.go_first()

    def _begin(self, sounds: Sequence[GroupAudio]) -> None:
        """Decode the next packet of each of these, which have one size."""
        leaving = [(sound, sound.ended and sound.decoded + sound.frames_due == len(sound.frames)) for sound in sounds]
        silent = not any(self._has_audio(sound) for sound in sounds)
        decoded = _nothing(len(sounds)) if silent else self.streams.decode([self._packet(*each) for each in leaving])
        for sound, last in leaving:  # after decoding, because it is repeated if the device runs out of memory
            sound.decoded += sound.frames_due
            sound.packets, sound.waited = sound.packets + 1, 0
            if last:
                self.close(sound)
        self._leaving.append((leaving, decoded))

    def _has_audio(self, sound: GroupAudio) -> bool:
        """Return True if the next packet has frames, or audio that trails earlier frames."""
        return sound.frames_due > 0 or (self.streams.delay > 0 and sound.decoded > 0)

    def _packet(self, sound: GroupAudio, last: bool) -> Packet:
        if sound.slot is None:
            sound.slot = self.streams.open()
        frames = sound.frames[sound.decoded :][: sound.frames_due]
        codes = (
            torch.from_numpy(np.stack(frames, 1))
            if frames
            else torch.zeros(self.streams.codebooks, 0, dtype=torch.long)
        )
        return Packet(sound.slot, codes, last)

    def close(self, sound: GroupAudio) -> None:
        """Stop decoding this group."""
        self._sounds.remove(sound)
        if sound.slot is not None:
            self.streams.close(sound.slot)

    def arrived(self, wait: bool) -> Iterator[ArrivedPacket]:
        """Yield the packets that have arrived, in the order of decoding; `wait` waits for the first one."""
        while self._leaving and (wait or self._leaving[0][1].samples.ready):
            wait = False
            leaving, decoded = self._leaving.popleft()
            samples = decoded.samples.value().numpy()
            for row, ((sound, last), length) in enumerate(zip(leaving, decoded.lengths, strict=True)):
                yield ArrivedPacket(sound, samples[row, :length], last)


def _nothing(packets: int) -> DecodedPackets:
    return DecodedPackets(AsyncHostCopy(torch.zeros(packets, 0)), [0] * packets)
