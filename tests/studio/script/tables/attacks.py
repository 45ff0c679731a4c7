"""Hostile sheets, and the largest honest ones."""

import io
import random
import struct
import zipfile
from collections.abc import Callable, Mapping

MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
PACKAGE = "http://schemas.openxmlformats.org/package/2006/relationships"
DEFLATED = zipfile.ZIP_DEFLATED
MIB = 2**20


def relations(**kinds: str) -> str:
    inner = "".join(f'<Relationship Id="{k}" Type="{OFFICE}/{k}" Target="{v}"/>' for k, v in kinds.items())
    return f'<Relationships xmlns="{PACKAGE}">{inner}</Relationships>'


def parts(sheet: str | bytes, **others: str | bytes) -> dict[str, str | bytes]:
    """A workbook's parts; `sheet` is its one worksheet, `others` may replace or add parts by kind."""
    book = f'<workbook xmlns="{MAIN}" xmlns:r="{OFFICE}"><sheets><sheet name="Act 1" r:id="worksheet"/></sheets></workbook>'
    linked = {"worksheet": "worksheets/sheet1.xml"} | {kind: f"{kind}.xml" for kind in others}
    return {
        "_rels/.rels": relations(officeDocument="xl/workbook.xml"),
        "xl/workbook.xml": book,
        "xl/_rels/workbook.xml.rels": relations(**linked),
        "xl/worksheets/sheet1.xml": sheet,
        **{f"xl/{kind}.xml": content for kind, content in others.items()},
    }


def zipped(held: Mapping[str, str | bytes], method: int = DEFLATED) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", method, compresslevel=1) as archive:
        for name, content in held.items():
            archive.writestr(name, content)
    return file.getvalue()


def worksheet(rows: str) -> str:
    return f'<worksheet xmlns="{MAIN}"><sheetData>{rows}</sheetData></worksheet>'


def workbook(rows: str, **others: str | bytes) -> bytes:
    return zipped(parts(worksheet(rows), **others))


def lying(data: bytes) -> bytes:
    """The archive with 100 as the unpacked size of everything in it."""
    for mark, at in ((b"PK\x01\x02", 24), (b"PK\x03\x04", 22)):
        start = data.find(mark)
        while start >= 0:
            data = data[: start + at] + struct.pack("<I", 100) + data[start + at + 4 :]
            start = data.find(mark, start + 1)
    return data


def entities(kind: str) -> bytes:
    nested = "".join(f'<!ENTITY e{n} "{f"&e{n - 1};" * 10}">' for n in range(1, 10))
    doctype = {
        "nested": f'<!DOCTYPE w [<!ENTITY e0 "ha">{nested}]>',
        "quadratic": f'<!DOCTYPE w [<!ENTITY e9 "{"a" * 100_000}">]>',
        "external": '<!DOCTYPE w [<!ENTITY e9 SYSTEM "file:///etc/passwd">]>',
        "shared": '<!DOCTYPE w SYSTEM "http://127.0.0.1:9/x.dtd">',
    }[kind]
    text = "&e9;" * (1_000 if kind == "quadratic" else 1) if kind != "shared" else "x"
    return zipped(parts(doctype + worksheet(f'<row><c t="inlineStr"><is><t>{text}</t></is></c></row>')))


def shared_text() -> bytes:
    """One long text that 20,000 cells name."""
    strings = f'<sst xmlns="{MAIN}"><si><t>{"a" * 9_000}</t></si></sst>'
    return workbook('<row><c t="s"><v>0</v></c></row>' * 20_000, sharedStrings=strings)


def names() -> bytes:
    """As many names of elements as fit."""
    return zipped(parts("<w>" + "".join(f"<a{number}/>" for number in range(20_000)) + "</w>"))


def attributes() -> bytes:
    return zipped(parts("<w " + " ".join(f'a{number}=""' for number in range(100_000)) + "/>"))


def many_parts() -> bytes:
    return zipped({f"xl/{number}": "" for number in range(5_000)}, zipfile.ZIP_STORED)


def noise() -> bytes:
    return random.Random(0).randbytes(MIB)


def mixed() -> bytes:
    return "id,text\n1,Grüße, schön\n2,Ça va\n".encode() + "3,Jürgen\n".encode("cp1252")


def wide_csv() -> bytes:
    return b"text" + b"," * 1_000_000 + b"\n" + b"Hello" + b",a" * 1_000_000


