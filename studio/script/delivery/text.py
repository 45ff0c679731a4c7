"""Make text safe for other programs: on one line, in XML, and in tables that a spreadsheet may open."""

import csv
import io
import re
import unicodedata
from collections.abc import Sequence
from typing import Literal

# Characters that are illegal in XML 1.0, and lone surrogates, which UTF-8 cannot encode.
ILLEGAL = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
NUMBER = re.compile(r"[-+]?\d+(\.\d+)?")
FORMULA_STARTS = ("=", "+", "-", "@", "|", "%", "＝", "＋", "－", "＠")  # first characters of formulas in spreadsheets


def legal(text: str) -> str:
    """Return the text without characters that XML or UTF-8 files cannot contain."""
    return ILLEGAL.sub("", text)


def one_line(text: str) -> str:
    """Return the text on one line with single spaces. The arrow "-->" of subtitle files is replaced."""
    return " ".join(legal(text).split()).replace("-->", "→")


def ascii_only(text: str) -> str:
    """Return the text without accents, with `?` for other characters outside ASCII."""
    plain = unicodedata.normalize("NFKD", one_line(text))
    return "".join(c for c in plain if not unicodedata.combining(c)).encode("ascii", "replace").decode()


def is_formula(value: str) -> bool:
    """Return True if a spreadsheet might calculate the value. Numbers are not formulas."""
    if NUMBER.fullmatch(value):
        return False
    return value.lstrip("\ufeff \t\r\n\v\f\u00a0").startswith(FORMULA_STARTS) or value[:1] in ("\t", "\r", "\n")


def neutral(value: str) -> str:
    """Return a cell that spreadsheets show but never calculate: formulas get an apostrophe."""
    value = legal(value)
    return f"'{value}" if is_formula(value) else value


def csv_text(rows: Sequence[Sequence[str]], *, all_quoted: bool = False) -> str:
    """Return a CSV table (RFC 4180) with neutral cells."""
    file = io.StringIO()
    quoting: Literal[0, 1] = csv.QUOTE_ALL if all_quoted else csv.QUOTE_MINIMAL
    writer = csv.writer(file, quoting=quoting, lineterminator="\r\n")
    writer.writerows([[neutral(cell) for cell in row] for row in rows])
    return file.getvalue()


def tsv_text(rows: Sequence[Sequence[str]]) -> str:
    """Return a table without quoting: every cell is neutral and on one line."""
    return "".join("\t".join(neutral(one_line(cell)) for cell in row) + "\r\n" for row in rows)
