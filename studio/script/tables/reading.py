"""Read tables from files and from pasted text."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from studio.script.format.script import SheetForm, Table
from studio.script.tables import delimited
from studio.script.tables.assembly import assembled, bounded
from studio.script.tables.cleaning import cleaned
from studio.script.tables.decoding import EncodingChoice, decoded, encoding_choices
from studio.script.tables.delimiter import delimiter_of
from studio.script.tables.errors import BadSheet
from studio.script.tables.limits import MAX_BYTES, MIB
from studio.script.tables.workbook import read_workbook

SAMPLE_ROWS = 200
OLD_OFFICE, PDF = b"\xd0\xcf\x11\xe0", b"%PDF"
ENCRYPTED = "EncryptedPackage".encode("utf-16-le")  # a stream of workbooks with a password
LOCKED = "the workbook has a password; save the workbook without a password"


@dataclass(frozen=True, slots=True, kw_only=True)
class SheetFile:
    """The uploaded file of a sheet."""

    data: bytes
    name: str
    encoding: str = ""  # "" = guessed

    def table(self) -> Table:
        """Read the table. Raises UncertainEncoding, BadSheet."""
        return read_table(self.data, self.name, self.encoding)


def read_table(data: bytes, name: str, encoding: str = "") -> Table:
    """Read a sheet: CSV with any of , ; tab |, TSV, or XLSX. The kind is recognized by content and name.

    `encoding` applies if the file is neither a workbook nor Unicode; without `encoding`, the encoding is guessed. Control
    characters are removed.

    Raises:
        UncertainEncoding: two encodings are about equally likely.
        BadSheet: the file is not a sheet or exceeds `limits`.
    """
    if _is_workbook(data, name):
        return read_workbook(data)
    read = decoded(data, encoding)
    table = _table(cleaned(read.text), read.encoding, name)
    return replace(table, notes=(*table.notes, *read.notes))


def table_encodings(data: bytes, name: str) -> Sequence[EncodingChoice]:
    """Return the possible encodings of a file, most likely first; none for a workbook. Raises BadSheet."""
    return [] if _is_workbook(data, name) else encoding_choices(data)


def _is_workbook(data: bytes, name: str) -> bool:
    """Return True for a workbook. Raises BadSheet if the file is neither a workbook nor text."""
    if len(data) > MAX_BYTES:
        raise BadSheet(
            f"the sheet is over {MAX_BYTES // MIB} MB; split the sheet, or keep only the columns that the script needs"
        )
    if data.startswith(OLD_OFFICE):
        raise BadSheet(LOCKED if ENCRYPTED in data else "the sheet is an old .xls file; save it as .xlsx or CSV UTF-8")
    if data.startswith(PDF):
        raise BadSheet("the file is a PDF; save the sheet as .xlsx or CSV UTF-8")
    if data.startswith(b"PK"):
        return True
    if name.lower().endswith((".xlsx", ".xlsm")):
        raise BadSheet(f"the file {name[-40:]} is not a workbook; save the sheet again as .xlsx or CSV UTF-8")
    return False


def read_pasted(text: str) -> Table:
    """Read cells copied from a spreadsheet, or CSV. Raises BadSheet as `read_table` does."""
    if len(text) > MAX_BYTES:
        raise BadSheet(f"the pasted text is over {MAX_BYTES // MIB} million characters; paste fewer rows at a time")
    return _table(cleaned(text), "utf-8", "")


def _table(text: str, encoding: str, name: str) -> Table:
    content = text.rstrip("\r\n")
    if not content.strip():
        raise BadSheet("the sheet is empty; add a header and lines")
    delimiter = delimiter_of(content, name)
    rows = bounded(delimited.parsed(content, delimiter or _absent(content)))
    line_break = delimited.BREAK.search(text)
    form = SheetForm(
        kind="tsv" if delimiter == "\t" else "csv",
        encoding=encoding,
        delimiter=delimiter or ",",
        newline=line_break.group() if line_break else "\r\n",
        end=text[len(content) :],
    )
    return assembled(rows, replace(form, quoting=_quoting(content, rows[:SAMPLE_ROWS], form)))


def _absent(text: str) -> str:
    """Return a delimiter that does not occur in a text of one column."""
    return next((one for one in "\t|;" if one not in text), "\x1f")


def _quoting(text: str, rows: Sequence[Sequence[str]], form: SheetForm) -> delimited.Quoting:
    """Return the rule by which cells were quoted: the one that reproduces the first rows."""
    ways: tuple[delimited.Quoting, ...] = ("minimal", "all")
    if form.kind == "tsv":
        ways = ("breaks", *ways)
    same = (way for way in ways if text.startswith(delimited.written(rows, replace(form, quoting=way, end=""))))
    return next(same, ways[0])
