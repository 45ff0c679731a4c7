"""Write tables as files."""

from dataclasses import replace

from studio.script.format.script import Table
from studio.script.tables import delimited
from studio.script.tables.cleaning import cleaned, neutralised
from studio.script.tables.decoding import encoded
from studio.script.tables.workbook_writing import workbook


def write_table(table: Table, *, neutral: bool = False) -> bytes:
    """Return the table as a file in its own format; `replace(table, form=SheetForm(kind=...))` gives another format.

    A spreadsheet calculates cells of CSV and TSV that begin with = + - @. In the original format, cells stay unchanged, because
    they belong to the sheet's owner, and "-- wait!" is a line. A file for others, or in another format, should be `neutral`: an
    apostrophe precedes each such cell, as OWASP advises, and `read_table` removes it. XLSX needs no apostrophes, because its
    cells are text.

    If the sheet's encoding lacks a character, the file is UTF-8 with a byte order mark.
    """
    form = table.form
    header = [table.columns] if any(table.columns) else []
    rows = [[cleaned(cell) for cell in row] for row in (*form.above, *header, *table.rows)]
    if form.kind == "xlsx":
        return workbook(rows, form, header=len(form.above) + len(header))
    if neutral or form.neutral:
        rows = [[neutralised(cell) for cell in row] for row in rows]
    if form.kind == "tsv":
        form = replace(form, delimiter="\t")
    return encoded(delimited.written(rows, form), form.encoding)
