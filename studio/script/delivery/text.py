"""Text as files of other programs take it: on one line, within XML, within tables that a spreadsheet may open."""

import csv
import io
import re
import unicodedata
from collections.abc import Sequence
from typing import Literal

# What XML 1.0 has no place for, and lone surrogates, which UTF-8 has none for.
ILLEGAL = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
NUMBER = re.compile(r"[-+]?\d+(\.\d+)?")
FORMULA_STARTS = ("=", "+", "-", "@", "|", "%", "＝", "＋", "－", "＠")  # a spreadsheet may run what begins so


def legal(text: str) -> str:
    """Without what no file may hold."""
    return ILLEGAL.sub("", text)


def one_line(text: str) -> str:
    """Tabs, newlines and the like as single spaces; an arrow of subtitles loses its meaning."""
    return " ".join(legal(text).split()).replace("-->", "→")


def ascii_only(text: str) -> str:
    """Letters without their accents; `?` for what ASCII lacks."""
    plain = unicodedata.normalize("NFKD", one_line(text))
    return "".join(c for c in plain if not unicodedata.combining(c)).encode("ascii", "replace").decode()


def is_formula(value: str) -> bool:
    """Whether a spreadsheet might calculate it; it may read a number as one."""
    if NUMBER.fullmatch(value):
        return False
    return value.lstrip("\ufeff \t\r\n\v\f\u00a0").startswith(FORMULA_STARTS) or value[:1] in ("\t", "\r", "\n")


def neutral(value: str) -> str:
    """A cell that every spreadsheet shows and none calculates: an apostrophe stands before a formula."""
    value = legal(value)
    return f"'{value}" if is_formula(value) else value


def csv_text(rows: Sequence[Sequence[str]], *, all_quoted: bool = False) -> str:
    """A table as RFC 4180 has it, every cell neutral."""
    file = io.StringIO()
    quoting: Literal[0, 1] = csv.QUOTE_ALL if all_quoted else csv.QUOTE_MINIMAL
    writer = csv.writer(file, quoting=quoting, lineterminator="\r\n")
    writer.writerows([[neutral(cell) for cell in row] for row in rows])
    return file.getvalue()


def tsv_text(rows: Sequence[Sequence[str]]) -> str:
    """A table whose readers know no quoting: every cell neutral and on one line."""
    return "".join("\t".join(neutral(one_line(cell)) for cell in row) + "\r\n" for row in rows)
