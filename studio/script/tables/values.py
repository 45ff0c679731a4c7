"""Convert numbers, dates and escapes between the stored values of XLSX and their displayed form."""

import math
import re
from datetime import datetime, timedelta

from openpyxl.utils.datetime import CALENDAR_MAC_1904, WINDOWS_EPOCH, from_excel

from studio.script.tables.cleaning import cleaned
from studio.script.tables.number_formats import Format

ESCAPED = re.compile("_x([0-9A-Fa-f]{4})_")
INTEGER = re.compile(r"-?(?:0|[1-9]\d{0,17})")
NUMBER = re.compile(r"-?(?:0|[1-9]\d{0,14})(?:\.\d{1,10})?")
DIGITS_MOST = 10  # digits that are displayed; a spreadsheet may store 2.5 as 2.5000000000000004


def displayed(raw: str, format: Format, from_1904: bool) -> str:
    """Return a number as displayed, but with all decimals up to ten digits; dates are in ISO 8601."""
    if format.is_plain and INTEGER.fullmatch(raw):
        return raw
    try:
        value = float(raw)
    except ValueError:
        return cleaned(raw)
    if not math.isfinite(value):
        return cleaned(raw)
    if format.is_date:
        return _date(value, format, from_1904)
    if format.is_percentage:
        return f"{_shown(value * 100)}%"
    return format.around_number(_shown(value))


def as_number(text: str) -> int | float | None:
    """Return the number that is displayed as this text; None if no number is."""
    if INTEGER.fullmatch(text) and len(text) <= 15:
        return int(text)
    if NUMBER.fullmatch(text) and _shown(float(text)) == text:
        return float(text)
    return None


def unescaped(text: str) -> str:
    """Return the text with XLSX escapes such as _x000D_ decoded, and without illegal characters."""
    return cleaned(ESCAPED.sub(lambda match: chr(int(match[1], 16)), text))


def escaped(text: str) -> str:
    """Return text that `unescaped` decodes. Carriage returns are escaped too, because XML changes them to line feeds."""
    return ESCAPED.sub(r"_x005F_x\1_", text).replace("\r", "_x000D_")


def _shown(value: float) -> str:
    if value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    text = f"{value:.{DIGITS_MOST}g}"
    return repr(value) if "e" in text else text


def _date(value: float, format: Format, from_1904: bool) -> str:
    epoch = CALENDAR_MAC_1904 if from_1904 else WINDOWS_EPOCH
    try:
        moment = from_excel(value, epoch, timedelta=format.is_duration)
    except (OverflowError, ValueError):
        return _shown(value)
    if isinstance(moment, timedelta):
        return str(moment)
    if isinstance(moment, datetime) and moment.time() == datetime.min.time():
        return moment.date().isoformat()
    return str(moment.isoformat()) if moment is not None else ""
