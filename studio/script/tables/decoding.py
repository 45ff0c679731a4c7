"""Decode and encode the bytes of a sheet, in its original encoding."""

import codecs
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import chardet

from studio.script.tables.cleaning import SEPARATORS, UNWANTED, cleaned
from studio.script.tables.encodings import ENCODINGS, Guess, guesses, known_encoding, rival
from studio.script.tables.errors import BadSheet

# Byte order mark and codec, by the name in a SheetForm. UTF-32 comes first, because its mark begins like that of UTF-16.
MARKED = {
    "utf-32": (codecs.BOM_UTF32_LE, "utf-32-le"),
    "utf-8-sig": (codecs.BOM_UTF8, "utf-8"),
    "utf-16": (codecs.BOM_UTF16_LE, "utf-16-le"),
    "utf-16-be-sig": (codecs.BOM_UTF16_BE, "utf-16-be"),
}
WIDE = ("utf-16-le", "utf-16-be")
UNICODE: Mapping[str, str] = {
    "utf-8": "Unicode (UTF-8)",
    "utf-16-le": "Unicode (UTF-16)",
    "utf-16-be": "Unicode (UTF-16)",
}
SAMPLE_BYTES = 2**14  # bytes of the sheet from which an encoding is guessed
CONTROLS_MOST = 0.05  # maximum share of control characters in a text
SHOWN_LINES, SHOWN_CHARACTERS, BEFORE_SIGN = 3, 80, 30

SAVE_AGAIN = "save the sheet as CSV UTF-8 and import the new file"
UNREADABLE = "\ufffd"


class UncertainEncoding(BadSheet):
    """Two encodings are about equally likely, and give different texts."""


@dataclass(frozen=True, slots=True)
class DecodedSheet:
    """The text of a sheet's bytes."""

    text: str
    encoding: str  # for a SheetForm
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class EncodingChoice:
    """An encoding that the user may choose for a sheet."""

    name: str
    title: str
    lines: Sequence[str]  # the first lines with non-ASCII characters, in this encoding


def decoded(data: bytes, encoding: str = "") -> DecodedSheet:
    """Decode a sheet. If `encoding` is given, bytes that it does not allow become U+FFFD, with a note.

    Raises UncertainEncoding, and BadSheet if the data is not text.
    """
    wanted = known_encoding(encoding) if encoding else ""
    name = _unicode(data) or wanted or _guessed(data)
    mark, codec = MARKED.get(name, (b"", name))
    try:
        text = data[len(mark) :].decode(codec, "replace" if wanted else "strict")
    except UnicodeDecodeError as error:
        raise BadSheet(f"some bytes of the sheet are not valid {codec.upper()}; {SAVE_AGAIN}") from error
    _refuse_binary(text[:SAMPLE_BYTES])
    return DecodedSheet(text, name, tuple(_notes(text, name, wanted)))


def encoded(text: str, name: str) -> bytes:
    """Encode a text. If the encoding lacks a character, the result is UTF-8 with a byte order mark."""
    mark, codec = MARKED.get(name, (b"", name))
    try:
        return mark + text.encode(codec)
    except UnicodeEncodeError:
        return text.encode("utf-8-sig")


def encoding_choices(data: bytes) -> Sequence[EncodingChoice]:
    """Return the possible encodings of a sheet, most likely first; only one if the sheet is Unicode."""
    lines = [line for line in re.split(rb"[\r\n]+", data[: 16 * SAMPLE_BYTES]) if not line.isascii()][:SHOWN_LINES]
    known = _unicode(data)
    if known:
        codec = MARKED.get(known, (b"", known))[1]
        return [EncodingChoice(known, UNICODE.get(codec, codec.upper()), _shown(lines, codec))]
    ranked = [(guess.name, guess.title) for guess in guesses(_sample(data))]
    if _is_mostly_utf8(data):
        ranked.insert(0, ("utf-8", UNICODE["utf-8"]))
    return [EncodingChoice(name, title, _shown(lines, name)) for name, title in ranked]


def _unicode(data: bytes) -> str:
    """Return the Unicode encoding if it is certain, else ""."""
    for name, (mark, _) in MARKED.items():
        if data.startswith(mark):
            return name
    if b"\0" in data and (wide := _wide(data)):
        return wide
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return ""
    return "utf-8"


