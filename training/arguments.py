"""A dataclass's fields as the arguments of a command, so that each is written once: `field: Annotated[type, help]`."""

import argparse
from dataclasses import MISSING, fields
from pathlib import Path
from typing import Any, TypeVar, get_type_hints

T = TypeVar("T")


def numbers(text: str) -> tuple[int, ...]:
    return tuple(int(number) for number in text.split(",") if number)


READERS: dict[Any, Any] = {Path | None: Path, tuple[int, ...]: numbers}


def offer(parser: argparse.ArgumentParser, kind: type[Any]) -> None:
    """Give the parser `--field-name` for every field of `kind`; a bool becomes a switch."""
    hints = get_type_hints(kind, include_extras=True)
    for each in fields(kind):
        flag, hint = "--" + each.name.replace("_", "-"), hints[each.name].__origin__
        (about,) = hints[each.name].__metadata__
        if hint is bool:
            parser.add_argument(flag, action="store_true", help=about)
            continue
        told = "" if each.default in (MISSING, None) else " (%(default)s)"
        default = None if each.default is MISSING else each.default
        parser.add_argument(
            flag,
            type=READERS.get(hint, hint),
            required=each.default is MISSING,
            default=default,
            help=about + told,
        )


def made(kind: type[T], args: argparse.Namespace) -> T:
    return kind(**{each.name: getattr(args, each.name) for each in fields(kind)})  # type: ignore[arg-type]
