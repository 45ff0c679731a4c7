"""Turn the fields of a dataclass into arguments of a command: `field: Annotated[type, help]`."""

import argparse
import json
from collections.abc import Callable
from dataclasses import MISSING, fields
from pathlib import Path
from typing import Any, TypeVar, get_type_hints

Options = TypeVar("Options")


def numbers(text: str) -> tuple[int, ...]:
    """Parse comma-separated numbers."""
    return tuple(int(number) for number in text.split(",") if number)


READERS: dict[Any, Callable[[str], Any]] = {
    Path | None: Path,
    float | None: float,
    int | None: int,
    tuple[int, ...]: numbers,
    dict[str, list[str]] | None: json.loads,
}


def add_options(parser: argparse.ArgumentParser, kind: type[Any]) -> None:
    """Add `--field-name` to the parser for every field of `kind`; a bool becomes a switch."""
    hints = get_type_hints(kind, include_extras=True)
    for each in fields(kind):
        flag, hint = "--" + each.name.replace("_", "-"), hints[each.name].__origin__
        (about,) = hints[each.name].__metadata__
        if hint is bool:
            parser.add_argument(flag, action="store_true", help=about)
            continue
        default = None if each.default is MISSING else each.default
        shown = " (%(default)s)" if default is not None else ""
        reader, required = READERS.get(hint, hint), each.default is MISSING
        parser.add_argument(flag, type=reader, required=required, default=default, help=about + shown)


def parse_options(kind: type[Options], args: argparse.Namespace) -> Options:
    """Return the dataclass with the parsed arguments."""
    known: Any = kind
    made: Options = known(**{each.name: getattr(args, each.name) for each in fields(known)})
    return made
