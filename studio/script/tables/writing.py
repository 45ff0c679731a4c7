"""A table as a file."""

from dataclasses import replace

from studio.script.script import Table
from studio.script.tables import delimited
from studio.script.tables.cleaning import cleaned, neutralised
from studio.script.tables.decoding import encoded
from studio.script.tables.workbook_writing import workbook


def write_table(table: Table, *, neutral: bool = False) -> bytes:
    """The file, in the form that the table has; `replace(table, form=SheetForm(kind=...))` gives it another.

    A spreadsheet calculates a cell of a CSV or TSV that begins with = + - @. In its own form a sheet's cells come back as
    they were, these too: they are its owner's, and "-- wait!" is a line. What goes to others, or into another kind of file,
    should be `neutral`: an apostrophe before each of them, as OWASP advises, which `read_table` takes away again. XLSX says
    of each cell that it is text, so it needs none.

    A character that the sheet's encoding lacks makes the file UTF-8 with a mark.
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
