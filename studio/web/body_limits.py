"""Limit the size of request bodies by path, and the number of large bodies in memory."""

import asyncio
import re
from dataclasses import dataclass
from math import ceil

from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from studio.settings import Settings
from studio.web.problems import problem

FORM_BYTES = 65_536  # size that multipart adds to a file
JSON_MB = 2
REFERENCE_MB = 16  # limit of a sound file in base64; 30 s in stereo need 12 MB
AT_ONCE = 4  # maximum number of bodies of more than JSON_MB in memory
ARRIVES_WITHIN_S = 60.0  # time limit for a large body that has a place; other bodies have limits in protocols.py

WEIGHTS = re.compile(r"/studio/champions/(import|[^/]+/weights)")  # owner only; written to the disk
GRADIO_UPLOADS = re.compile(r"/gradio_api/upload/?")  # for everybody; the owner may upload archives
# Champions and projects: owner only.
FILES = re.compile(
    r"/studio/clips/?|/v1/voices/?|/v1/audio/(transcriptions|conversions)/?|/studio/(champions|projects)(/.*)?"
)
REFERENCES = re.compile(r"/v1/audio/speech/?|/invocations/?")  # JSON with a sound file in base64


@dataclass(frozen=True, slots=True)
class Cap:
    """A limit on the size of a body."""

    mb: int
    advice: str
    what: str = "file"
    in_memory: bool = False

    @property
    def body_bytes(self) -> int:
        return body_limit(self.mb)

    def refusal(self, headers: dict[str, str]) -> JSONResponse:
        return problem(f"this {self.what} is larger than {self.mb:,} MB; {self.advice}", 413, headers=headers)


class Caps:
    """The limits for all paths, from the settings."""

    def __init__(self, settings: Settings) -> None:
        most = settings.max_upload_mb
        self.clips = Cap(most, "cut the clip to the part with the voice, then upload the part")
        self.weights = Cap(
            settings.max_weights_mb, "remove training data such as optimizer states, or raise STUDIO_MAX_WEIGHTS_MB"
        )
        words = min(JSON_MB, most)
        self._words = Cap(words, "send a smaller request", "request", in_memory=True)
        with_reference = words + ceil(min(REFERENCE_MB, most) * 4 / 3)
        advice = "cut reference_audio to the part with the voice, then send the part"
        self._references = Cap(with_reference, advice, "request", in_memory=True)

    def of(self, method: str, path: str) -> Cap:
        """Return the limit of a request; `path` has no proxy prefix. Every upload to Gradio gets the limit `clips`."""
        if method == "POST" and WEIGHTS.fullmatch(path):
            return self.weights
        if FILES.fullmatch(path) or GRADIO_UPLOADS.fullmatch(path):
            return self.clips
        return self._references if REFERENCES.fullmatch(path) else self._words


class LargeBodies:
    """ASGI middleware that limits how many large bodies are in memory at a time, and how long a body may take."""

    def __init__(self, app: ASGIApp, at_once: int = AT_ONCE, within_s: float = ARRIVES_WITHIN_S) -> None:
        self._app = app
        self._places = asyncio.Semaphore(at_once)
        self._within_s = within_s

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Take a place before the first byte is read. Release it when the response begins or the request ends."""
        held, arriving, due = False, True, 0.0

        def give_up() -> None:
            nonlocal held
            if held:
                held = False
                self._places.release()

        async def received() -> Message:
            nonlocal held, arriving, due
            if not arriving:
                return await receive()
            loop = asyncio.get_running_loop()
            if not due:
                await self._places.acquire()
                held, due = True, loop.time() + self._within_s
            try:
                message = await asyncio.wait_for(receive(), due - loop.time())
            except TimeoutError:
                message = {"type": "http.disconnect"}
            arriving = message["type"] == "http.request" and message.get("more_body", False)
            return message

        async def sent(message: Message) -> None:
            give_up()
            await send(message)

        try:
            await self._app(scope, received, sent)
        finally:
            give_up()


def body_limit(max_mb: int) -> int:
    """Return the maximum size of a body in bytes: the largest file, with the size that multipart adds."""
    return max_mb * 1_000_000 + FORM_BYTES
