"""Functions that change a sheet. They return a new sheet, or a change of a line; a changed line has the next revision."""

import re
import secrets
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from engines.errors import BadInput
from studio.errors import NotFound
from studio.script.format.script import LineEvent, LineTake, Mark, Role, ScriptLine, Sheet

LineChange = Callable[[ScriptLine], ScriptLine]

KEY = re.compile(r"[0-9a-f]{12}")
LINES_MAX = 20_000
CELL_MAX = 10_000  # characters
COMMENT_MAX = 2_000
CHANGED = "changed from"  # start of the event of an edited cell
EVENTS_KEPT = 50  # number of latest events that a line keeps


@dataclass(frozen=True, slots=True, kw_only=True)
class NewLine:
    """A line to add."""

    cells: Sequence[str]  # missing cells are empty
    key: str = ""  # 12 hexadecimal digits chosen by the client; empty = chosen by the studio


class UnknownLine(NotFound):
    """The sheet has no such line, or the line has no such take."""


def imported_lines(rows: Iterable[Sequence[str]]) -> tuple[ScriptLine, ...]:
    """Return a new line for each row of a file."""
    return tuple(ScriptLine(key=new_key(), cells=tuple(row), imported=tuple(row)) for row in rows)


def new_key() -> str:
    return secrets.token_hex(6)


def find(sheet: Sheet, key: str) -> ScriptLine:
    """Return a line by its key. Raises UnknownLine."""
    for line in sheet.lines:
        if line.key == key:
            return line
    raise UnknownLine("this sheet has no such line; reload the page to see all lines")


def change_lines(sheet: Sheet, changes: Mapping[str, LineChange]) -> Sheet:
    """Return the sheet with these lines changed; the same object if nothing changed.

    Raises UnknownLine, and errors of a change.
    """
    after = (
        {key: change(find(sheet, key)) for key, change in changes.items()} if len(changes) < 2 else _all(sheet, changes)
    )
    before = {line.key: line for line in sheet.lines if line.key in after}
    changed = {key for key, line in after.items() if line != before[key]}
    if not changed:
        return sheet
    revision = sheet.revision + 1
    lines = (replace(after[line.key], revision=revision) if line.key in changed else line for line in sheet.lines)
    return replace(sheet, lines=tuple(lines), revision=revision)


def _all(sheet: Sheet, changes: Mapping[str, LineChange]) -> dict[str, ScriptLine]:
    known = {line.key: line for line in sheet.lines}
    for key in changes.keys() - known.keys():
        find(sheet, key)
    return {key: change(known[key]) for key, change in changes.items()}


def touched(sheet: Sheet, keys: Iterable[str]) -> Sheet:
    """Return the sheet with these lines marked as changed, or the same object if it has none of these lines."""
    named, revision = set(keys), sheet.revision + 1
    if not any(line.key in named for line in sheet.lines):
        return sheet
    lines = tuple(replace(line, revision=revision) if line.key in named else line for line in sheet.lines)
    return replace(sheet, lines=lines, revision=revision)


def with_cell(column: int, value: str, at: str) -> LineChange:
    """Return a change that sets one cell. Raises BadInput."""

    def change(line: ScriptLine) -> ScriptLine:
        if not 0 <= column < len(line.cells):
            raise BadInput("this sheet has no such column; reload the page to see all columns")
        _check_cell(value)
        if line.cells[column] == value:
            return line
        changed = noted(line, f"{CHANGED} “{shortened(line.cells[column])}” to “{shortened(value)}”", at)
        return replace(changed, cells=(*line.cells[:column], value, *line.cells[column + 1 :]))

    return change


def _check_cell(value: str) -> None:
    if len(value) > CELL_MAX:
        raise BadInput(f"a cell can have {CELL_MAX:,} characters at most; shorten the text, or split the line")


def with_mark(take_id: str, at: str, *, mark: Mark | None = None, comment: str | None = None) -> LineChange:
    """Return a change that sets a take's mark or comment. A line has at most one select. Raises UnknownLine, BadInput."""

    def change(line: ScriptLine) -> ScriptLine:
        chosen = next((take for take in line.takes if take.id == take_id), None)
        if chosen is None:
            raise UnknownLine("this line has no such take; reload the page to see all takes")
        if comment is not None and len(comment) > COMMENT_MAX:
            raise BadInput(f"a note can have {COMMENT_MAX:,} characters at most; shorten the note")
        if mark is not None:
            chosen = _given(line, chosen, mark)
        takes = tuple(_after(take, chosen, comment) for take in line.takes)
        after = replace(line, takes=takes)
        marked = mark is not None and after != line
        return noted(after, f"take {chosen.number}: {mark or 'no mark'}", at) if marked else after

    return change


