"""Errors that spreadsheets show in place of a formula's result; a cell that holds one says nothing of its line."""

from collections.abc import Sequence

from studio.script.script import Role, ScriptLine, Sheet, cell

# Excel, LibreOffice, Google Sheets and Numbers.
ERRORS = frozenset(
    (
        "#BLOCKED!", "#BUSY!", "#CALC!", "#CONNECT!", "#DIV/0!", "#ERROR!", "#EXTERNAL!", "#FIELD!", "#GETTING_DATA",
        "#N/A", "#NAME?", "#NULL!", "#NUM!", "#PYTHON!", "#REF!", "#SPILL!", "#TIMEOUT!", "#UNKNOWN!", "#VALUE!",
        *(f"Err:{number}" for number in range(501, 541)),
    )
)  # fmt: skip
ROLES: Sequence[Role] = ("text", "character", "emotion", "id", "filename", "max_s")  # on which a take depends


def is_formula_error(value: str) -> bool:
    """Whether a cell shows a spreadsheet's error."""
    return value.strip() in ERRORS


def formula_error(sheet: Sheet, line: ScriptLine) -> str:
    """Return a sentence on the first error in a line's cells that matter to its takes; "" if there is none."""
    for role in ROLES:
        value = cell(sheet, line, role)
        if is_formula_error(value):
            name = sheet.columns[sheet.roles[role]] or role
            return f"{name[:40]} is {value}, an error of the spreadsheet; correct the formula there, or type the value here"
    return ""
