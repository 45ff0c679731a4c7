"""Read times of day: 3:45 pm, 15:05, 5.30 pm, 9am-5pm, 9:00-17:00."""

import re

from engines.text.numbers import digits, whole
from engines.text.rules import Rule, rule, stop

HALF = r"(?:\s?([ap])\.?m\b\.?(?!\w))"
ZONE = r"(?:\s((?-i:E[SD]?T|C[SD]?T|M[SD]?T|P[SD]?T|GMT|UTC|BST|CES?T|AKST|HST|IST|JST))(?!\w))"
DASH = r"\s?[-–—]\s?"


def _time(found: re.Match[str]) -> str | None:
    hour, minute, second, half, zone = int(found[1]), found[2], found[3], found[4], found[5]
    if not _exists(hour, minute) or (second and int(second) > 59):
        return None
    said = [whole(str(hour)), _minutes(hour, minute, bare_hour=bool(half) or bool(second))]
    if second:
        said.append(f"and {whole(str(int(second)))} second{'' if int(second) == 1 else 's'}")
    return _spoken_time(said, half, zone) + (stop(found) if half else "")


def _dotted(found: re.Match[str]) -> str | None:
    """Read 5.30 pm; without am or pm it would be a decimal number."""
    if not _exists(int(found[1]), found[2]):
        return None
    said = [whole(str(int(found[1]))), _minutes(int(found[1]), found[2], bare_hour=True)]
    return _spoken_time(said, found[3], found[4]) + stop(found)


def _hour(found: re.Match[str]) -> str:
    return _spoken_time([whole(str(int(found[1])))], found[2], found[3]) + stop(found)


def _span(found: re.Match[str]) -> str | None:
    """Read 9:00-17:30 as nine to seventeen thirty."""
    first, last = (int(found[1]), found[2]), (int(found[3]), found[4])
    if not (_exists(*first) and _exists(*last)):
        return None
    clock = [
        " ".join(filter(None, (whole(str(hour)), _minutes(hour, minute, bare_hour=True))))
        for hour, minute in (first, last)
    ]
    return _spoken_time([f"{clock[0]} to {clock[1]}"], found[5], found[6]) + (stop(found) if found[5] else "")


def _lap(found: re.Match[str]) -> str:
    """Read 1:23.4 on a stopwatch."""
    return f"{whole(found[1])} {_minutes(1, found[2], bare_hour=False)} point {digits(found[3])}"


def _exists(hour: int, minute: str) -> bool:
    return hour <= 24 and int(minute) <= 59


def _minutes(hour: int, minute: str, bare_hour: bool) -> str:
    if minute == "00":
        return "" if bare_hour else "o'clock" if 0 < hour <= 12 else "hundred"
    return f"oh {whole(minute[1])}" if minute[0] == "0" else whole(minute)


def _spoken_time(said: list[str], half: str | None, zone: str | None) -> str:
    """Join the words of a time with am or pm and the zone, both letter by letter."""
    return " ".join([*filter(None, said), *([f"{half[0].lower()} m"] if half else []), *(zone or "")])


TIMES: tuple[Rule, ...] = (
    rule(rf"(?<=\d)\s?([ap])\.?m\.?{DASH}(?=\d)", lambda m: f"{m[1]}m to ", re.IGNORECASE),  # 9am-5pm
    rule(rf"(?<![\d:.,])(\d{{1,2}}):(\d\d){DASH}(\d{{1,2}}):(\d\d)(?![\d:]){HALF}?{ZONE}?", _span, re.IGNORECASE),
    rule(
        rf"(?<![\d:.,$€£-])(\d{{1,2}}){DASH}(?=\d{{1,2}}(?:[:.]\d\d)?{HALF})",
        lambda m: f"{whole(m[1])} to ",
        re.IGNORECASE,
    ),
    rule(rf"(?<![\d:.,])(\d{{1,2}}):(\d\d)(?::(\d\d))?(?![\d:]|\.\d){HALF}?{ZONE}?", _time, re.IGNORECASE),
    rule(r"(?<![\d:.,])(\d{1,2}):([0-5]\d)\.(\d{1,3})(?![\d:.])", _lap),
    rule(rf"(?<![\d:.,$€£])(\d{{1,2}})\.([0-5]\d){HALF}{ZONE}?", _dotted, re.IGNORECASE),
    rule(rf"(?<![\d:.,])(\d{{1,2}}){HALF}{ZONE}?", _hour, re.IGNORECASE),
)
