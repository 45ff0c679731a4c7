"""Match the columns of a changed table with the columns of its sheet, and determine their roles."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from studio.script.format.script import Role, Sheet, Table
from studio.script.tables.columns import recognised

ColumnPairs = Mapping[int, int]  # columns of the sheet, by column of the table


def paired_columns(sheet: Sheet, table: Table) -> ColumnPairs:
    """Pair columns of the same name, then remaining columns of the same role."""
    pairs = same_names(sheet.columns, table.columns)
    for role, column in recognised(table.columns, table.rows).items():
        old = sheet.roles.get(role)
        if old is not None and old not in pairs.values():
            pairs.setdefault(column, old)
    return pairs


def updated_roles(sheet: Sheet, table: Table, pairs: ColumnPairs) -> Mapping[Role, int]:
    """Return the chosen roles of columns that still exist, and the recognized roles of new columns."""
    chosen = {column: role for role, column in sheet.roles.items()}
    roles = {chosen[old]: column for column, old in pairs.items() if old in chosen}
    for role, column in recognised(table.columns, table.rows).items():
        if column not in pairs:
            roles.setdefault(role, column)
    return roles


def same_names(before: Sequence[str], after: Sequence[str]) -> dict[int, int]:
    """Pair each column of `after` with the column of the same name in `before`."""
    known = {name: column for column, name in enumerate(_numbered(before))}
    names = enumerate(_numbered(after))
    return {column: known[name] for column, name in names if name in known}


def laid_out(cells: Sequence[str], pairs: ColumnPairs, width: int) -> tuple[str, ...]:
    """Return a line's cells in the order of the table's columns; columns that the sheet lacks are empty."""
    return tuple(cells[pairs[column]] if column in pairs else "" for column in range(width))


def _numbered(names: Sequence[str]) -> Iterator[tuple[str, int]]:
    """Yield each name in lower case, with its number among equal names."""
    seen: Counter[str] = Counter()
    for name in names:
        plain = " ".join(name.split()).casefold()
        seen[plain] += 1
        yield plain, seen[plain]
