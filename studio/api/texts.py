"""Limit the length of text fields in requests."""

from collections.abc import Iterable, Mapping
from typing import Annotated, Any

from pydantic import BeforeValidator, Field

from engines.text import MAX_CHARACTERS, MAX_TRANSCRIPT_CHARACTERS
from engines.text.limits import too_long

AUTO = "auto"
MAX_NAME_CHARACTERS = 200  # limit of a name, an id or another short field

Text = Annotated[str, Field(max_length=MAX_CHARACTERS)]
Transcript = Annotated[str, Field(max_length=MAX_TRANSCRIPT_CHARACTERS)]
Name = Annotated[str, Field(max_length=MAX_NAME_CHARACTERS)]

# The language of a text in a request; null is as good as no value.
Language = Annotated[
    Name,
    BeforeValidator(lambda value: AUTO if value is None else value),
    Field(description="BCP 47 tag of the text, such as de; auto detects the language"),
]


def long_text(mistakes: Iterable[Mapping[str, Any]]) -> str | None:
    """Return the message for the first text that is too long among pydantic's errors; None if there is none."""
    for each in mistakes:
        if each["type"] == "string_too_long":
            field = next(str(part) for part in each["loc"] if part not in ("body", "query", "path"))
            return too_long(field, len(each["input"]), each["ctx"]["max_length"])
    return None
