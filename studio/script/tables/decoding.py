"""Bytes to text and back, in the encoding that the sheet came in."""

import codecs
import re

import charset_normalizer

from studio.script.tables.cleaning import UNWANTED
from studio.script.tables.errors import BadSheet

# By the name in a SheetForm: the mark at the beginning and what follows it. UTF-32's begins with UTF-16's.
MARKED = {
    "utf-32": (codecs.BOM_UTF32_LE, "utf-32-le"),
    "utf-8-sig": (codecs.BOM_UTF8, "utf-8"),
    "utf-16": (codecs.BOM_UTF16_LE, "utf-16-le"),
    "utf-16-be-sig": (codecs.BOM_UTF16_BE, "utf-16-be"),
}
# What spreadsheets have written where they did not write Unicode. Of equally likely ones the first is taken.
OLDER = ["cp932", "cp1251", "cp1250", "gb18030", "cp949", "big5", "euc_jp", "cp1253", "cp1254", "koi8_r", "cp1252"]
# Western European text has letters of these between others; charset-normalizer takes short ones for anything.
WESTERN = frozenset("àáâãäåæçèéêëìíîïñòóôõöøœùúûüýÿßÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÑÒÓÔÕÖØŒÙÚÛÜÝŸ¡¿«»‘’‚“”„…–—€£§©®™°·ºª\xa0´")
WESTERN_SHARE, WESTERN_RUN = 0.95, 1.5
SAMPLE_BYTES = 2**16
CONTROLS_MOST = 0.05  # of the characters of a text

SAVE_AGAIN = "save the sheet as CSV UTF-8 and import that"


def decoded(data: bytes) -> tuple[str, str]:
    """The text, and the name of its encoding for a SheetForm. Raises BadSheet for what is no text."""
    name = _encoding(data)
    mark, codec = MARKED.get(name, (b"", name))
    try:
        text = data[len(mark) :].decode(codec)
    except UnicodeDecodeError as error:
        raise BadSheet(f"some bytes of the sheet fit no character of {codec.upper()}; {SAVE_AGAIN}") from error
    sample = text[:SAMPLE_BYTES].replace("\0", "")
    if len(UNWANTED.findall(sample)) > CONTROLS_MOST * len(sample):
        raise BadSheet(f"the file holds no text; {SAVE_AGAIN}")
    return text, name


def encoded(text: str, name: str) -> bytes:
    """The bytes; as UTF-8 with a mark where the encoding lacks a character that was typed since."""
    mark, codec = MARKED.get(name, (b"", name))
    try:
        return mark + text.encode(codec)
    except UnicodeEncodeError:
        return text.encode("utf-8-sig")


def _encoding(data: bytes) -> str:
    for name, (mark, _) in MARKED.items():
        if data.startswith(mark):
            return name
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as error:
        return _wide(data) or _older(data, error)
    return _wide(data) or "utf-8"


def _wide(data: bytes) -> str:
    """UTF-16 without a mark: of text in it, delimiters and line breaks at least, many second bytes are zero."""
    for start, name in ((1, "utf-16-le"), (0, "utf-16-be")):
        if len(data) % 2 == 0 and data[start::2].count(0) > len(data) / 8 > data[1 - start :: 2].count(0):
            return name
    return ""


def _older(data: bytes, error: UnicodeDecodeError) -> str:
    _refuse_mixed(data, error)
    lines = [line for line in data[: 16 * SAMPLE_BYTES].split(b"\n") if not line.isascii()]
    sample = b"\n".join(lines)[:SAMPLE_BYTES] or data[error.start : error.start + SAMPLE_BYTES]
    sample = sample.replace(b"\0", b"")
    if _is_western(sample) and _fits(data, "cp1252"):
        return "cp1252"
    found = charset_normalizer.from_bytes(sample, cp_isolation=OLDER, preemptive_behaviour=False)
    for name in dict.fromkeys([*(match.encoding for match in found), *OLDER]):
        if _fits(data, name):
            return name
    raise BadSheet(f"the sheet's characters are in no known encoding; {SAVE_AGAIN}")


def _is_western(sample: bytes) -> bool:
    text = sample.decode("cp1252", "replace")
    foreign = re.findall("[^\x00-\x7f]", text)
    runs = re.findall("[^\x00-\x7f]+", text)
    usual = sum(char in WESTERN for char in foreign)
    return usual >= WESTERN_SHARE * len(foreign) and len(foreign) <= WESTERN_RUN * len(runs)


def _fits(data: bytes, name: str) -> bool:
    try:
        return data.decode(name).encode(name) == data
    except UnicodeError:
        return False


def _refuse_mixed(data: bytes, error: UnicodeDecodeError) -> None:
    """Another encoding's text is hardly ever UTF-8 by chance, so most of it being so says that two were mixed."""
    text = data.decode("utf-8", "surrogateescape")
    broken = len(re.findall("[\udc80-\udcff]", text))
    foreign = len(re.findall("[^\x00-\x7f]", text)) - broken
    if foreign > broken:
        line = data.count(b"\n", 0, error.start) + 1
        raise BadSheet(f"line {line} is not in UTF-8, the rest of the sheet is; correct its letters and {SAVE_AGAIN}")
