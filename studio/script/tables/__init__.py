"""Sheets as files: read CSV, TSV, XLSX or pasted cells, and write the same format."""

from studio.script.tables.decoding import UncertainEncoding
from studio.script.tables.errors import BadSheet
from studio.script.tables.reading import SheetFile, read_pasted, read_table, table_encodings
from studio.script.tables.writing import write_table

__all__ = ["BadSheet", "SheetFile", "UncertainEncoding", "read_pasted", "read_table", "table_encodings", "write_table"]
