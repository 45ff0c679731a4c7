"""Parse and write CSV and TSV.

Comma-separated text follows the csv module. In tab-separated text, quotation marks are usually part of the text: spreadsheets
copy `"Go!" she said` unchanged. There, a cell counts as quoted only if quotation marks enclose the whole cell and are needed.
"""

import csv
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from types import SimpleNamespace
from typing import Literal

from studio.script.format.script import SheetForm
from studio.script.tables.errors import BadSheet
from studio.script.tables.limits import MAX_CHARACTERS

Quoting = Literal["minimal", "all", "breaks"]

LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+\Z")
BREAK = re.compile(r"\r\n|\r|\n")
TAB_CELL = re.compile(r'"((?:[^"]|"")*+)"(?=[\t\r\n]|\Z)|[^\t\r\n]*')
# A cell whose quotation mark is not closed; a later mark in the file would close it.
OPEN_QUOTE = re.compile(r'"(?:[^"]|"")*+')
NEEDS_QUOTES = re.compile('[\t\r\n",;]')
ALL_QUOTED = re.compile(r'"[^"\t\r\n]*"(?:\t"[^"\t\r\n]*")+(?:[\r\n]|\Z)')
DELIMITERS_MOST = 100_000  # limit for one line; MAX_COLUMNS cells may contain many delimiters
TOO_LONG = f"a cell of over {MAX_CHARACTERS:,} characters, perhaps because a quotation mark is not closed"
TOO_WIDE = f"the sheet has over {DELIMITERS_MOST:,} columns; keep only the columns that the script needs"


def parsed(text: str, delimiter: str, *, strict: bool = True) -> Iterator[list[str]]:
    """Yield the rows; a blank line is an empty row. Raises BadSheet for unclosed quotation marks."""
    if delimiter == "\t" and not ALL_QUOTED.match(text):
        return _tab_rows(text) if '"' in text else (_tab_cells(line) for line in _lines(text, "\t"))
    return _csv_rows(text, delimiter, strict)


def written(rows: Sequence[Sequence[str]], form: SheetForm) -> str:
    """Return the rows as text, with `form.end` after the last row."""
    text = _tab_written(rows, form) if form.quoting == "breaks" else _csv_written(rows, form)
    if form.delimiter == "\t" and (form.quoting == "all") != bool(ALL_QUOTED.match(text)):
        return _csv_written(rows, replace(form, quoting="minimal"))  # otherwise `parsed` would read other cells
    return text


def _tab_written(rows: Sequence[Sequence[str]], form: SheetForm) -> str:
    return form.newline.join(map(_tab_line, rows)) + form.end


def _csv_written(rows: Sequence[Sequence[str]], form: SheetForm) -> str:
    quoting: Literal[0, 1] = csv.QUOTE_ALL if form.quoting == "all" else csv.QUOTE_MINIMAL
    lines: list[str] = []
    sink = SimpleNamespace(write=lines.append)
    # With \r\n as the line end, the csv module quotes all cells with \r or \n; the form may have another line end.
    csv.writer(sink, delimiter=form.delimiter, lineterminator="\r\n", quoting=quoting).writerows(rows)
    return form.newline.join(line.removesuffix("\r\n") for line in lines) + form.end


def _lines(text: str, delimiter: str) -> Iterator[str]:
    for match in LINE.finditer(text):
        line = match.group()
        if line.count(delimiter) > DELIMITERS_MOST:
            raise BadSheet(TOO_WIDE)
        yield line


def _csv_rows(text: str, delimiter: str, strict: bool) -> Iterator[list[str]]:
    reader = csv.reader(_lines(text, delimiter), delimiter=delimiter, strict=strict)
    number = 0
    try:
        for row in reader:
            number += 1
            yield row
    except csv.Error as error:
        wrong = TOO_LONG if "field limit" in str(error) else "a quotation mark that is not closed or not doubled"
        raise BadSheet(f"row {number + 1} has {wrong}; correct the row and import the sheet again") from error


def _tab_cells(line: str) -> list[str]:
    content = line.rstrip("\r\n")
    return content.split("\t") if content else []


def _tab_rows(text: str) -> Iterator[list[str]]:
    row: list[str] = []
    at = 0
    while at < len(text):
        cell = TAB_CELL.match(text, at)
        if cell is None:
            return
        row.append(_tab_content(cell))
        at = cell.end()
        if text[at : at + 1] == "\t":
            at += 1
            if len(row) > DELIMITERS_MOST:
                raise BadSheet(TOO_WIDE)
            if at < len(text):
                continue
            row.append("")
        yield [] if len(row) == 1 and not cell.group() else row
        row = []
        line_break = BREAK.match(text, at)
        at = line_break.end() if line_break else at


def _tab_content(cell: re.Match[str]) -> str:
    inner = cell.group(1)
    return inner.replace('""', '"') if inner == "" or (inner and NEEDS_QUOTES.search(inner)) else cell.group()


def _tab_line(row: Sequence[str]) -> str:
    return '""' if list(row) == [""] else "\t".join(map(_tab_quoted, row))


def _tab_quoted(cell: str) -> str:
    if not re.search("[\t\r\n]", cell) and not OPEN_QUOTE.fullmatch(cell):
        match = TAB_CELL.fullmatch(cell)
        if match and _tab_content(match) == cell:
            return cell
    return '"' + cell.replace('"', '""') + '"'
