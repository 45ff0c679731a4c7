"""Ids of lines in game engines: find ids that an engine treats as equal, and make ids unique."""

import re
import unicodedata
from collections import defaultdict
from collections.abc import Callable, Sequence
from itertools import count
from typing import Literal

from engines.errors import BadInput

# The rule for lines that share an id: ask (the delivery is refused), or add a number to all but the first.
SameIdRule = Literal["ask", "suffix"]
KEPT_SIGNS = "_./-"
RUNS = re.compile(r"_+")
NAMED = 3  # maximum number of ids in a message


class SameIds(BadInput):
    """Delivered lines share an id, and the delivery has no rule for this."""


def folded(name: str) -> str:
    """Return a key that is equal for names that some file system treats as equal."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold())


def id_key(id: str) -> str:
    """Return the id as engine tables allow it: letters, digits and `_ . / -`; empty if no character is allowed."""
    signs = (sign if unicodedata.category(sign)[0] in "LMN" or sign in KEPT_SIGNS else " " for sign in id)
    return "_".join("".join(signs).split()).strip("_-./")


def same_ids(ids: Sequence[str]) -> Sequence[Sequence[int]]:
    """Return groups of indices of ids that some file system or engine treats as equal. Empty ids are left out."""
    places: dict[str, list[int]] = defaultdict(list)
    for place, id in enumerate(ids):
        if identity := _identity(id):
            places[identity].append(place)
    return [group for group in places.values() if len(group) > 1]


def numbered(ids: Sequence[str]) -> list[str]:
    """Return unique ids: the first of several equal ids stays, and the others end in `_2`, `_3` and so on."""
    return _numbered(ids, _identity)


def numbered_names(names: Sequence[str]) -> list[str]:
    """Return file names that are unique on every file system; equal names are numbered like ids."""
    return _numbered(names, folded)


def _numbered(names: Sequence[str], identity: Callable[[str], str]) -> list[str]:
    taken = set(map(identity, names))
    seen: set[str] = set()
    unique = []
    for name in names:
        own = name
        if identity(name) in seen:
            own = next(each for n in count(2) if identity(each := f"{name}_{n}") not in taken)
            taken.add(identity(own))
        seen.add(identity(name))
        unique.append(own)
    return unique


def refuse_same_ids(ids: Sequence[str]) -> None:
    """Raise SameIds if an engine or a file system treats some of the ids as equal."""
    groups = same_ids(ids)
    if not groups:
        return
    named = [f"{ids[group[0]]} ({len(group)} lines)" for group in groups[:NAMED]]
    more = f" and {len(groups) - NAMED} more" if len(groups) > NAMED else ""
    stand = "1 id is" if len(groups) == 1 else f"{len(groups)} ids are"
    raise SameIds(
        f"{stand} used by several lines: {', '.join(named)}{more}; give each line its own id, "
        "or add numbers to the duplicates (_2, _3)"
    )


def _identity(id: str) -> str:
    """Return a key that is equal for ids that some engine or file system treats as equal."""
    plain = "".join(
        sign if sign.isalnum() or sign == "-" or unicodedata.category(sign)[0] == "M" else "_" for sign in id
    )
    return folded(RUNS.sub("_", plain).strip("_-"))
