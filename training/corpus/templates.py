"""Generate sentences from templates with slots: everyday talk, game lines, numbers, digit strings and short answers.

A slot is `{name}`. Its content is an entry of WORDS, or a number, digit string, time or date in words.
"""

import random
import re
from collections.abc import Callable, Iterator
from pathlib import Path

from training.corpus.spelling import spell_digits, spell_number

FOLDER = Path(__file__).parent / "templates"
KINDS = ("everyday", "game", "numbers", "digits", "short")
MONTHS = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
]
ORDINALS = [
    "first",
    "second",
    "third",
    "fourth",
    "fifth",
    "sixth",
    "seventh",
    "eighth",
    "ninth",
    "tenth",
    "eleventh",
    "twelfth",
    "thirteenth",
    "fourteenth",
    "fifteenth",
    "sixteenth",
    "seventeenth",
    "eighteenth",
    "nineteenth",
    "twentieth",
] + [
    "twenty " + word for word in ["first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth"]
]
HOURS = [spell_number(hour) for hour in range(1, 13)]
DIGIT_COUNTS = (2, 3, 4, 5, 5, 7, 7, 8, 9)  # six is reserved for evaluation; five and seven are included twice


def _read(name: str) -> list[str]:
    rows = (FOLDER / f"{name}.txt").read_text(encoding="utf-8").splitlines()
    return [row for row in rows if row.strip() and not row.startswith("#")]


def _words() -> dict[str, list[str]]:
    rows = (row.partition(":") for row in _read("words"))
    return {key.strip(): [word.strip() for word in rest.split("|")] for key, _, rest in rows}


def _digits(rng: random.Random) -> str:
    return spell_digits("".join(rng.choices("0123456789", k=rng.choice(DIGIT_COUNTS))))


def _clock(rng: random.Random) -> str:
    hour = rng.choice(HOURS)
    return rng.choice(
        (
            f"{hour} o'clock",
            f"half past {hour}",
            f"a quarter to {hour}",
            f"{hour} {spell_number(rng.randrange(10, 60))}",
        )
    )


def _number(rng: random.Random) -> str:
    return spell_number(int(10 ** rng.uniform(0.4, 4.6)))


COMPUTED: dict[str, Callable[[random.Random], str]] = {
    "digits": _digits,
    "clock": _clock,
    "number": _number,
    "small": lambda rng: spell_number(rng.randrange(2, 21)),
    "tens": lambda rng: spell_number(rng.randrange(21, 100)),
    "date": lambda rng: f"{rng.choice(MONTHS)} {rng.choice(ORDINALS)}",
    "month": lambda rng: rng.choice(MONTHS),
    "ordinal": lambda rng: rng.choice(ORDINALS),
    "year": lambda rng: f"{rng.choice(('nineteen', 'twenty', 'eighteen'))} {spell_number(rng.randrange(10, 100))}",
    "letter": lambda rng: rng.choice("abcdefghijklmnopqrstuvwxyz"),
}


def generate(kind: str, count: int, rng: random.Random) -> Iterator[str]:
    """Draw `count` lines of a kind; lines may repeat."""
    patterns, words = _read(kind), _words()
    for _ in range(count):
        yield _fill(rng.choice(patterns), words, rng)


def _fill(pattern: str, words: dict[str, list[str]], rng: random.Random) -> str:
    """Replace slots until none is left, because the content of a slot may contain slots."""

    def replace(match: re.Match[str]) -> str:
        name = match[1]
        return COMPUTED[name](rng) if name in COMPUTED else rng.choice(words[name])

    while "{" in pattern:
        pattern = re.sub(r"\{(\w+)\}", replace, pattern)
    return re.sub(r"\ba (?=[aeio])", "an ", pattern)
