"""A SageMaker runtime over HTTP that records requests and passes them to a container, here a function."""

import json
import threading
from collections.abc import Callable
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Self

from tests.waiting import PATIENCE_S


@dataclass(frozen=True, slots=True)
class Asked:
    path: str
    target_model: str
    media_type: str
    body: bytes


@dataclass(frozen=True, slots=True)
class Answered:
    """An answer of the container, or with `error`, of the runtime."""

    status: int = 200
    media_type: str = "audio/wav"
    body: bytes = b"RIFF"
    error: str = ""


class Runtime:
    def __init__(self) -> None:
        self.reset()
        runtime = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                runtime.answer(self)

            def log_message(self, *_: object) -> None:
                """Log nothing."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_port}"

    def reset(self) -> None:
        self.asked: list[Asked] = []
        self.container: Callable[[Asked], Answered] = lambda asked: Answered()
        self.go = threading.Event()  # until it is set, requests wait
        self.go.set()

    def __enter__(self) -> Self:
        threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.go.set()
        self._server.shutdown()
        self._server.server_close()

    def answer(self, request: BaseHTTPRequestHandler) -> None:
        headers = request.headers
        body = request.rfile.read(int(headers["content-length"]))
        target, media_type = headers.get("X-Amzn-SageMaker-Target-Model", ""), headers.get("content-type", "")
        asked = Asked(request.path, target, media_type, body)
        self.asked.append(asked)
        self.go.wait(PATIENCE_S)
        answered = self.container(asked)
        if answered.error:
            self._send(request, answered.status, {"x-amzn-errortype": answered.error}, answered.body)
        elif answered.status >= 400:  # refusals of the container are wrapped
            sentence = f"Received error ({answered.status}) from primary with message"
            wrapped = {"OriginalStatusCode": answered.status, "OriginalMessage": answered.body.decode()}
            error = json.dumps({"Message": sentence, "ErrorCode": "CLIENT_ERROR_FROM_MODEL", **wrapped}).encode()
            self._send(request, 424, {"x-amzn-errortype": "ModelError"}, error)
        else:
            self._send(request, 200, {"content-type": answered.media_type}, answered.body)

    def _send(self, request: BaseHTTPRequestHandler, status: int, headers: dict[str, str], body: bytes) -> None:
        try:
            request.send_response(status)
            for name, value in {**headers, "content-length": str(len(body))}.items():
                request.send_header(name, value)
            request.end_headers()
            request.wfile.write(body)
        except OSError:
            request.close_connection = True  # the client has disconnected
