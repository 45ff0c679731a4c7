"""Recognize the errors that spreadsheets show in place of a formula's result."""

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
ROLES: Sequence[Role] = ("text", "character", "emotion", "id", "filename", "max_s")  # columns on which a take depends


def is_formula_error(value: str) -> bool:
    """Return True if a cell shows a spreadsheet error."""
    return value.strip() in ERRORS


def formula_error(sheet: Sheet, line: ScriptLine) -> str:
    """Return a sentence on the first error in a line's cells that matter to its takes; "" if there is none."""
    for role in ROLES:
        value = cell(sheet, line, role)
        if is_formula_error(value):
            name = sheet.columns[sheet.roles[role]] or role
            advice = "correct the formula in the spreadsheet, or type the value here"
            return f"{name[:40]} is {value}, a spreadsheet error; {advice}"
    return ""
