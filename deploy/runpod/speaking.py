"""A job's input as a request to the studio on its Unix socket, and the answer as a job's output."""

import base64
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import httpx

SPEECH = "/v1/audio/speech"
NAMES = {"championId": "voice", "text": "input"}  # as game clients say it: as OpenAI's clients do
TOLD = {"x-engine": "engine", "x-seed": "seed"}
GONE = "the studio beside this worker does not answer; send the job again"

Job = Mapping[str, Any]
Output = dict[str, Any]


class Refused(Exception):
    """The studio said no; the message is its sentence."""


@dataclass(frozen=True, slots=True)
class Worker:
    """Speaks for jobs whose `input` holds `championId` or `voice`, `text`, and what else POST /v1/audio/speech takes."""

    studio: httpx.AsyncClient

    async def speak(self, job: Job) -> Output:
        """The whole line."""
        try:
            async with self._asked(job, "wav") as (answer, output):
                sound = await answer.aread()
        except (Refused, httpx.TransportError) as error:
            return _failed(error)
        return output | {"audio": _text(_closed(sound) if output["format"] == "wav" else sound)}

    async def stream(self, job: Job) -> AsyncGenerator[Output, None]:
        """The line in parts while it is made."""
        try:
            async with self._asked(job, "pcm") as (answer, output):
                async for part in answer.aiter_bytes():
                    yield output | {"audio": _text(part)}
        except (Refused, httpx.TransportError) as error:
            yield _failed(error)

    @asynccontextmanager
    async def _asked(self, job: Job, format: str) -> AsyncIterator[tuple[httpx.Response, Output]]:
        """The answer, unread, and what is told beside the sound. Raises Refused, httpx.TransportError."""
        body = {"response_format": format} | {NAMES.get(name, name): value for name, value in job["input"].items()}
        if str(body.get("language", "")).lower().partition("-")[0] == "en":
            del body["language"]  # the only one there is; any other is refused by the studio
        async with self.studio.stream("POST", SPEECH, json=body) as answer:
            if answer.is_error:
                await answer.aread()
                raise Refused(answer.json()["detail"])
            yield answer, {"format": body["response_format"]} | {TOLD[name]: answer.headers[name] for name in TOLD}


def _failed(error: Refused | httpx.TransportError) -> Output:
    """RunPod takes a job as failed whose output has an error."""
    return {"error": str(error) if isinstance(error, Refused) else GONE}


def _text(sound: bytes) -> str:
    return base64.b64encode(sound).decode()


def _closed(wav: bytes) -> bytes:
    """A streamed WAV file with its lengths, which were unknown when its header was sent."""
    riff, data = (size.to_bytes(4, "little") for size in (len(wav) - 8, len(wav) - 44))
    return wav[:4] + riff + wav[8:40] + data + wav[44:]
