"""Notes on lines before they are rendered or delivered. The page shows each note as a badge in the line's row."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from engines.errors import BadSetting
from studio.languages import name_of, primary, tag_of
from studio.script.foreign_words import foreign_language
from studio.script.format.length_limit import read_limit
from studio.script.format.script import Role, ScriptLine, Sheet, cell
from studio.script.formula_errors import ROLES as ERROR_ROLES
from studio.script.formula_errors import is_formula_error
from studio.script.identity import lines_of_same_id

NoteKind = Literal["formula", "same_id", "length", "language", "voice"]
UnknownVoices = Callable[[str], Sequence[str]]  # of a text
NOT_SPOKEN = (
    "{}. No checkpoint of this studio speaks this language. Use another checkpoint, or translate or delete the line."
)
SHOWN = 20  # maximum number of characters of a cell in a note


@dataclass(frozen=True, slots=True, kw_only=True)
class LineNote:
    """A note on a line."""

    kind: NoteKind
    role: Role  # role of the column that shows the badge
    label: str  # text of the badge
    text: str  # a sentence with advice
    value: str  # the cell's value, or the part that was recognized


def line_notes(
    sheet: Sheet, languages: Collection[str], unknown_voices: UnknownVoices
) -> Mapping[str, Sequence[LineNote]]:
    """Return the notes on lines, by the line's key. Lines without notes and deleted lines are left out.

    `languages` are the languages, without regions, that at least one engine of the studio speaks. `unknown_voices`
    returns the voices that a text names and the studio does not have.
    """
    lines = [line for line in sheet.lines if not line.deleted]
    sharing = {key: len(group) for group in lines_of_same_id(sheet) for key in group}
    found = {line.key: list(_notes(sheet, line, sharing.get(line.key, 1), languages, unknown_voices)) for line in lines}
    return {key: notes for key, notes in found.items() if notes}


def _notes(
    sheet: Sheet, line: ScriptLine, sharing: int, languages: Collection[str], unknown_voices: UnknownVoices
) -> Iterator[LineNote]:
    """Yield the notes on a line; `sharing` is the number of lines with its id."""
    for role in ERROR_ROLES:
        if is_formula_error(value := cell(sheet, line, role)):
            text = (
                "This cell shows a spreadsheet error. Correct the formula in the spreadsheet, or type the value here."
            )
            yield LineNote(kind="formula", role=role, label=f"spreadsheet error: {value}", text=text, value=value)
    yield from _same_id(cell(sheet, line, "id"), sharing)
    yield from _length(cell(sheet, line, "max_s"))
    yield from _language(cell(sheet, line, "text"), cell(sheet, line, "language"), languages)
    yield from _voices(unknown_voices(cell(sheet, line, "text")))


def _voices(names: Sequence[str]) -> Iterator[LineNote]:
    """Yield a note on voices that the text names and the studio does not have."""
    for name in names:
        text = (
            f"The text names the voice “{name[:SHOWN]}”, which is unknown, so the character's voice speaks these words. "
            "Write the name of a sample or the id of a champion."
        )
        yield LineNote(kind="voice", role="text", label=f"unknown voice: {name[:SHOWN]}", text=text, value=name[:SHOWN])


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


def _language(text: str, stated: str, languages: Collection[str]) -> Iterator[LineNote]:
    """Yield a note on a text in a language that no engine speaks: the stated language, or else the one that the text shows."""
    label = value = stated[:SHOWN]
    if stated and not is_formula_error(stated):
        tag = tag_of(stated)
        if tag is None:
            label = f"unknown language: {value}"
            text = "This language is unknown. Write a tag such as de or pt-BR, or a name such as German."
        elif not tag or primary(tag) in languages:
            return
        else:
            label, text = f"not spoken: {name_of(tag)}", NOT_SPOKEN.format(f"This line is in {name_of(tag)}")
    elif (language := foreign_language(text)) and tag_of(language) not in languages:
        label = value = language
        text = (
            NOT_SPOKEN.format(f"The text looks {language}") + " Ignore this warning if the text is in another language."
        )
    else:
        return
    yield LineNote(kind="language", role="text", label=label, text=text, value=value)
