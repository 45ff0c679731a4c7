"""Programs that ask for sound and leave without it."""

import json
import socket
from collections import Counter
from random import Random

from tests.faults.described import stocked
from tests.faults.frames import BINARY, TEXT, frame, open_socket
from tests.faults.raw import dialled, reset

TEXTS = ("tick tock " * 20, "tick. " * 30)
FORMATS = ("wav", "pcm", "mp3")
MOMENTS = ("at once", "after the headers", "in the middle")


def drop(url: str, number: int, draw: Random) -> Counter[str]:
    """So many connections broken off; how many at which moment."""
    stocked(url)
    return Counter(one(url, draw) for _ in range(number))


def one(url: str, draw: Random) -> str:
    moment, over_socket = draw.choice(MOMENTS), draw.random() < 0.4
    connection = begun_socket(url, draw) if over_socket else begun(url, draw)
    if moment == "after the headers":
        connection.recv(1)
    elif moment == "in the middle":
        hear(connection, draw.randrange(200, 2_000))
    if draw.random() < 0.5:
        reset(connection)
    else:
        connection.close()
    return f"{'WebSocket' if over_socket else 'HTTP'} {moment}"


def begun(url: str, draw: Random) -> socket.socket:
    """A line asked for over HTTP, whose sound is on its way."""
    connection = dialled(url)
    asked = {"input": draw.choice(TEXTS), "voice": "ahri", "response_format": draw.choice(FORMATS)}
    path = "/v1/audio/speech"
    if draw.random() < 0.2:
        asked, path = {"championId": "ahri", "text": draw.choice(TEXTS)}, "/voice/generate"
    connection.sendall(posted(path, asked))
    return connection


def posted(path: str, asked: dict[str, str]) -> bytes:
    body = json.dumps(asked).encode()
    lines = (
        f"POST {path} HTTP/1.1",
        "Host: 127.0.0.1",
        "Content-Type: application/json",
        f"Content-Length: {len(body)}",
    )
    return "\r\n".join((*lines, "", "")).encode() + body


def begun_socket(url: str, draw: Random) -> socket.socket:
    connection = open_socket(url)
    text = draw.choice(TEXTS)
    asked = {"text": text, "voice": "ahri", "more": "." in text and draw.random() < 0.5}
    connection.sendall(frame(draw.choice((TEXT, BINARY)), json.dumps(asked).encode()))
    return connection


def hear(connection: socket.socket, number: int) -> None:
    """Take so many bytes of what comes, or all where it ends before."""
    while number > 0 and (piece := connection.recv(number)):
        number -= len(piece)
