"""Read an untrusted sound file: header first, then blocks up to a limit."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np
import numpy.typing as npt
import soundfile

from engines.audio.foreign import transcoded
from engines.audio.riff import missing_bytes
from engines.errors import BadAudio
from engines.types import Audio, Samples

Channel = Literal["mix", "loudest"]
Block = npt.NDArray[np.float32]  # shape (frames, channels)

# libsndfile reads many more, but rare containers are where its parsers have had holes.
CONTAINERS = {"WAV", "WAVEX", "RF64", "W64", "FLAC", "OGG", "MP3", "AIFF", "AU", "CAF"}
BLOCK_FRAMES = 65_536
CHANNELS_MAX = 32
RATES_HZ = (4_000, 384_000)  # a header that claims more would lift every cap counted in frames
LENGTH_UNKNOWN = 2**40  # frames; libsndfile says a huge number where a stream does not tell, and then fails in blocks
LARGEST_SAMPLE = 64.0  # full scale is 1.0; beyond this a float file is mis-scaled, not loud
SHORTFALL_MAX_S = 0.1  # coded formats may end a frame or two before the length in their header
SHORTFALL_FOREIGN_MAX_S = 0.5  # their headers tell the length of the longest track, to a packet
PEEK_S = 0.1
FOREIGN = "M4A/WebM"


@dataclass(frozen=True, slots=True, kw_only=True)
class Probe:
    """What a file's header claims. Nothing here has been verified by decoding."""

    duration_s: float  # 0.0 where the header does not say
    sample_rate: int  # Hz
    channels: int
    frames: int  # 0 where the header does not say
    container: str  # "WAV", "FLAC", "MP3", ...; FOREIGN for what ffmpeg reads


def probe(path: Path) -> Probe:
    """Read the header only. Raises BadAudio if the file is not sound, or claims absurd numbers."""
    if _is_native(path):
        with _opened(path) as sound:
            return Probe(
                duration_s=sound.frames / sound.samplerate,
                sample_rate=sound.samplerate,
                channels=sound.channels,
                frames=sound.frames,
                container=sound.format,
            )
    with transcoded(path, PEEK_S) as (wav, duration_s), _opened(wav) as sound:
        rate, channels = sound.samplerate, sound.channels
    return Probe(
        duration_s=duration_s,
        sample_rate=rate,
        channels=channels,
        frames=round(duration_s * rate),
        container=FOREIGN,
    )


def decode(path: Path, *, max_duration_s: float, channel: Channel = "mix") -> Audio:
    """Decode to mono float32 at the file's own rate: the mean of all channels, or the one with most energy.

    Memory stays within `max_duration_s` of mono audio plus one block, whatever the header says. Raises BadAudio for
    files that are not sound, hold no samples, are cut off, hold NaN or infinity, or last longer than `max_duration_s`.
    """
    if _is_native(path):
        return _decode_native(path, max_duration_s, channel)
    # One second more than allowed, so that a longer file is seen to be longer.
    with transcoded(path, max_duration_s + 1.0) as (wav, claimed_s):
        decoded_s = soundfile.info(wav).duration
        if decoded_s > max_duration_s:
            raise _too_long(claimed_s if claimed_s > decoded_s else None, max_duration_s)
        if decoded_s < claimed_s - SHORTFALL_FOREIGN_MAX_S:
            raise _cut_off(decoded_s, claimed_s)
        return _decode_native(wav, max_duration_s, channel)


def _decode_native(path: Path, max_duration_s: float, channel: Channel) -> Audio:
    picked = _loudest(path, max_duration_s) if channel == "loudest" else None
    mono: list[Samples] = []
    with _opened(path) as sound:
        rate = int(sound.samplerate)
        for block in _blocks(sound, max_duration_s):
            mono.append(block.mean(axis=1) if picked is None else np.ascontiguousarray(block[:, picked]))
    return Audio(np.concatenate(mono), rate)


def _loudest(path: Path, max_duration_s: float) -> int:
    """Index of the channel with the most energy; a pass of its own keeps memory at one block."""
    with _opened(path) as sound:
        energy = np.zeros(sound.channels)
        for block in _blocks(sound, max_duration_s):
            energy += np.square(block, dtype=np.float64).sum(axis=0)
    return int(np.argmax(energy))


def _blocks(sound: soundfile.SoundFile, max_duration_s: float) -> Iterator[Block]:
    """Checked blocks of shape (frames, channels), at least one."""
    allowed = int(max_duration_s * sound.samplerate)
    claimed = sound.frames
    if claimed > allowed:
        raise _too_long(claimed / sound.samplerate, max_duration_s)
    read = 0
    while True:
        block = _read(sound)
        if not len(block):
            break
        read += len(block)
        if read > allowed:
            raise _too_long(None, max_duration_s)
        _check(block)
        yield block
    if read == 0:
        raise BadAudio("the file holds no sound at all (0 samples); record or export it again")
    if read < claimed - SHORTFALL_MAX_S * sound.samplerate:
        raise _cut_off(read / sound.samplerate, claimed / sound.samplerate)


def _read(sound: soundfile.SoundFile) -> Block:
    try:
        block: Block = sound.read(BLOCK_FRAMES, dtype="float32", always_2d=True)
    except (soundfile.LibsndfileError, MemoryError) as error:
        raise BadAudio("the file is damaged or cut off and cannot be decoded; export it again") from error
    return block


def _check(block: Block) -> None:
    if not np.isfinite(block).all():
        raise BadAudio("the file holds values that are not numbers (NaN or infinity); export it again as 16-bit WAV")
    peak = float(np.abs(block).max())
    if peak > LARGEST_SAMPLE:
        raise BadAudio(f"the file's samples reach {peak:.0f} times full scale; export it again as 16-bit WAV")


def _too_long(duration_s: float | None, max_duration_s: float) -> BadAudio:
    lasts = f"longer than {max_duration_s:g} s" if duration_s is None else _clock(duration_s)
    return BadAudio(f"the clip lasts {lasts}; at most {max_duration_s:g} s are taken, cut it first")


def _cut_off(decoded_s: float, claimed_s: float) -> BadAudio:
    return BadAudio(f"the file is cut off after {decoded_s:.1f} s of {claimed_s:.1f} s; upload or export it again")


def _clock(duration_s: float) -> str:
    return f"{duration_s:.1f} s" if duration_s < 600 else f"{duration_s / 60:.0f} min"


def _is_native(path: Path) -> bool:
    """Whether libsndfile reads it in blocks. Raises BadAudio for a file that is missing or empty."""
    if not path.is_file() or path.stat().st_size == 0:
        raise BadAudio("the file is empty or missing; upload it again")
    try:
        with soundfile.SoundFile(path) as sound:
            return sound.format in CONTAINERS and 0 <= sound.frames < LENGTH_UNKNOWN
    except (soundfile.LibsndfileError, TypeError):  # TypeError: soundfile takes *.raw for headerless samples
        return False


@contextmanager
def _opened(path: Path) -> Iterator[soundfile.SoundFile]:
    """The file behind its header checks."""
    gap = missing_bytes(path)
    if gap:
        raise BadAudio(f"the file is cut off ({gap:,} bytes are missing at its end); upload or export it again")
    with soundfile.SoundFile(path) as sound:
        if not 1 <= sound.channels <= CHANNELS_MAX:
            raise BadAudio(f"the file has {sound.channels} channels; export it with one")
        if not RATES_HZ[0] <= sound.samplerate <= RATES_HZ[1]:
            raise BadAudio(f"the file says {sound.samplerate} samples a second; export it at 24000 or 44100 Hz")
        yield sound
