"""Values that programs send by mistake or on purpose, drawn from a seeded generator."""

import json
from collections.abc import Sequence
from random import Random
from typing import Any

ATOMS: Sequence[Any] = (
    *(None, True, False, 0, -1, 2**31, 2**63, -(2**70), 0.5, 1e308, 5e-324),
    *(float("nan"), float("inf"), "", " ", "0", "null", "\x00", "\r\n", "\ud800", "\udfff\ud83d", "𐍈é\u202e"),
    *("../../etc/passwd", "ahri", "amber", "bell", "tick", "tick tock!", "x" * 6_000, "%s%n%00", "'; drop table take;--"),
)  # fmt: skip
FIELDS = (
    *("text", "voice", "model", "more", "encoding", "cancel", "ping", "seed", "speed", "input", "response_format"),
    *("stream_format", "reference_audio", "reference_text", "instructions", "championId", "language", "data", "event_id"),
    *("session_hash", "fn_index", "trigger_id", "id", "\ud800", "", "x" * 300, "__proto__"),
)  # fmt: skip


def value(draw: Random, depth: int = 3) -> Any:
    """An atom, or a list or object of such."""
    kind = draw.randrange(8) if depth else 0
    if kind == 6:
        return [value(draw, depth - 1) for _ in range(draw.randrange(4))]
    if kind == 7:
        return {draw.choice(FIELDS): value(draw, depth - 1) for _ in range(draw.randrange(4))}
    return draw.choice(ATOMS)


def line(draw: Random) -> dict[str, Any]:
    """A line that can be spoken, some of its fields spoilt."""
    said = {"text": draw.choice(("tick", "tick tock", "One. Two. Three.", "x" * 400)), "voice": "ahri"}
    for _ in range(draw.randrange(3)):
        said[draw.choice(FIELDS)] = value(draw, 1)
    return said


def document(draw: Random) -> bytes:
    """JSON, or nearly."""
    if draw.random() < 0.05:
        return draw.choice((b"[" * 50_000, b'{"a":' * 20_000, b"1" * 6_000, b"{}" * 9, b"\xff\xfe{}", b'"\\ud800"'))
    said = line(draw) if draw.random() < 0.5 else value(draw)
    written = json.dumps(said, ensure_ascii=draw.random() < 0.7).encode("utf-8", "surrogatepass")
    return spoilt(draw, written) if draw.random() < 0.2 else written


def spoilt(draw: Random, content: bytes) -> bytes:
    """Cut, doubled, or with some bytes changed or put in."""
    start, end = sorted(draw.randrange(len(content) + 1) for _ in range(2))
    put_in = draw.choice((b"", b"\x00", b"\r\n", b"\r\n\r\n", b"\xff", b" ", draw.randbytes(8), b"A" * 70_000))
    kind = draw.randrange(4)
    if kind == 0:
        return content[:end]
    if kind == 1:
        return content[:end] + content[start:]
    if kind == 2:
        return content[:start] + put_in + content[start:]
    return content[:start] + draw.randbytes(end - start) + content[end:]
