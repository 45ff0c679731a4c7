"""Clients of the studio's HTTP route and WebSocket."""

import io
import json
import math
from collections.abc import AsyncIterator
from typing import Protocol

import httpx
import numpy as np
import soundfile
import websockets

from bench.load.pairs import Pair

SAMPLE_RATE = 24_000  # Hz, of the raw samples of both clients
END = b"__END__"
PATIENCE_S = 600.0

Settings = dict[str, object]  # settings of the engine, by name


class Door(Protocol):
    """Yields int16 samples as they arrive; raises ConnectionError with the message of a refusal."""

    def speak(self, pair: Pair, seed: int) -> AsyncIterator[bytes]: ...


class Http:
    """Client of POST /v1/audio/speech."""

    form = "pcm"

    def __init__(self, address: str, engine: str, settings: Settings, socket: str = "") -> None:
        """Create the client; `socket` is the path of a Unix socket to use instead of the address."""
        limits = httpx.Limits(max_connections=None)
        transport = httpx.AsyncHTTPTransport(uds=socket or None, limits=limits)
        self._client = httpx.AsyncClient(base_url=address, timeout=PATIENCE_S, transport=transport)
        self._engine, self._settings = engine, settings

    async def speak(self, pair: Pair, seed: int) -> AsyncIterator[bytes]:
        voice: Settings = (
            {"voice": pair.voice} if pair.voice else {"reference_audio": pair.prompt, "reference_text": pair.transcript}
        )
        body = (
            {"model": self._engine, "input": pair.line, "response_format": self.form, "seed": seed}
            | voice
            | self._settings
        )
        async with self._client.stream("POST", "/v1/audio/speech", json=body) as answer:
            if answer.is_error:
                raise ConnectionError(f"{answer.status_code}: {(await answer.aread()).decode(errors='replace')[:300]}")
            async for part in answer.aiter_raw():
                yield part


class Whole(Http):
    """Client of POST /v1/audio/speech that gets a line as one FLAC file, which the studio sends at its end."""

    form = "flac"

    async def speak(self, pair: Pair, seed: int) -> AsyncIterator[bytes]:
        file = b"".join([part async for part in super().speak(pair, seed)])
        samples, rate = soundfile.read(io.BytesIO(file), dtype="int16")
        common = math.gcd(rate, SAMPLE_RATE)
        yield np.repeat(samples, SAMPLE_RATE // common)[
            :: rate // common
        ].tobytes()  # a crude change of the rate: only the length is measured


class WebSocket:
    """Client of /ws/tts, with a connection for each line."""

    def __init__(self, address: str, engine: str, settings: Settings, socket: str = "") -> None:
        self._address, self._socket = address.replace("http", "ws", 1), socket
        self._engine, self._settings = engine, settings

    async def speak(self, pair: Pair, seed: int) -> AsyncIterator[bytes]:
        opened = (
            websockets.unix_connect(self._socket, f"{self._address}/ws/tts", max_size=None)
            if self._socket
            else websockets.connect(f"{self._address}/ws/tts", max_size=None)
        )
        async with opened as socket:
            message = {"text": pair.line, "voice": pair.voice, "model": self._engine, "seed": seed} | self._settings
            await socket.send(json.dumps(message))
            async for part in socket:
                if part == END:
                    return
                if isinstance(part, str):
                    raise ConnectionError(part[:300])
                yield part
