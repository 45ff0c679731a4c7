"""WebSocket frames that nobody should send, at /ws/tts."""

import socket
from collections import Counter
from random import Random

from tests.faults.nonsense import document
from tests.faults.raw import dialled, reset

PATH = "/ws/tts"
TEXT, BINARY, CONTINUED, CLOSE, PING = 1, 2, 0, 8, 9
FINAL, MASKED = 0x80, 0x80
TOO_LONG = 17 * 2**20  # the server takes 16 MiB


def attack(url: str, number: int, draw: Random) -> Counter[str]:
    """So many frames over as many connections as they take; how many of which kind were sent, and how connections ended."""
    counted: Counter[str] = Counter()
    while counted["frames"] < number:
        counted += conversation(url, draw)
    return counted


def conversation(url: str, draw: Random) -> Counter[str]:
    counted: Counter[str] = Counter(connections=1)
    with open_socket(url) as connection:
        try:
            for _ in range(draw.choice((0, 1, 3, 10, 30))):
                connection.sendall(anything(draw))
                counted["frames"] += 1
            counted[left(connection, draw)] += 1
        except TimeoutError:
            counted["hung"] += 1
        except OSError:
            counted["closed by the studio"] += 1
    return counted


def open_socket(url: str, path: str = PATH) -> socket.socket:
    """A connection that has become a WebSocket's."""
    connection = dialled(url)
    lines = (
        *(f"GET {path} HTTP/1.1", "Host: 127.0.0.1", "Upgrade: websocket", "Connection: Upgrade"),
        *("Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", "Sec-WebSocket-Version: 13", "", ""),
    )
    connection.sendall("\r\n".join(lines).encode())
    answer = b""
    while not answer.endswith(b"\r\n\r\n") and (piece := connection.recv(1)):
        answer += piece
    assert answer.startswith(b"HTTP/1.1 101"), answer
    return connection


def left(connection: socket.socket, draw: Random) -> str:
    """End it in one of the ways that connections end."""
    kind = draw.choice(("closing frame", "closed", "reset", "half a frame", "read to the end"))
    if kind == "reset":
        reset(connection)
    elif kind == "half a frame":
        connection.sendall(frame(TEXT, b"x" * 100)[: draw.randrange(1, 100)])
    elif kind != "closed":
        connection.sendall(
            frame(CLOSE, draw.choice((b"", b"\x03\xe8", b"\x03", b"\x00\x01", b"\x03\xe8\xff\xff", b"\x13\x88bye")))
        )
    if kind == "read to the end":
        while connection.recv(65_536):
            pass
    return kind


def anything(draw: Random) -> bytes:
    """One frame, mostly whole and of JSON."""
    content = document(draw)
    kind = draw.randrange(24)
    if kind == 0:
        return frame(BINARY, content)
    if kind == 1:
        return frame(BINARY, draw.randbytes(draw.randrange(200)))
    if kind == 2:
        return frame(TEXT, draw.randbytes(draw.randrange(1, 200)))
    if kind == 3:  # in pieces, the last of which may never come
        half = len(content) // 2
        last = frame(CONTINUED, content[half:]) if draw.random() < 0.7 else b""
        return frame(TEXT, content[:half], final=False) + frame(PING, b"between") + last
    if kind == 4 and draw.random() < 0.3:  # these end the connection, so they are seldom
        return draw.choice(
            (
                frame(3, b""),
                frame(11, b""),
                frame(CONTINUED, b"x"),
                frame(PING, b"x" * 126),
                frame(TEXT, b"x", rsv=0x40),
            )
        )
    if kind == 5 and draw.random() < 0.3:
        return draw.choice(
            (frame(TEXT, content, masked=False), b"\x81\xff\x7f" + b"\xff" * 7, b"\x81\xff\xff" + b"\xff" * 7)
        )
    if kind == 6 and draw.random() < 0.02:
        return frame(TEXT, b"x" * TOO_LONG)
    if kind == 7:
        return frame(TEXT, b'{"cancel": true}')
    if kind == 8:
        return frame(PING, b"here")
    return frame(TEXT, content)


def frame(opcode: int, content: bytes, *, final: bool = True, masked: bool = True, rsv: int = 0) -> bytes:
    """As RFC 6455 writes it; the mask is zeros, which changes nothing."""
    length = len(content)
    mask = MASKED if masked else 0
    if length < 126:
        size = bytes((mask | length,))
    elif length < 65_536:
        size = bytes((mask | 126,)) + length.to_bytes(2, "big")
    else:
        size = bytes((mask | 127,)) + length.to_bytes(8, "big")
    return bytes(((FINAL if final else 0) | rsv | opcode,)) + size + (bytes(4) if masked else b"") + content
