"""A proxy between a client and a server that breaks what passes, where and how a test says."""

import base64
import contextlib
import hashlib
import http.client
import re
import socket
import struct
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

Kind = Literal[
    "cut before",  # the connection dies in the middle of the request's body
    "cut after",  # the server got and did everything, its answer is lost
    "cut down",  # the connection dies in the middle of the answer's body
    "stall",  # nothing comes back, the connection stays open
    "503",
    "flip up",  # one byte of the request's body changes; a server that checks Content-MD5 refuses it
    "flip up unseen",  # the same before a server that checks nothing
    "flip down",
    "refuse",  # with the proxy's `refusal`
]
SLOW_DOWN = b"<?xml version='1.0'?><Error><Code>SlowDown</Code><Message>Reduce your request rate.</Message></Error>"
BAD_DIGEST = (
    b"<?xml version='1.0'?><Error><Code>BadDigest</Code><Message>The Content-MD5 did not match.</Message></Error>"
)
XML = {"Content-Type": "application/xml"}
HOP = ("connection", "expect", "transfer-encoding", "content-length")


@dataclass(frozen=True)
class Seen:
    """A request as the proxy saw it, and what it did to it."""

    method: str
    target: str
    body_bytes: int
    fault: Kind | None
    headers: dict[str, str]  # names in small letters


@dataclass
class Proxy:
    """HTTP/1.1 over TCP. `fault` decides for every request, by what was seen so far, which is not to include it."""

    port: int  # of the server behind
    fault: Callable[[str, str, list[Seen]], Kind | None] = lambda method, target, seen: None
    seen: list[Seen] = field(default_factory=list)
    refusal: tuple[int, bytes] = (403, b"")

    def __post_init__(self) -> None:
        self._listening = socket.create_server(("127.0.0.1", 0))
        self._open: set[socket.socket] = set()
        self._lock = threading.Lock()
        self.released = threading.Event()  # ends every stall
        threading.Thread(target=self._accept, daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._listening.getsockname()[1]}"

    def close(self) -> None:
        self.released.set()
        with contextlib.suppress(OSError):  # closed already
            self._listening.shutdown(socket.SHUT_RDWR)  # wakes who accepts
        self._listening.close()
        for connection in list(self._open):
            _reset(connection)

    def sent(self, method: str, part: str) -> list[Seen]:
        """Requests of this method in whose target the pattern `part` is found."""
        return [one for one in self.seen if one.method == method and re.search(part, one.target)]

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._listening.accept()
            except OSError:
                return
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self._open.add(connection)
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection: socket.socket) -> None:
        try:
            with connection.makefile("rb") as incoming:
                while self._one(connection, incoming):
                    pass
        except (OSError, http.client.HTTPException, ValueError):
            pass
        finally:
            self._open.discard(connection)
            connection.close()

    def _one(self, connection: socket.socket, incoming) -> bool:
        """Pass one request on; False ends the connection."""
        first = incoming.readline()
        if not first:
            return False
        method, target, _ = first.decode().split()
        headers = http.client.parse_headers(incoming)
        with self._lock:
            kind = self.fault(method, target, list(self.seen))
            length = int(headers.get("content-length", 0))
            sent = {name.lower(): value for name, value in headers.items()}
            self.seen.append(Seen(method, target, length // 2 if kind == "cut before" else length, kind, sent))
        if headers.get("expect"):
            connection.sendall(b"HTTP/1.1 100 Continue\r\n\r\n")
        if kind == "cut before":
            incoming.read(length // 2)
            _reset(connection)
            return False
        body = incoming.read(length)
        if kind == "stall":
            self.released.wait(60)
            return False
        if kind == "503":
            return _answer(connection, 503, XML, SLOW_DOWN)
        if kind == "refuse":
            return _answer(connection, self.refusal[0], XML, self.refusal[1])
        if kind in ("flip up", "flip up unseen"):
            body = _flipped(body)
            md5 = headers.get("content-md5", "")
            if kind == "flip up" and md5 and md5 != base64.b64encode(hashlib.md5(body).digest()).decode():
                return _answer(connection, 400, XML, BAD_DIGEST)
        return self._pass_on(connection, method, target, headers, body, kind)

    def _pass_on(self, connection, method: str, target: str, headers, body: bytes, kind: Kind | None) -> bool:
        behind = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        kept = {name: value for name, value in headers.items() if name.lower() not in HOP}
        behind.request(method, target, body, {**kept, "Content-Length": str(len(body))})
        answer = behind.getresponse()
        content = answer.read()
        behind.close()
        if kind == "cut after":
            _reset(connection)
            return False
        if kind == "flip down":
            content = _flipped(content)
        received = {name: value for name, value in answer.getheaders() if name.lower() not in HOP}
        if method == "HEAD":
            received["Content-Length"] = answer.getheader("Content-Length", "0")
        return _answer(connection, answer.status, received, content, cut=kind == "cut down", bare=method == "HEAD")


def _answer(
    connection: socket.socket, status: int, headers: dict[str, str], body: bytes, cut: bool = False, bare: bool = False
) -> bool:
    headers = headers if bare else {**headers, "Content-Length": str(len(body))}
    head = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    connection.sendall(f"HTTP/1.1 {status} Said\r\n{head}\r\n".encode() + (body[: len(body) // 2] if cut else body))
    if cut:
        connection.shutdown(socket.SHUT_WR)
    return not cut


def _flipped(body: bytes) -> bytes:
    middle = len(body) // 2
    return body[:middle] + bytes([body[middle] ^ 1]) + body[middle + 1 :] if body else body


def _reset(connection: socket.socket) -> None:
    """As a network that fails does it: no goodbye."""
    with contextlib.suppress(OSError):
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        connection.close()
