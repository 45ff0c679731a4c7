"""What can be wrong with an archive."""

from engines.errors import BadInput


class BadArchive(BadInput):
    """The file is refused; the sentence says what is wrong with it and what to do."""
