"""Send a job's input to the studio on its Unix socket, and return the answer as the job's output."""

import base64
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import httpx

SPEECH = "/v1/audio/speech"
NAMES = {"championId": "voice", "text": "input"}  # field names of game clients, and the names in OpenAI's API
OUTPUT_FIELDS = {"x-engine": "engine", "x-seed": "seed"}
GONE = "the studio of this worker does not answer; send the job again"

Job = Mapping[str, Any]
Output = dict[str, Any]


class Refused(Exception):
    """The studio refused the request; the message is the studio's message."""


@dataclass(frozen=True, slots=True)
class Worker:
    """Speaks jobs whose `input` has `championId` or `voice`, `text`, and other fields of POST /v1/audio/speech."""

    studio: httpx.AsyncClient

    async def speak(self, job: Job) -> Output:
        """Return the complete audio of a line."""
        try:
            async with self._request(job, "wav") as (answer, output):
                sound = await answer.aread()
        except (Refused, httpx.TransportError) as error:
            return _failed(error)
        return output | {"audio": _text(_closed(sound) if output["format"] == "wav" else sound)}

    async def stream(self, job: Job) -> AsyncGenerator[Output, None]:
        """Yield a line in parts while it is generated."""
        try:
            async with self._request(job, "pcm") as (answer, output):
                async for part in answer.aiter_bytes():
                    yield output | {"audio": _text(part)}
        except (Refused, httpx.TransportError) as error:
            yield _failed(error)

    @asynccontextmanager
    async def _request(self, job: Job, format: str) -> AsyncIterator[tuple[httpx.Response, Output]]:
        """Yield the unread answer and the output fields except audio. Raises Refused, httpx.TransportError."""
        body = {"response_format": format} | {NAMES.get(name, name): value for name, value in job["input"].items()}
        async with self.studio.stream("POST", SPEECH, json=body) as answer:
            if answer.is_error:
                await answer.aread()
                raise Refused(answer.json()["detail"])
            yield (
                answer,
                {"format": body["response_format"]}
                | {OUTPUT_FIELDS[name]: answer.headers[name] for name in OUTPUT_FIELDS},
            )


def _failed(error: Refused | httpx.TransportError) -> Output:
    """Return an output with an error. The key `error` marks a failed job."""
    return {"error": str(error) if isinstance(error, Refused) else GONE}


def _text(sound: bytes) -> str:
    return base64.b64encode(sound).decode()


def _closed(wav: bytes) -> bytes:
    """Write the lengths into the header of a WAV file that was streamed without lengths."""
    riff, data = (size.to_bytes(4, "little") for size in (len(wav) - 8, len(wav) - 44))
    return wav[:4] + riff + wav[8:40] + data + wav[44:]
