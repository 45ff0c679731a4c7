"""Errors of archives."""

from engines.errors import BadInput


class BadArchive(BadInput):
    """The archive is refused; the message says what is wrong with it and what to do."""
