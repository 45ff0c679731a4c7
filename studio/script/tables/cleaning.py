"""Remove illegal characters from cells, and neutralise cells that a spreadsheet would calculate."""

import re
from collections.abc import Iterable

# Control characters that separate words: vertical tab, form feed, the separators of ASCII, next line.
SEPARATORS = re.compile("[\x0b\x0c\x1c-\x1f\x85]")
# Control characters except tab and line breaks, lone surrogates, two characters that XML forbids, and byte order marks.
UNWANTED = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufeff\ufffe\uffff]")
PIECE = 2**16
FORMULA = re.compile("'*[=+\\-@\t\r]")


def cleaned(text: str) -> str:
    """Replace SEPARATORS by spaces and remove UNWANTED characters."""
    if UNWANTED.search(text) is None:
        return text
    text = SEPARATORS.sub(" ", text)
    # The text is divided into pieces, because `sub` keeps a string for each part between matches.
    return "".join(UNWANTED.sub("", text[start : start + PIECE]) for start in range(0, len(text), PIECE))


def looks_like_formula(cell: str) -> bool:
    """Return True if a spreadsheet would calculate this cell, by the list of OWASP."""
    return not cell.startswith("'") and FORMULA.match(cell) is not None


def are_neutral(cells: Iterable[str]) -> bool:
    """Return True if some cells begin like a formula, and all of these have an apostrophe in front."""
    suspects = [cell for cell in cells if FORMULA.match(cell)]
    return bool(suspects) and all(cell.startswith("'") for cell in suspects)


def neutralised(cell: str) -> str:
    """Return the cell with an additional apostrophe if it begins like a formula, leading apostrophes ignored."""
    return f"'{cell}" if FORMULA.match(cell) else cell


def restored(cell: str) -> str:
    """Return the cell as it was before `neutralised`."""
    return cell[1:] if cell.startswith("'") and FORMULA.match(cell) else cell
