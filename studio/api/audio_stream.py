"""Stream the audio of a request while it is generated, encoded as a file or as bare samples."""

import asyncio
import os
import signal
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import aclosing, suppress
from typing import Literal, TypeVar, cast

import numpy as np
import soxr

from engines.audio import encode
from engines.errors import BadSetting
from engines.scheduling.ticket import Ticket
from engines.types import Audio

Result = TypeVar("Result")
StreamFormat = Literal["mp3", "opus", "aac", "flac", "wav", "pcm"]
MEDIA_TYPES: Mapping[StreamFormat, str] = {
    "mp3": "audio/mpeg",
    "opus": "audio/ogg",
    "aac": "audio/aac",
    "flac": "audio/flac",
    "wav": "audio/wav",
    "pcm": "audio/pcm",
}
# ffmpeg's encoder and container for each format; all write their header at the start.
CODERS: Mapping[str, Sequence[str]] = {
    "mp3": ("libmp3lame", "-b:a", "128k", "-write_xing", "0", "-f", "mp3"),
    "opus": ("libopus", "-b:a", "64k", "-page_duration", "100000", "-f", "ogg"),
    "aac": ("aac", "-b:a", "128k", "-f", "adts"),
    "flac": ("flac", "-f", "flac"),
}
PCM_RATE_HZ = 24_000  # the rate that clients of OpenAI's API expect of bare samples
READ_BYTES = 1 << 16
ENDLESS = (0xFFFFFFFF).to_bytes(4, "little")  # the length field of a WAV file whose length is unknown


async def pieces(ticket: Ticket) -> AsyncGenerator[Audio, None]:
    """Yield the request's audio as it is generated, then raise its error if it failed.

    A reader that stops early must cancel the ticket.
    """
    changed, loop = asyncio.Event(), asyncio.get_running_loop()

    def wake() -> None:
        with suppress(RuntimeError):  # the server closed its loop, so nothing reads any more
            loop.call_soon_threadsafe(changed.set)

    ticket.listen(wake)
    ended = False
    while not ended:
        changed.clear()
        ended = ticket.ended
        while (chunk := ticket.read()) is not None:
            yield chunk.audio
        if not ended:
            await changed.wait()
    ticket.result()


async def whole(ticket: Ticket) -> Audio:
    """Return the complete audio of a request. Raises the request's error."""
    sounds = [audio async for audio in pieces(ticket)]
    return Audio(np.concatenate([audio.samples for audio in sounds]), sounds[0].sample_rate)


async def coded(sounds: AsyncIterator[Audio], format: StreamFormat) -> AsyncGenerator[bytes, None]:
    """Encode audio as the bytes of a file, or as bare little-endian int16 at 24 kHz (`pcm`).

    Raises what `sounds` raises, and BadSetting if the format needs ffmpeg and ffmpeg is missing.
    """
    first = await anext(sounds, None)
    if first is None:
        return
    rate = first.sample_rate
    if format in CODERS:
        parts = _by_ffmpeg(_joined(first, sounds, _same), format, rate)
    elif format == "pcm":
        parts = _joined(first, sounds, _resampler(rate))
    else:
        parts = _joined(first, sounds, _same, before=_wav_header(rate))
    async with aclosing(parts):
        async for part in parts:
            yield part


def _same(audio: Audio, last: bool) -> bytes:
    return encode(audio, "pcm")


def _resampler(rate: int) -> Callable[[Audio, bool], bytes]:
    """Return an encoder that resamples to 24 kHz without seams between pieces."""
    if rate == PCM_RATE_HZ:
        return _same
    stream = soxr.ResampleStream(rate, PCM_RATE_HZ, 1, dtype="float32")
    return lambda audio, last: encode(Audio(stream.resample_chunk(audio.samples, last=last), PCM_RATE_HZ), "pcm")


async def _joined(
    first: Audio, rest: AsyncIterator[Audio], write: Callable[[Audio, bool], bytes], before: bytes = b""
) -> AsyncGenerator[bytes, None]:
    """Yield the encoded pieces. Empty pieces are left out: a resampler returns no samples for a short first piece."""
    if begin := before + write(first, False):
        yield begin
    async for audio in rest:
        if part := write(audio, False):
            yield part
    if end := write(Audio(np.empty(0, np.float32), first.sample_rate), True):
        yield end


def _wav_header(rate: int) -> bytes:
    """Return the header of a 16-bit mono WAV file of unknown length. Readers continue to the end of the stream."""
    written = encode(Audio(np.empty(0, np.float32), rate), "wav")
    return written[:4] + ENDLESS + written[8:40] + ENDLESS


async def _by_ffmpeg(samples: AsyncIterator[bytes], format: str, rate: int) -> AsyncGenerator[bytes, None]:
    """Encode int16 samples with ffmpeg in a child process, which ends with this generator."""
    given = ("-f", "s16le", "-ar", str(rate), "-ac", "1", "-i", "pipe:0")
    target = ("-c:a", *CODERS[format], "-flush_packets", "1", "pipe:1")
    command = (ffmpeg(), "-v", "error", "-threads", "1", *given, *target)
    pipe = asyncio.subprocess.PIPE
    child = await asyncio.create_subprocess_exec(*command, stdin=pipe, stdout=pipe)
    sink, source = cast(asyncio.StreamWriter, child.stdin), cast(asyncio.StreamReader, child.stdout)
    feeding = asyncio.ensure_future(_feed(sink, samples))
    ended = False
    try:
        while data := await source.read(READ_BYTES):
            yield data
        ended = True
        await feeding
    finally:
        feeding.cancel()
        await asyncio.wait((feeding,))
        if not ended and child.returncode is None:
            _kill(child.pid)
        await child.wait()


def _kill(pid: int) -> None:
    """Kill a child that asyncio waits for. `Process.kill` would take the exit status of an ended child from asyncio."""
    with suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)


async def _feed(sink: asyncio.StreamWriter, samples: AsyncIterator[bytes]) -> None:
    """Write all samples to the encoder, then close its input, also if generation fails."""
    try:
        async for part in samples:
            sink.write(part)
            await sink.drain()
    finally:
        sink.close()


def ffmpeg() -> str:
    """Return the path of ffmpeg. Raises BadSetting if ffmpeg is missing."""
    try:
        import imageio_ffmpeg  # absent on machines that only generate speech

        return str(imageio_ffmpeg.get_ffmpeg_exe())
    except (ImportError, RuntimeError) as error:
        raise BadSetting(
            "this format needs ffmpeg, which is not installed on the machine of the studio; request wav or pcm"
        ) from error


async def first_of(work: Awaitable[Result], event: Awaitable[object]) -> Result | None:
    """Return the result of the work. If the event comes first, cancel the work and return None."""
    working, waiting = asyncio.ensure_future(work), asyncio.ensure_future(event)
    try:
        await asyncio.wait((working, waiting), return_when=asyncio.FIRST_COMPLETED)
        return working.result() if working.done() else None
    finally:
        working.cancel()
        waiting.cancel()
