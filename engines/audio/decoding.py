"""Decode an untrusted audio file completely, in blocks and up to a limit, without trusting lengths in headers."""

import io
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np
import numpy.typing as npt
import soundfile

from engines.audio.foreign import transcoded
from engines.audio.parts import Recording, split
from engines.audio.shaping import resample
from engines.errors import BadAudio
from engines.types import Audio, Samples

Channel = Literal["mix", "loudest"]
Block = npt.NDArray[np.float32]  # shape (frames, channels)
Opened = Callable[[], AbstractContextManager[io.IOBase]]

# libsndfile reads more containers, but its parsers of rare ones had security holes. It guesses the length of an MP3 file.
CONTAINERS = {"WAV", "WAVEX", "RF64", "W64", "FLAC", "OGG", "AIFF", "AU", "CAF"}
MAGICS = {
    b"RIFF",
    b"RIFX",
    b"RF64",
    b"riff",
    b"FORM",
    b".snd",
    b"caff",
    b"fLaC",
    b"OggS",
}  # the first four bytes of these containers
CODED_AS_MP3 = "MPEG_LAYER_III"  # in a WAV file
BLOCK_FRAMES = 65_536
CHANNELS_MAX = 32
RATES_HZ = (4_000, 384_000)  # a header with a higher rate would raise every limit that is counted in frames
LENGTH_UNKNOWN = 2**40  # frames; libsndfile reports a huge number if a stream has no length, and then fails in blocks
LARGEST_SAMPLE = 64.0  # full scale is 1.0; beyond this a float file is mis-scaled, not loud
SHORTFALL_MAX_S = 0.1  # coded formats may end a frame or two before the length in the header
READ_AHEAD_BYTES = 16_384  # libFLAC reads ahead this much; more unread bytes after the stated length are audio


@dataclass(frozen=True, slots=True, eq=False)
class Decoded:
    """An audio file as two mono signals, which are equal if the file has one channel."""

    mix: Audio  # the mean of all channels
    loudest: Audio  # the channel with the most energy
    channels: int  # the largest number in any recording of the file


def decode(path: Path, *, max_duration_s: float, channel: Channel = "mix") -> Audio:
    """Decode to mono float32 at the file's rate: the mean of all channels, or the channel with the most energy.

    A file of several joined recordings becomes one signal at the rate of the first recording. Memory stays within
    `max_duration_s` of mono audio plus one block, whatever the header says. Raises BadAudio for a file that is not audio,
    has no samples, cannot be decoded completely, contains NaN or infinity, or is longer than `max_duration_s`.
    """
    (audio,), _ = _decode_all(path, max_duration_s, (channel,))
    return audio


def decode_channels(path: Path, *, max_duration_s: float, foreign: bool = True) -> Decoded:
    """Decode both signals. Raises BadAudio like `decode`, and without `foreign` also for files that only ffmpeg decodes."""
    (mix, loudest), channels = _decode_all(path, max_duration_s, ("mix", "loudest"), foreign=foreign)
    return Decoded(mix, loudest, channels)


@dataclass(frozen=True, slots=True)
class _Budget:
    """The limits for decoding a file."""

    max_s: float
    left_s: float
    foreign: bool  # True if ffmpeg may decode the file

    def exceeded(self, duration_s: float | None = None) -> BadAudio:
        """Return the error for a file that is too long; `duration_s` is the length of the current part, if known."""
        lasts = f"longer than {self.max_s:g} s" if duration_s is None else _clock(self.max_s - self.left_s + duration_s)
        return BadAudio(f"the clip lasts {lasts}; cut it to at most {self.max_s:g} s")


def _decode_all(
    path: Path, max_duration_s: float, wanted: Sequence[Channel], *, foreign: bool = True
) -> tuple[list[Audio], int]:
    """Return one signal for each entry of `wanted`, and the number of channels."""
    sounds: list[list[Audio]] = [[] for _ in wanted]
    channels, left_s = 1, max_duration_s
    for part in split(path):
        budget = _Budget(max_duration_s, left_s, foreign)
        with _readable(part, budget) as opened:
            loudest, count = _loudest(opened, budget) if "loudest" in wanted else (0, 1)
            indices = [loudest if channel == "loudest" and count > 1 else None for channel in wanted]
            signals = {index: _decode_part(opened, budget, index) for index in dict.fromkeys(indices)}
        decoded = [signals[index] for index in indices]
        for known, audio in zip(sounds, decoded, strict=True):
            known.append(audio)
        channels, left_s = max(channels, count), left_s - decoded[0].duration_s
    return [_joined(known) for known in sounds], channels


