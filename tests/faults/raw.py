"""Bytes that are no HTTP, or nearly, over bare connections."""

import json
import re
import socket
import struct
from collections import Counter
from random import Random
from urllib.parse import urlsplit

from tests.faults.nonsense import document, spoilt, value

WAIT_S = 60.0  # an answer that takes longer never comes
RESET = struct.pack("ii", 1, 0)  # SO_LINGER: closing discards what is unsent and resets


def address(url: str) -> tuple[str, int]:
    parts = urlsplit(url)
    assert parts.hostname and parts.port
    return parts.hostname, parts.port


def dialled(url: str) -> socket.socket:
    made = socket.create_connection(address(url), WAIT_S)
    made.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return made


def reset(connection: socket.socket) -> None:
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
    connection.close()


def attack(url: str, number: int, draw: Random, paths: list[str]) -> Counter[str]:
    """So many connections; how many were answered with which status, or how they ended."""
    return Counter(outcome for _ in range(number) for outcome in exchanged(url, draw, paths))


def exchanged(url: str, draw: Random, paths: list[str]) -> list[str]:
    """The statuses of one connection, or how it ended without."""
    sent = request(draw, paths)
    for _ in range(draw.choice((0, 0, 0, 1, 4))):
        sent += request(draw, paths)  # pipelined
    try:
        if draw.random() < 0.1:
            connection = dialled(url)
            connection.sendall(sent)
            reset(connection)
            return ["reset by us"]
        return statuses(exchange(url, sent))
    except TimeoutError:
        return ["hung"]
    except OSError:
        return ["reset by the studio"]


def exchange(url: str, sent: bytes) -> bytes:
    """All that is answered. Raises OSError."""
    with dialled(url) as connection:
        connection.sendall(sent)
        connection.shutdown(socket.SHUT_WR)
        return b"".join(iter(lambda: connection.recv(65_536), b""))


def statuses(received: bytes) -> list[str]:
    return [found.decode() for found in re.findall(rb"HTTP/1\.1 (\d{3}) ", received)] or ["closed"]


def request(draw: Random, paths: list[str]) -> bytes:
    whole = head(draw, paths)
    return spoilt(draw, whole) if draw.random() < 0.4 else whole


def head(draw: Random, paths: list[str]) -> bytes:
    """A request, with or without a body, whose framing may lie."""
    method = draw.choice(
        ("GET", "GET", "POST", "POST", "PUT", "DELETE", "HEAD", "OPTIONS", "PATCH", "CONNECT", "BREW", "")
    )
    path = draw.choice(
        (*paths, *paths, "*", "/%00", "/%ff%fe", "/" + "a" * 70_000, "/..%2f..%2fetc/passwd", "//", "http://x/")
    )
    body = document(draw) if method in ("POST", "PUT", "PATCH") else b""
    lines = [f"{method} {path} HTTP/{draw.choice((*9 * ('1.1',), '1.0', '9.9', '2'))}", f"Host: {host(draw)}"]
    lines += [header(draw) for _ in range(draw.choice((0, 1, 2, 300)))]
    framing, body = framed(draw, body)
    written = "\r\n".join([*lines, *framing, "", ""]).encode("utf-8", "surrogatepass")
    return written + body


def framed(draw: Random, body: bytes) -> tuple[list[str], bytes]:
    """Headers that say how long the body is, right or wrong."""
    kind = draw.randrange(8)
    if kind == 0:
        return [f"Content-Length: {draw.choice((len(body) + 9, 0, -1, 10**30, '0x10', '1, 2', '', '٣'))}"], body
    if kind == 1:
        return [f"Content-Length: {len(body)}", "Transfer-Encoding: chunked"], body
    if kind == 2:
        return ["Transfer-Encoding: chunked"], b"%x\r\n%b\r\n0\r\n\r\n" % (len(body), body)
    if kind == 3:
        return ["Transfer-Encoding: chunked"], draw.choice(
            (b"zz\r\n", b"ffffffffffffffffff\r\n", b"-1\r\n", b"5\r\nab")
        )
    return ["Content-Type: application/json", f"Content-Length: {len(body)}"], body


def host(draw: Random) -> str:
    return draw.choice((*9 * ("127.0.0.1",), "localhost", "localhost:99999", "[::1", "", "evil.example", "a" * 9_000))


def header(draw: Random) -> str:
    """One that the studio reads, with nonsense; or one that nobody knows."""
    names = (
        *(
            "Cookie",
            "Authorization",
            "Origin",
            "Sec-Fetch-Site",
            "X-Studio-Session",
            "X-Studio-Arrived",
            "Range",
            "Accept",
        ),
        *(
            "Content-Type",
            "Content-Length",
            "Expect",
            "Connection",
            "Upgrade",
            "X-Forwarded-For",
            "If-None-Match",
            "\x00",
        ),
    )
    values = (
        *(
            "studio_session=",
            "studio_owner=x; a=b;;=",
            "Basic ====",
            "Bearer " + "k" * 400,
            "Basic //4=",
            "null",
            "100-continue",
        ),
        *(
            "bytes=9-1,-,5-",
            "multipart/form-data; boundary=",
            "multipart/form-data",
            "application/json; charset=utf-99",
        ),
        *(
            "websocket",
            "keep-alive, Upgrade",
            "http://[::1",
            "a" * 70_000,
            "\x00",
            "\ud800",
            json.dumps(value(draw, 1)),
        ),
    )
    return f"{draw.choice(names)}: {draw.choice(values)}"
