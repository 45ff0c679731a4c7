"""Recognize the errors that spreadsheets show in place of a formula's result."""

from collections.abc import Sequence

from studio.script.format.script import Role, ScriptLine, Sheet, cell

# Errors of Excel, LibreOffice, Google Sheets and Numbers.
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
    """Return a sentence on the first error in those cells of a line on which a take depends; "" without an error."""
    found = first_error(sheet, line)
    if found is None:
        return ""
    role, value = found
    name = sheet.columns[sheet.roles[role]] or role
    advice = "correct the formula in the spreadsheet, or type the value here"
    return f"{name[:40]} is {value}, a spreadsheet error; {advice}"


def first_error(sheet: Sheet, line: ScriptLine) -> tuple[Role, str] | None:
    """Return the role of the column and the value of the first error in those cells of a line on which a take depends."""
    values = ((role, cell(sheet, line, role)) for role in ROLES)
    return next((found for found in values if is_formula_error(found[1])), None)
