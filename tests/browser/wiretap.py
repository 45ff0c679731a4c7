"""Every byte between a browser and the studio, in the clear: a TCP relay on loopback that writes down what passes."""

import re
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from urllib.parse import urlsplit

from tests.browser.serving import Served

PIECE = 65_536
PACKED = re.compile(rb"(?im)^(accept-encoding|sec-websocket-extensions):[^\r\n]*")  # asks for what could not be read


@dataclass
class Wiretap:
    """What passed so far. Headers, bodies, event streams and WebSocket frames of the server are all in `received`."""

    sent: bytearray = field(default_factory=bytearray)
    received: bytearray = field(default_factory=bytearray)

    def mark(self) -> tuple[int, int]:
        return len(self.sent), len(self.received)

    def since(self, mark: tuple[int, int]) -> bytes:
        """Both directions."""
        return bytes(self.sent[mark[0] :]) + b"\n" + bytes(self.received[mark[1] :])


@contextmanager
def tapped(served: Served) -> Iterator[tuple[Served, Wiretap]]:
    """The studio under another address, and what is said to it there."""
    tap = Wiretap()
    with socket.create_server(("127.0.0.1", 0)) as listener:
        threading.Thread(target=_accept, args=(listener, served, tap), daemon=True).start()
        yield replace(served, url=f"http://127.0.0.1:{listener.getsockname()[1]}"), tap
    assert b"\r\ncontent-encoding:" not in tap.received.lower()


def _accept(listener: socket.socket, served: Served, tap: Wiretap) -> None:
    while True:
        try:
            browser, _ = listener.accept()
        except OSError:  # closed
            return
        studio = socket.create_connection(("127.0.0.1", urlsplit(served.url).port or 80))
        for source, sink, log in ((browser, studio, tap.sent), (studio, browser, tap.received)):
            threading.Thread(target=_relay, args=(source, sink, log), daemon=True).start()


def _relay(source: socket.socket, sink: socket.socket, log: bytearray) -> None:
    try:
        while piece := source.recv(PIECE):
            log += piece
            sink.sendall(PACKED.sub(b"x-left-out: 1", piece))
    except OSError:  # either side went
        pass
    finally:
        for end in (source, sink):
            end.close()
