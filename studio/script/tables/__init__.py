"""Sheets as files: read from CSV, TSV, XLSX or a paste, and written again as they were."""

from studio.script.tables.errors import BadSheet
from studio.script.tables.reading import read_pasted, read_table
from studio.script.tables.writing import write_table

__all__ = ["BadSheet", "read_pasted", "read_table", "write_table"]
