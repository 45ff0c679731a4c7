"""OpenAI's server-sent events of a spoken line."""

import base64
import json
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Any

from engines.errors import EngineError
from studio.api.errors import as_event

SSE = "text/event-stream"


async def events(
    parts: AsyncGenerator[bytes, None], characters: int, findings: AsyncGenerator[dict[str, Any], None]
) -> AsyncGenerator[bytes, None]:
    """Yield OpenAI's server-sent events, and `findings` before the last one. The usage counts characters, not tokens."""
    try:
        async with aclosing(parts):
            async for part in parts:
                yield _event({"type": "speech.audio.delta", "audio": base64.b64encode(part).decode()})
        async for finding in findings:
            yield _event(finding)
    except EngineError as error:
        yield _event(as_event(error))
        return
    usage = {"input_tokens": characters, "output_tokens": 0, "total_tokens": characters}
    yield _event({"type": "speech.audio.done", "usage": usage})


def _event(data: dict[str, Any]) -> bytes:
    return f"data: {json.dumps(data)}\n\n".encode()