def _wide(data: bytes) -> str:
    """Return the UTF-16 encoding of data without a byte order mark; "" if it is another encoding.

    Western text is found because every second byte is usually zero; chardet finds other scripts.
    """
    for start, name in ((1, "utf-16-le"), (0, "utf-16-be")):
        if len(data) % 2 == 0 and data[start::2].count(0) > len(data) / 8 > data[1 - start :: 2].count(0):
            return name
    found = chardet.detect(data[:SAMPLE_BYTES], include_encodings=WIDE, compat_names=False)["encoding"]
    return found if found in WIDE and _fits(data, found) else ""


def _guessed(data: bytes) -> str:
    """Return the most likely encoding. Raises BadSheet, and UncertainEncoding if another encoding is about as likely."""
    if _is_mostly_utf8(data):
        raise UncertainEncoding(
            f"the sheet is in the encoding UTF-8, but {_broken_lines(data.decode('utf-8', 'replace'))} not; correct the "
            "characters there, or choose utf-8 to import the sheet with � for each wrong character"
        )
    ranked = [guess for guess in guesses(_sample(data)) if _fits(data, guess.name)]
    if not ranked:
        raise BadSheet(f"the encoding of the sheet is unknown; {SAVE_AGAIN}")
    _refuse_binary(ranked[0].text)
    other = rival(ranked)
    if other is not None:
        raise UncertainEncoding(
            f"the encoding of the sheet is uncertain: {_differing(ranked[0], other)}; choose the right encoding, "
            f"or {SAVE_AGAIN}"
        )
    return ranked[0].name


def _refuse_binary(sample: str) -> None:
    """Raise BadSheet if the sample has too many control characters to be text."""
    text = SEPARATORS.sub(" ", sample.replace("\0", ""))
    if len(UNWANTED.findall(text)) > CONTROLS_MOST * len(text):
        raise BadSheet(f"the file is not text; {SAVE_AGAIN}")


def _sample(data: bytes) -> bytes:
    """Return the lines with non-ASCII characters; other lines are the same in every encoding."""
    lines = (line for line in re.split(rb"[\r\n]+", data) if not line.isascii())
    sample, size = [], 0
    for line in lines:
        if size and size + len(line) > SAMPLE_BYTES:
            break
        sample.append(line)
        size += len(line)
    return b"\n".join(sample)[:SAMPLE_BYTES].replace(b"\0", b"")


def _is_mostly_utf8(data: bytes) -> bool:
    """Return True if most non-ASCII characters are valid UTF-8, which is rare for text in other encodings."""
    text = data.decode("utf-8", "surrogateescape")
    broken = len(re.findall("[\udc80-\udcff]", text))
    return len(re.findall("[^\x00-\x7f]", text)) - broken > broken


def _fits(data: bytes, name: str) -> bool:
    try:
        return data.decode(name).encode(name) == data
    except UnicodeError:
        return False


def _differing(best: Guess, other: Guess) -> str:
    """Describe the first line that differs between two guesses."""
    pairs = zip(best.text.split("\n"), other.text.split("\n"), strict=False)
    one, two = next((pair for pair in pairs if pair[0] != pair[1]), ("", ""))
    return f"a line reads “{_short(one)}” in {best.name}, but “{_short(two)}” in {other.name}"


def _shown(lines: Sequence[bytes], codec: str) -> Sequence[str]:
    return [_short(line.decode(codec, "replace")) for line in lines]


def _short(line: str) -> str:
    """Shorten a line around its first non-ASCII character."""
    line = cleaned(line).replace("\t", " ")
    sign = re.search("[^\x00-\x7f]", line)
    start = max(0, sign.start() - BEFORE_SIGN) if sign and len(line) > SHOWN_CHARACTERS else 0
    cut = line[start : start + SHOWN_CHARACTERS]
    return f"{'…' if start else ''}{cut}{'…' if start + SHOWN_CHARACTERS < len(line) else ''}"


def _notes(text: str, name: str, wanted: str) -> Iterator[str]:
    if wanted and UNREADABLE in text:
        broken = _broken_lines(text)
        yield f"{broken[0].upper()}{broken[1:]} not fully readable. Each unreadable character is shown as �."
    if not wanted and name in ENCODINGS:
        yield f"The sheet is not Unicode. It was read in the encoding {ENCODINGS[name]}, {name}."


def _broken_lines(text: str) -> str:
    """Return the numbers of lines with bytes that do not fit the encoding, followed by "is" or "are"."""
    numbers = [str(number) for number, line in enumerate(text.split("\n"), 1) if UNREADABLE in line]
    named = ", ".join(numbers[:SHOWN_LINES]) + (
        f" and {len(numbers) - SHOWN_LINES:,} more" if numbers[SHOWN_LINES:] else ""
    )
    return f"line {named} is" if len(numbers) == 1 else f"lines {named} are"