def _given(line: ScriptLine, take: LineTake, mark: Mark) -> LineTake:
    """Return the take with a new mark, which is then the latest mark of the line."""
    if not mark:
        return replace(take, mark="", marked=0, seen=0)
    latest = max(each.marked for each in line.takes)
    is_latest = take.mark == mark and take.marked == latest > 0
    return replace(take, mark=mark, marked=latest + (not is_latest), seen=line.takes[-1].number)


def _after(take: LineTake, chosen: LineTake, comment: str | None) -> LineTake:
    """Return `take` after a change of `chosen`: `chosen` itself, or a take that may lose its mark."""
    if take.id != chosen.id:
        return replace(take, mark="") if chosen.mark == "select" and take.mark == "select" else take
    return chosen if comment is None else replace(chosen, comment=comment)


def with_take(take: LineTake, at: str) -> LineChange:
    """Return a change that adds a take with the next number, unless the line already has the take."""

    def change(line: ScriptLine) -> ScriptLine:
        if any(known.id == take.id for known in line.takes):
            return line
        numbered = replace(take, number=1 + max((known.number for known in line.takes), default=0))
        return noted(
            replace(line, takes=(*line.takes, numbered)), f"take {numbered.number} rendered with {take.voice}", at
        )

    return change


def with_checked(take: LineTake) -> LineChange:
    """Return a change that sets the checks and the score of a take; other values of the take stay."""

    def change(line: ScriptLine) -> ScriptLine:
        takes = (
            replace(each, checks=take.checks, score=take.score) if each.id == take.id else each for each in line.takes
        )
        return replace(line, takes=tuple(takes))

    return change


def with_presence(present: bool) -> LineChange:
    return lambda line: replace(line, deleted=not present)


def with_roles(sheet: Sheet, roles: Mapping[Role, int | None]) -> Sheet:
    """Return the sheet with these columns in these roles. All lines count as changed.

    A column has at most one role. Raises BadInput.
    """
    if any(column is not None and not 0 <= column < len(sheet.columns) for column in roles.values()):
        raise BadInput("this sheet has no such column; reload the page to see all columns")
    given = {column for column in roles.values() if column is not None}
    kept = {role: column for role, column in sheet.roles.items() if role not in roles and column not in given}
    chosen = {role: column for role, column in roles.items() if column is not None}
    after = kept | chosen
    if after == sheet.roles:
        return sheet
    revision = sheet.revision + 1
    lines = tuple(replace(line, revision=revision) for line in sheet.lines)
    return replace(sheet, roles=after, lines=lines, revision=revision)


def with_added(sheet: Sheet, lines: Sequence[NewLine]) -> Sheet:
    """Return the sheet with new lines at its end.

    A repeated request may contain a known key; that line is restored if it was deleted. Raises BadInput.
    """
    known = {line.key for line in sheet.lines}
    new = {line.key or new_key(): line for line in lines if line.key not in known}
    back = change_lines(sheet, {line.key: with_presence(True) for line in lines if line.key in known})
    if not new:
        return back
    if len(back.lines) + len(new) > LINES_MAX:
        raise BadInput(f"a sheet can have {LINES_MAX:,} lines at most; start another sheet")
    width, revision = len(back.columns), back.revision + 1
    written = {key: _written(line, width) for key, line in new.items()}
    added = (ScriptLine(key=key, cells=cells, revision=revision, imported=()) for key, cells in written.items())
    return replace(back, lines=(*back.lines, *added), revision=revision)


def _written(line: NewLine, width: int) -> tuple[str, ...]:
    """Return the cells of a new line, one for each column of the sheet. Raises BadInput."""
    if line.key and KEY.fullmatch(line.key) is None:
        raise BadInput("the key of a line must be 12 hexadecimal digits; leave out the key to get a new one")
    for value in line.cells:
        _check_cell(value)
    return _wide(line.cells, width)


def _wide(cells: Sequence[str], width: int) -> tuple[str, ...]:
    return (*cells[:width], *[""] * (width - len(cells)))


def noted(line: ScriptLine, what: str, at: str) -> ScriptLine:
    """Return the line with a new event in its history."""
    return replace(line, events=(*line.events, LineEvent(at=at, what=what))[-EVENTS_KEPT:])


def shortened(text: str, most: int = 60) -> str:
    return text if len(text) <= most else f"{text[: most - 1]}…"