def _decode_part(opened: Opened, budget: _Budget, channel: int | None) -> Audio:
    mono: list[Samples] = []
    with _checked(opened) as sound:
        rate = int(sound.samplerate)
        for block in _blocks(sound, budget):
            mono.append(block.mean(axis=1) if channel is None else np.ascontiguousarray(block[:, channel]))
    return Audio(np.concatenate(mono), rate)


def _loudest(opened: Opened, budget: _Budget) -> tuple[int, int]:
    """Return the loudest channel's index and the number of channels; a separate pass keeps memory at one block."""
    with _checked(opened) as sound:
        if sound.channels == 1:
            return 0, 1
        energy = np.zeros(sound.channels)
        for block in _blocks(sound, budget):
            energy += np.square(block, dtype=np.float64).sum(axis=0)
    return int(np.argmax(energy)), len(energy)


def _joined(sounds: Sequence[Audio]) -> Audio:
    """Join recordings at the rate of the first."""
    if len(sounds) == 1:
        return sounds[0]
    rate = sounds[0].sample_rate
    return Audio(np.concatenate([resample(sound, rate).samples for sound in sounds]), rate)


@contextmanager
def _readable(part: Recording, budget: _Budget) -> Iterator[Opened]:
    """Open the part in a form that libsndfile decodes completely."""
    if _is_native(part):
        yield part.opened
        return
    if not budget.foreign:
        raise BadAudio("the file is damaged or cut off, or its header is wrong; export it again")
    # One second more than allowed, so that a file that is too long is detected.
    with part.descriptor() as file, transcoded(file, budget.left_s + 1.0) as path:
        yield lambda: path.open("rb")


def _is_native(part: Recording) -> bool:
    """Return True if libsndfile decodes the part completely, in blocks."""
    with part.opened() as file:
        if file.read(4) not in MAGICS:
            return False
    try:
        with part.opened() as file, soundfile.SoundFile(file) as sound:
            if sound.format not in CONTAINERS or sound.subtype == CODED_AS_MP3:
                return False
            if sound.format == "FLAC" and 0 < sound.frames < LENGTH_UNKNOWN:
                sound.seek(sound.frames - 1)
                sound.read(1)
                return file.unread <= READ_AHEAD_BYTES
            return 0 <= sound.frames < LENGTH_UNKNOWN
    except soundfile.LibsndfileError:
        return False


@contextmanager
def _checked(opened: Opened) -> Iterator[soundfile.SoundFile]:
    """Open the file and check its header."""
    with opened() as file, soundfile.SoundFile(file) as sound:
        if not 1 <= sound.channels <= CHANNELS_MAX:
            raise BadAudio(f"the file has {sound.channels} channels; export it with one channel")
        if not RATES_HZ[0] <= sound.samplerate <= RATES_HZ[1]:
            raise BadAudio(f"the sample rate is {sound.samplerate} Hz; export the file at 24000 or 44100 Hz")
        yield sound


def _blocks(sound: soundfile.SoundFile, budget: _Budget) -> Iterator[Block]:
    """Yield checked blocks of shape (frames, channels), at least one."""
    allowed = int(budget.left_s * sound.samplerate)
    claimed = (
        0 if sound.format == "OGG" else sound.frames
    )  # Ogg has no length; libsndfile uses the position of the last page
    if claimed > allowed:
        raise budget.exceeded(claimed / sound.samplerate if sound.format != "AU" else None)
    read = 0
    while True:
        block = _read(sound)
        if not len(block):
            break
        read += len(block)
        if read > allowed:
            raise budget.exceeded()
        _check(block)
        yield block
    if read == 0:
        raise BadAudio("the file has no audio (0 samples); record or export it again")
    if read < claimed - SHORTFALL_MAX_S * sound.samplerate:
        seconds = read / sound.samplerate, claimed / sound.samplerate
        raise BadAudio("the file is cut off after {:.1f} s of {:.1f} s; upload or export it again".format(*seconds))


def _read(sound: soundfile.SoundFile) -> Block:
    try:
        block: Block = sound.read(BLOCK_FRAMES, dtype="float32", always_2d=True)
    except (soundfile.LibsndfileError, MemoryError) as error:
        raise BadAudio("the file is damaged or cut off and cannot be decoded; export it again") from error
    return block


def _check(block: Block) -> None:
    if not np.isfinite(block).all():
        raise BadAudio("the file contains NaN or infinity; export it again as 16-bit WAV")
    peak = float(np.abs(block).max())
    if peak > LARGEST_SAMPLE:
        raise BadAudio(f"the file's samples reach {peak:.0f} times full scale; export it again as 16-bit WAV")


def _clock(duration_s: float) -> str:
    return f"{duration_s:.1f} s" if duration_s < 600 else f"{duration_s / 60:.0f} min"