REFUSED: Mapping[str, tuple[str, Callable[[], bytes]]] = {
    "100 MB.csv": ("over 16 MB", lambda: b"id,text\n" + b"1,Hello there\n" * (100 * MIB // 14)),
    "16 MB.csv": ("over 20,000 rows", lambda: b"id,text\n" + b"1,a\n" * (15 * MIB // 4)),
    "16 MB of one letter.csv": ("characters", lambda: b"id,text\n1," + b"a" * (15 * MIB)),
    "16 MB of pictures.csv": ("characters", lambda: b"id,text\n1," + "😀".encode() * (15 * MIB // 4)),
    "million columns.csv": ("columns", wide_csv),
    "8 million columns.csv": ("columns", lambda: b"," * 15 * MIB),
    "8 million columns.tsv": ("columns", lambda: b'"a"' + b"\t" * 15 * MIB),
    "small cells.csv": ("cells", lambda: (b"ab," * 199 + b"ab\n") * 19_000),
    "unclosed.csv": (
        "row 2 has a quotation mark that is not closed",
        lambda: b'id,text\n1,"Hello\n' + b"2,Go\n" * 10_000,
    ),
    "unclosed 15 MB.csv": (
        "perhaps because a quotation mark is not closed",
        lambda: b'id,text\n1,"Hello\n' + b"2,Go away now\n" * MIB,
    ),
    "mixed.csv": ("UTF-8, but line 4 is not;", mixed),
    "noise.csv": ("; save the sheet", noise),
    "zeros.csv": ("; ", lambda: b"\0" * 15 * MIB),
    "zeros in text.csv": ("; ", lambda: b"id,text\n" + b"ab\0" * 5 * MIB),
    "odd.csv": ("UTF-16", lambda: b"\xff\xfei\0d\0,"),
    "long cell.csv": ("over 10,000 characters", lambda: b"id,text\n1," + b"a" * 10_001),
    "empty.csv": ("empty", lambda: b"\r\n"),
    "locked.xlsx": (
        "has a password",
        lambda: b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 512 + "EncryptedPackage".encode("utf-16-le"),
    ),
    "old.xls": ("is an old .xls file", lambda: b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 512),
    "text.xlsx": ("not a workbook", lambda: b"id,text\n1,Hello\n"),
    "archive.xlsx": ("not an .xlsx", lambda: zipped({"a.txt": "Hello"})),
    "cut.xlsx": ("damaged", lambda: workbook("<row><c><v>1</v></c></row>")[:-40]),
    "not XML.xlsx": ("damaged", lambda: zipped(parts("<worksheet><row>"))),
    "bzip2.xlsx": ("damaged", lambda: zipped(parts(" " * MIB), zipfile.ZIP_BZIP2)),
    "bomb.xlsx": ("unpacks to over", lambda: zipped(parts("<w>" + "<c> </c>" * 8 + " >" * 40 * MIB))),
    "lying bomb.xlsx": ("; ", lambda: lying(zipped(parts("<w>" + " >" * 8 * MIB)))),
    "no tag's end.xlsx": ("damaged", lambda: zipped(parts("<w " + " " * MIB))),
    "shared bomb.xlsx": ("too many", lambda: workbook("", sharedStrings="<s>" + "<si><t>a</t></si>" * 600_000)),
    "styles.xlsx": ("too many", lambda: workbook("", styles="<s><cellXfs>" + '<xf numFmtId="14"/>' * 800_000)),
    "cells.xlsx": ("columns", lambda: workbook("<row>" + "<c><v>1</v></c>" * 1_000_000 + "</row>")),
    "empty cells.xlsx": ("too many", lambda: workbook("<row>" + "<c/>" * 1_100_000 + "</row>")),
    "deep.xlsx": ("too many", lambda: zipped(parts("<w>" * 300_000))),
    "names.xlsx": ("too many", names),
    "attributes.xlsx": ("; ", attributes),
    "many parts.xlsx": ("parts", many_parts),
    "shared text.xlsx": ("million characters", shared_text),
    "far row.xlsx": ("rows", lambda: workbook('<row r="1048576"><c><v>1</v></c></row>')),
    "endless row.xlsx": ("rows", lambda: workbook(f'<row r="{"9" * 400}"><c><v>1</v></c></row>')),
    "far column.xlsx": ("columns", lambda: workbook('<row><c r="XFD1"><v>1</v></c></row>')),
    "wrong text.xlsx": ("damaged", lambda: workbook('<row><c t="s"><v>7</v></c></row>')),
    "no sheet.xlsx": ("empty", lambda: workbook("")),
    **{f"{kind} entities.xlsx": ("entities", lambda kind=kind: entities(kind)) for kind in ("nested", "quadratic")},  # type: ignore[misc]
    **{f"{kind} entities.xlsx": ("entities", lambda kind=kind: entities(kind)) for kind in ("external", "shared")},  # type: ignore[misc]
}

ROW = b",".join(b"a line of text %d" % number for number in range(15)) + b"\n"


def full_workbook() -> bytes:
    cells = "".join(f'<c t="s"><v>{number}</v></c>' for number in range(15))
    strings = "".join(f"<si><t>a line of text {number}</t></si>" for number in range(15))
    return workbook(f"<row>{cells}</row>" * 20_000, sharedStrings=f"<sst>{strings}</sst>")


BORNE: Mapping[str, Callable[[], bytes]] = {
    "full.csv": lambda: b"id,text" + b",x" * 13 + b"\n" + ROW * 19_999,
    "full.tsv": lambda: (b"id,text" + b",x" * 13 + b"\n" + ROW * 19_999).replace(b",", b"\t"),
    "full with quotes.tsv": lambda: b'id\ttext\n1\t"Go!" she said\n' + ROW.replace(b",", b"\t") * 19_998,
    "pictures.csv": lambda: b"id,text\n" + ("1," + "😀" * 190 + "\n").encode() * 19_999,
    "full.xlsx": full_workbook,
}
