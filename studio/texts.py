"""Texts that come through a door, as fields of forms: none is longer than it may be."""

from typing import Annotated

from pydantic import AfterValidator, Field, ValidationInfo
from pydantic_core import PydanticCustomError

from engines.errors import BadText
from engines.text import MAX_CHARACTERS, MAX_TRANSCRIPT_CHARACTERS, check_length

TOO_LONG = "text_too_long"  # the type of the error, whose message is a whole sentence
MAX_NAME_CHARACTERS = 200  # of a name, an id or another word


def within(most: int) -> AfterValidator:
    """A validator of a field's text; what is no text passes."""

    def check(value: object, info: ValidationInfo) -> object:
        try:
            return check_length(info.field_name or "the text", value, most) if isinstance(value, str) else value
        except BadText as error:
            raise PydanticCustomError(TOO_LONG, "{sentence}", {"sentence": str(error)}) from error

    return AfterValidator(check)


Text = Annotated[str, Field(json_schema_extra={"maxLength": MAX_CHARACTERS}), within(MAX_CHARACTERS)]
Transcript = Annotated[
    str, Field(json_schema_extra={"maxLength": MAX_TRANSCRIPT_CHARACTERS}), within(MAX_TRANSCRIPT_CHARACTERS)
]
Name = Annotated[str, Field(json_schema_extra={"maxLength": MAX_NAME_CHARACTERS}), within(MAX_NAME_CHARACTERS)]
