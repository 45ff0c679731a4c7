"""The ids of a sheet's lines, and lines that share an id."""

from collections.abc import Mapping, Sequence

from studio.script.delivery.identity import SameIdRule, id_key, numbered, same_ids
from studio.script.format.script import ScriptLine, Sheet, cell


def line_id(sheet: Sheet, line: ScriptLine) -> str:
    """Return the line's id, or the line's key if an engine cannot use the id."""
    id = cell(sheet, line, "id")
    return id if id_key(id) else line.key


def lines_of_same_id(sheet: Sheet) -> Sequence[Sequence[str]]:
    """Return groups of keys of lines that share an id. Deleted lines are left out."""
    lines = _present(sheet)
    groups = same_ids([cell(sheet, line, "id") for line in lines])
    return [[lines[place].key for place in group] for group in groups]


def delivered_ids(sheet: Sheet, rule: SameIdRule) -> Mapping[str, str]:
    """Return the id of each line's file, by the line's key.

    Lines without a select also get an id, so that an id is equal in every delivery.
    """
    lines = _present(sheet)
    ids = [line_id(sheet, line) for line in lines]
    return dict(zip([line.key for line in lines], numbered(ids) if rule == "suffix" else ids, strict=True))


def _present(sheet: Sheet) -> Sequence[ScriptLine]:
    return [line for line in sheet.lines if not line.deleted]
