"""What somebody should know of a sheet that has just come in, as sentences."""

from collections import Counter
from collections.abc import Mapping, Sequence

from engines.errors import BadSetting
from studio.script.formula_errors import ROLES as ERROR_ROLES
from studio.script.formula_errors import is_formula_error
from studio.script.script import Role, Table
from studio.script.timing import read_limit

NAMED = 3  # of many


def import_notes(table: Table, roles: Mapping[Role, int]) -> Sequence[str]:
    """Return what the import left out, then the errors, ids and lengths that cannot be used."""
    return [*table.notes, *_errors(table, roles), *_shared_ids(table, roles), *_unreadable_lengths(table, roles)]


def _errors(table: Table, roles: Mapping[Role, int]) -> Sequence[str]:
    """Name the spreadsheet errors in columns on which takes depend."""
    columns = [roles[role] for role in ERROR_ROLES if role in roles]
    found = [[row[column].strip() for column in columns if is_formula_error(row[column])] for row in table.rows]
    lines = [errors for errors in found if errors]
    if not lines:
        return []
    have = "line has" if len(lines) == 1 else "lines have"
    kinds = _some(list(dict.fromkeys(error for errors in lines for error in errors)))
    return [f"{len(lines):,} {have} spreadsheet errors and cannot be rendered until they are corrected: {kinds}."]


def _shared_ids(table: Table, roles: Mapping[Role, int]) -> Sequence[str]:
    if "id" not in roles:
        return []
    counts = Counter(row[roles["id"]].strip() for row in table.rows)
    shared = [id for id, count in counts.items() if id and count > 1 and not is_formula_error(id)]
    if not shared:
        return []
    stand = "id stands" if len(shared) == 1 else "ids stand"
    told = f"{len(shared):,} {stand} in several lines: {_some(shared)}."
    return [f"{told} Give each line its own, by which files are named and a changed sheet is matched."]


def _unreadable_lengths(table: Table, roles: Mapping[Role, int]) -> Sequence[str]:
    if "max_s" not in roles:
        return []
    cells = [row[roles["max_s"]].strip() for row in table.rows]
    unreadable = [cell for cell in cells if not _is_length(cell) and not is_formula_error(cell)]
    if not unreadable:
        return []
    have = "line has" if len(unreadable) == 1 else "lines have"
    shown = _some([f"“{cell[:20]}”" for cell in dict.fromkeys(unreadable)])
    return [
        f"{len(unreadable):,} {have} a length that cannot be read: {shown}. "
        "Write 2.5 for at most 2.5 s, or =2.5 for exactly as long; until then no length holds there."
    ]


def _is_length(cell: str) -> bool:
    try:
        read_limit(cell)
    except BadSetting:
        return False
    return True


def _some(names: Sequence[str]) -> str:
    more = len(names) - NAMED
    return ", ".join(names[:NAMED]) + (f" and {more:,} more" if more > 0 else "")
