"""Update a sheet from its changed file, and keep chosen edits."""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace

from studio.script.editing import imported_lines, noted, shortened
from studio.script.format.script import ScriptLine, Sheet
from studio.script.sheet_differences import LineDifference, SheetComparison


def updated(comparison: SheetComparison, keep: Collection[str], at: str) -> Sheet:
    """Return the sheet with the content of its file and the edits of the lines in `keep`.

    Matched lines keep their takes.
    """
    sheet, table = comparison.sheet, comparison.table
    revision = sheet.revision + 1
    lines = tuple(replace(line, revision=revision) for line in _lines(comparison, frozenset(keep), at))
    return replace(
        sheet, columns=table.columns, roles=comparison.roles, form=table.form, lines=lines, revision=revision
    )


def _lines(comparison: SheetComparison, keep: Collection[str], at: str) -> Iterator[ScriptLine]:
    """Yield the lines of the file, then the deleted ones. Kept lines that the file lacks follow the line before them."""
    behind = _kept_behind(comparison, keep)
    differences = {each.row: each for each in comparison.lines if each.row is not None}
    yield from behind[""]
    for row, cells in enumerate(comparison.table.rows):
        line = comparison.matches.get(row)
        if line is None:
            yield imported_lines([cells])[0]
            continue
        merged = _merged(line, cells, differences.get(row) if line.key in keep else None)
        yield _noted(comparison, line, merged, at)
        yield from behind[line.key]
    yield from (
        replace(line, cells=comparison.laid_out(line.cells), deleted=True, imported=())
        for line in _unmatched(comparison)
        if line.deleted or line.key not in keep
    )


def _merged(line: ScriptLine, cells: tuple[str, ...], kept: LineDifference | None) -> ScriptLine:
    """Return the line with the cells of the file, except cells whose edits are kept."""
    if kept is None:
        return replace(line, cells=cells, imported=cells, deleted=False)
    edited = {cell.column: cell.studio for cell in kept.cells if cell.kind != "file"}
    mine = tuple(edited.get(column, value) for column, value in enumerate(cells))
    return replace(line, cells=mine, imported=cells)


def _noted(comparison: SheetComparison, line: ScriptLine, merged: ScriptLine, at: str) -> ScriptLine:
    """Return the merged line, with an event in its history if its text changed."""
    text = comparison.roles.get("text")
    if text is None or line.deleted:
        return merged
    before, after = comparison.laid_out(line.cells)[text], merged.cells[text]
    if before == after:
        return merged
    return noted(merged, f"the updated file changed “{shortened(before)}” to “{shortened(after)}”", at)


def _kept_behind(comparison: SheetComparison, keep: Collection[str]) -> Mapping[str, Sequence[ScriptLine]]:
    """Return the kept lines that the file lacks, by the key of the line before them; "" stands for the start of the sheet."""
    matched = {line.key for line in comparison.matches.values()}
    behind: dict[str, list[ScriptLine]] = defaultdict(list)
    before = ""
    for line in comparison.sheet.lines:
        if line.key in matched:
            before = line.key
        elif line.key in keep and not line.deleted:
            behind[before].append(replace(line, cells=comparison.laid_out(line.cells), imported=()))
    return behind


def _unmatched(comparison: SheetComparison) -> Sequence[ScriptLine]:
    matched = {line.key for line in comparison.matches.values()}
    return [line for line in comparison.sheet.lines if line.key not in matched]
