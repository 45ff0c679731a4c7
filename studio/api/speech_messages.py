"""Messages of clients of `/ws/tts`."""

import json
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from engines.errors import BadInput
from studio.api.texts import AUTO, Language, Name, Text, long_text

NOT_JSON = 'this frame is not JSON; send an object such as {"text": "Hello.", "voice": "amber"}'


class BadMessage(BadInput):
    """A frame is not a valid message."""


class Message(BaseModel):
    """One frame of a client; further fields are settings of the take."""

    model_config = ConfigDict(extra="allow")

    text: Text = ""
    voice: Name = ""
    model: Name = ""
    language: Language = AUTO
    more: bool = False
    encoding: Literal["binary", "base64"] = "binary"
    errors: Literal["text", "close"] = "text"
    timestamps: bool = False
    warnings: bool = False
    cancel: bool = False
    ping: Any = None


def read_fields(frame: str | bytes) -> object:
    """Parse the JSON of a frame. Raises BadMessage."""
    try:
        return json.loads(frame)
    except (ValueError, RecursionError) as error:
        raise BadMessage(NOT_JSON) from error


def read_message(fields: object) -> Message:
    """Validate the fields of a frame. Raises BadMessage, which names the first wrong field."""
    try:
        return Message.model_validate(fields)
    except ValidationError as error:
        first = error.errors()[0]
        if sentence := long_text([first]):
            raise BadMessage(sentence) from error
        where = ".".join(map(str, first["loc"])) or "the message"
        raise BadMessage(f"{where}: {first['msg']}; correct it and send it again") from error
    except RecursionError as error:
        raise BadMessage(NOT_JSON) from error
