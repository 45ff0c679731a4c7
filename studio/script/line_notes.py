"""Notes on lines before they are rendered or delivered. The page shows each note as a badge in the line's row."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from engines.errors import BadSetting
from studio.script.foreign_words import foreign_language
from studio.script.format.length_limit import read_limit
from studio.script.format.script import Role, ScriptLine, Sheet, cell
from studio.script.formula_errors import ROLES as ERROR_ROLES
from studio.script.formula_errors import is_formula_error
from studio.script.identity import lines_of_same_id

NoteKind = Literal["formula", "same_id", "length", "language"]
SHOWN = 20  # maximum number of characters of a cell in a note


@dataclass(frozen=True, slots=True, kw_only=True)
class LineNote:
    """A note on a line."""

    kind: NoteKind
    role: Role  # role of the column that shows the badge
    label: str  # text of the badge
    text: str  # a sentence with advice
    value: str  # the cell's value, or the part that was recognized


def line_notes(sheet: Sheet) -> Mapping[str, Sequence[LineNote]]:
    """Return the notes on lines, by the line's key. Lines without notes and deleted lines are left out."""
    lines = [line for line in sheet.lines if not line.deleted]
    sharing = {key: len(group) for group in lines_of_same_id(sheet) for key in group}
    found = {line.key: list(_notes(sheet, line, sharing.get(line.key, 1))) for line in lines}
    return {key: notes for key, notes in found.items() if notes}


def _notes(sheet: Sheet, line: ScriptLine, sharing: int) -> Iterator[LineNote]:
    """Yield the notes on a line; `sharing` is the number of lines with its id."""
    for role in ERROR_ROLES:
        if is_formula_error(value := cell(sheet, line, role)):
            text = (
                "This cell shows a spreadsheet error. Correct the formula in the spreadsheet, or type the value here."
            )
            yield LineNote(kind="formula", role=role, label=f"spreadsheet error: {value}", text=text, value=value)
    yield from _same_id(cell(sheet, line, "id"), sharing)
    yield from _length(cell(sheet, line, "max_s"))
    yield from _language(cell(sheet, line, "text"), cell(sheet, line, "language"))


def _same_id(id: str, sharing: int) -> Iterator[LineNote]:
    if sharing > 1 and not is_formula_error(id):
        text = f"{sharing} lines have the id {id[:SHOWN]}. Give each line its own id, for file names and updates."
        yield LineNote(kind="same_id", role="id", label="duplicate id", text=text, value=id)


def _length(value: str) -> Iterator[LineNote]:
    if is_formula_error(value):
        return
    try:
        read_limit(value)
    except BadSetting:
        text = (
            f"The length “{value[:SHOWN]}” cannot be read, so the line has no length limit. "
            "Write 2.5 for at most 2.5 s, or =2.5 for exactly 2.5 s."
        )
        yield LineNote(
            kind="length", role="max_s", label=f"unreadable length: {value[:SHOWN]}", text=text, value=value[:SHOWN]
        )


def _language(text: str, stated: str) -> Iterator[LineNote]:
    """Yield a note on a text that is not English, by the language column if it is filled, else by the text."""
    if stated and not is_formula_error(stated):
        if stated.casefold().startswith(("en", "auto")):
            return
        advice = (
            f"This line is in {stated[:SHOWN]}. The studio reads every text as English. Translate or delete the line."
        )
        yield LineNote(
            kind="language", role="text", label=f"not English: {stated[:SHOWN]}", text=advice, value=stated[:SHOWN]
        )
    elif language := foreign_language(text):
        advice = (
            f"The text looks {language}. The studio reads every text as English. "
            "Translate the line, or ignore this warning."
        )
        yield LineNote(kind="language", role="text", label=language, text=advice, value=language)
