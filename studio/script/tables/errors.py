"""Errors of sheets."""

from engines.errors import BadInput


class BadSheet(BadInput):
    """The sheet is refused; the message says what is wrong with it and what to do."""
