"""Recognize the roles of a sheet's columns, by their names, or else by their cells."""

import re
import unicodedata
from collections.abc import Mapping, Sequence

from studio.script.format.script import ROLES, Role
from studio.script.tables.headings import HEADINGS

SAMPLE_ROWS = 500
ID_CHARACTERS_MOST = 40
SENTENCE_CHARACTERS = 12  # if the average length is greater, a column called "Line" has texts, otherwise numbers
UNITS = frozenset(("s", "sec", "secs", "second", "seconds", "sek", "sekunden", "secondes", "segundos", "in"))
NO_SECONDS = frozenset(
    ("ms", "milliseconds", "frames", "chars", "characters", "char", "words", "zeichen", "px", "bytes")
)


def recognised(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> dict[Role, int]:
    """Return the column of each role, as far as it is found. No column has two roles.

    Roles are found by whole names, then by parts of names, then by cells.
    """
    found: dict[Role, int] = {}
    sample = rows[:SAMPLE_ROWS]
    claims = sorted(_claims(columns, sample))
    for _, _, column, role in claims:
        if role not in found and column not in found.values():
            found[role] = column
    if "text" not in found:
        _add(found, "text", _longest(columns, sample, found))
    if "id" not in found:
        _add(found, "id", _unique(columns, sample, found))
    return found


def role_of(name: str) -> Role | None:
    """Return the role of a column with exactly this name; None if there is none."""
    roles = _exact(name)
    return min(roles, key=lambda role: roles[role], default=None)


def _claims(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> list[tuple[int, int, int, Role]]:
    """Return candidates: looseness of the match (less is better), rank of the name, column, role."""
    claims: list[tuple[int, int, int, Role]] = []
    for column, name in enumerate(columns):
        exact = {role: rank for role, rank in _exact(name).items() if _holds(role, name, rows, column)}
        claims += [(0, rank, column, role) for role, rank in exact.items()]
        if not exact:
            claims += [(1, rank, column, role) for role, rank in _partly(name).items()]
    return claims


def _exact(name: str) -> dict[Role, int]:
    words = _words(name)
    plain = [word for word in words if word not in UNITS] or words
    spellings = {"".join(words), "".join(plain)}
    return {
        role: min(names[s] for s in spellings if s in names) for role, names in KNOWN.items() if spellings & set(names)
    }


def _partly(name: str) -> dict[Role, int]:
    """Return the roles whose names are part of this name, as in "Dialogue (EN)"."""
    words = _words(name)
    runs = {"".join(words[start:end]) for start in range(len(words)) for end in range(start + 1, start + 4)}
    runs -= NO_PART
    roles = {
        role: min(names[run] for run in runs if run in names) for role, names in KNOWN.items() if runs & set(names)
    }
    if NO_SECONDS & set(words):
        roles.pop("max_s", None)
    return roles


def _holds(role: Role, name: str, rows: Sequence[Sequence[str]], column: int) -> bool:
    """Return True if the cells fit the role. Only names of two roles need this: a column "Line" has texts or ids."""
    if {"id", "text"} <= set(_exact(name)):
        return (role == "text") == (_mean_length(rows, column) > SENTENCE_CHARACTERS)
    return True


def _words(name: str) -> list[str]:
    """Return the lower-case words of a name without accents: "lineID", "Line_Id" and "LINE ID" give equal words."""
    name = re.sub(r"(?<=[a-zß-ÿ])(?=[A-Z])", " ", name[:200])
    plain = unicodedata.normalize("NFKD", name).casefold()
    plain = "".join(char for char in plain if not unicodedata.combining(char))
    return re.findall(r"[^\W_]+|[#°]", plain)


def _longest(columns: Sequence[str], rows: Sequence[Sequence[str]], found: Mapping[Role, int]) -> int | None:
    """Return the column with the longest texts, which must contain letters; None if there is none."""
    free = [column for column in range(len(columns)) if column not in found.values()]
    lettered = [c for c in free if any(char.isalpha() for row in rows for char in row[c][:20])]
    return max(lettered, key=lambda column: _mean_length(rows, column), default=None)


def _unique(columns: Sequence[str], rows: Sequence[Sequence[str]], found: Mapping[Role, int]) -> int | None:
    """Return the first column of short, unique words or numbers; None if there is none."""
    for column in range(len(columns)):
        cells = [row[column].strip() for row in rows if any(cell.strip() for cell in row)]
        if (
            column not in found.values()
            and len(cells) > 1
            and len(set(cells)) == len(cells)
            and all(map(_is_id, cells))
        ):
            return column
    return None


def _is_id(cell: str) -> bool:
    short = 0 < len(cell) <= ID_CHARACTERS_MOST and not re.search(r"\s", cell)
    return short and not re.fullmatch(r"\d+[.,]\d+", cell)


def _mean_length(rows: Sequence[Sequence[str]], column: int) -> float:
    lengths = [len(row[column]) for row in rows if row[column].strip()]
    return sum(lengths) / len(lengths) if lengths else 0.0


def _add(found: dict[Role, int], role: Role, column: int | None) -> None:
    if column is not None:
        found[role] = column


def _known(role: Role) -> dict[str, int]:
    names = ["".join(_words(name)) for name in re.split(r"[;\n]", HEADINGS[role]) if name.strip()]
    return {name: rank for rank, name in reversed(list(enumerate(names)))}


KNOWN: Mapping[Role, Mapping[str, int]] = {role: _known(role) for role in ROLES}
# Words that name a role only if they are the whole name.
NO_PART = frozenset(
    ("s", "no", "nr", "max", "time", "name", "source", "code", "length", "limit", "sec", "seconds", "who", "act")
)
