"""Count how many characters of a text are read."""

from collections.abc import Iterator


class Looks:
    """The number of characters that were read."""

    def __init__(self) -> None:
        self.count = 0


class CountedText(str):
    """A text that adds the characters that a loop reads to `looks`."""

    __slots__ = ("_looks",)

    def __new__(cls, text: str, looks: Looks) -> "CountedText":
        made = super().__new__(cls, text)
        made._looks = looks
        return made

    def __iter__(self) -> Iterator[str]:
        for character in super().__iter__():
            self._looks.count += 1
            yield character
