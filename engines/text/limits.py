"""Limit the length of texts, with the same message everywhere."""

from engines.errors import BadText

MAX_CHARACTERS = 5_000  # of a text that is spoken, after NFC
MAX_TRANSCRIPT_CHARACTERS = 5_000  # of what is said in a clip


def check_length(name: str, text: str, most: int) -> str:
    """Return the text. Raises BadText, which calls the text `name`, if it is longer than `most` characters."""
    if len(text) > most:
        raise BadText(too_long(name, len(text), most))
    return text


def too_long(name: str, length: int, most: int) -> str:
    """Return the message about a text that is too long."""
    return f"{name} has {length:,} characters; shorten the text to at most {most:,}"
