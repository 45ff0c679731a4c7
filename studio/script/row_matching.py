"""Match the rows of a changed table with the lines of its sheet: by content, id or text, else by position."""

from collections import defaultdict, deque
from collections.abc import Callable, Hashable, Mapping, Sequence
from difflib import SequenceMatcher

from studio.script.column_matching import ColumnPairs, laid_out
from studio.script.format.script import Role, ScriptLine, Sheet, Table

# Returns a name of a line from its cells in the table's columns; an empty result names no line.
Name = Callable[[Sequence[str]], Hashable]
Matches = dict[int, ScriptLine]  # lines by row

ALIKE = 0.6  # minimum similarity at which texts in the same position are one line
COMPARED = 300  # characters of a text that are compared


def matched_rows(sheet: Sheet, table: Table, roles: Mapping[Role, int], pairs: ColumnPairs) -> Matches:
    """Return the line of each row that has one. Present lines are matched first, and deleted lines last."""
    width = len(table.columns)
    before = {line.key: laid_out(line.imported or line.cells, pairs, width) for line in sheet.lines}
    now = {line.key: laid_out(line.cells, pairs, width) for line in sheet.lines}
    dropped = [line for line in sheet.lines if line.dropped]
    others = sorted((line for line in sheet.lines if not line.dropped), key=lambda line: line.deleted)
    found: Matches = {}
    for lines in (others, dropped):
        for name in _names(roles, pairs):
            for cells in (before, now):
                _match(found, lines, table.rows, cells, name)
    if "text" in roles:
        _match_by_place(found, sheet, table.rows, now, roles["text"])
    return found


def _names(roles: Mapping[Role, int], pairs: ColumnPairs) -> Sequence[Name]:
    """Return functions that name a line by its cells, the most reliable first."""

    def content(cells: Sequence[str]) -> Hashable:
        known = tuple(cells[column] for column in sorted(pairs))
        return known if any(known) else ""

    def said(cells: Sequence[str]) -> Hashable:
        text = cells[roles["text"]].strip()
        return text and (text, cells[roles["character"]].strip() if "character" in roles else "")

    names: list[Name] = [content]
    if "id" in roles:
        names.append(lambda cells: cells[roles["id"]].strip())
    return [*names, said] if "text" in roles else names


def _match(
    found: Matches,
    lines: Sequence[ScriptLine],
    rows: Sequence[Sequence[str]],
    cells: Mapping[str, Sequence[str]],
    name: Name,
) -> None:
    """Match rows and lines with equal names, in order."""
    taken = {line.key for line in found.values()}
    waiting: dict[Hashable, deque[ScriptLine]] = defaultdict(deque)
    for line in lines:
        if line.key not in taken:
            waiting[name(cells[line.key])].append(line)
    for place, row in enumerate(rows):
        if place not in found and (key := name(row)) and waiting[key]:
            found[place] = waiting[key].popleft()


def _match_by_place(
    found: Matches, sheet: Sheet, rows: Sequence[Sequence[str]], cells: Mapping[str, Sequence[str]], text: int
) -> None:
    """Match similar texts that are between the same two matched lines."""
    lines = [line for line in sheet.lines if not line.deleted]
    places = {line.key: place for place, line in enumerate(lines)}
    taken = {line.key for line in found.values()}
    place = -1  # position of the line before the gap
    gap: list[int] = []
    for row in [*range(len(rows)), None]:
        if row is not None and row not in found:
            gap.append(row)
            continue
        end = len(lines) if row is None else places.get(found[row].key)
        if end is None:
            continue
        between = [line for line in lines[place + 1 : end] if line.key not in taken]
        if gap and len(gap) == len(between):
            pairs = zip(gap, between, strict=True)
            found |= {at: line for at, line in pairs if _are_alike(rows[at][text], cells[line.key][text])}
        place, gap = end, []


def _are_alike(one: str, other: str) -> bool:
    texts = [text.strip().casefold()[:COMPARED] for text in (one, other)]
    return SequenceMatcher(None, texts[0], texts[1]).ratio() >= ALIKE
