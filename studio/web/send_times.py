"""Measure when HTTP answers to the speech requests of programs are sent."""

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from studio.telemetry.answer_times import AnswerTimes, answering
from studio.telemetry.origin import Door, current

MEASURED: tuple[Door, ...] = ("http", "sagemaker", "socket")  # speech_socket.py measures the WebSocket itself


class SendTimes:
    """ASGI middleware that notes when the parts of an answer's body are sent."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or current().door not in MEASURED:
            await self._app(scope, receive, send)
            return
        answer = AnswerTimes()

        async def noted(message: Message) -> None:
            await send(message)
            if message["type"] == "http.response.body":
                answer.note_sent()

        try:
            with answering(answer):
                await self._app(scope, receive, noted)
        finally:
            answer.end()
