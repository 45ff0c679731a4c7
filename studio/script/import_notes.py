"""Notes on a newly imported sheet, as sentences."""

from collections.abc import Collection, Mapping, Sequence

from studio.progress import plural
from studio.script.format.script import Sheet, Table
from studio.script.line_notes import LineNote, NoteKind, UnknownVoices, line_notes

NAMED = 3  # maximum number of values in a note
# The end of a sentence such as "3 lines with …", and advice.
WORDS: Mapping[NoteKind, tuple[str, str]] = {
    "formula": (
        "a spreadsheet error",
        "The studio cannot render such a line. Correct the formula in the spreadsheet, or type the value here.",
    ),
    "same_id": ("a duplicate id", "Give each line its own id, for file names and updates."),
    "length": (
        "an unreadable length",
        "Write 2.5 for at most 2.5 s, or =2.5 for exactly 2.5 s. Without a readable length, a line has no length limit.",
    ),
    "language": (
        "a language that is unknown, or that no checkpoint of this studio speaks",
        "The words of such a line may be wrong. Correct the name of the language, or choose a checkpoint that speaks it.",
    ),
    "voice": (
        "an unknown voice in the text",
        "The character's voice speaks these words. Write the name of a sample or the id of a champion.",
    ),
}


def import_notes(
    table: Table, sheet: Sheet, languages: Collection[str], unknown_voices: UnknownVoices
) -> Sequence[str]:
    """Return notes on content that was not imported, then a sentence for each kind of note on lines.

    `languages` are the languages that the engines speak, and `unknown_voices` returns the voices of a text that are unknown.
    """
    found = list(line_notes(sheet, languages, unknown_voices).values())
    return [*table.notes, *(sentence for kind in WORDS if (sentence := _sentence(kind, found)))]


def _sentence(kind: NoteKind, found: Sequence[Sequence[LineNote]]) -> str:
    values = [[note.value for note in notes if note.kind == kind] for notes in found]
    count = sum(bool(each) for each in values)
    if not count:
        return ""
    what, advice = WORDS[kind]
    shown = _some(list(dict.fromkeys(value for each in values for value in each)))
    return f"{plural(count, 'line')} with {what}: {shown}. {advice}".rstrip()


def _some(names: Sequence[str]) -> str:
    more = len(names) - NAMED
    return ", ".join(names[:NAMED]) + (f" and {more:,} more" if more > 0 else "")
