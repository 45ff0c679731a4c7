"""Read web and mail addresses sign by sign: anna.b@example.com is anna dot b at example dot com."""

import re

from engines.text.rules import Rule, rule

MARKS = {
    ".": "dot",
    "/": "slash",
    "-": "dash",
    "_": "underscore",
    ":": "colon",
    "@": "at",
    "?": "question mark",
    "=": "equals",
    "&": "and",
    "#": "hash",
    "%": "percent",
    "+": "plus",
    "~": "tilde",
}
DOMAINS = "com|org|net|io|gg|dev|edu|gov|ai|tv|co|app"  # without a scheme only these count: "end.Then" is two sentences
HOST = r"[\w-]++(?:\.[\w-]++)+"
PATH = r"[^\s<>\"“”()\[\]]*[\w/]"  # marks at the end belong to the sentence


def _read_out(found: re.Match[str]) -> str:
    address = found[1].rstrip("/")
    return " ".join(re.sub(r"[\W_]", lambda sign: f" {MARKS.get(sign[0], '')} ", address).split())


ADDRESSES: tuple[Rule, ...] = (
    rule(rf"(?<![\w.+%@-])(?:mailto:)?([\w.+%-]++@{HOST})", _read_out, re.IGNORECASE),
    rule(rf"\b(?:(?:https?|ftp|wss?)://(?:www\.)?|www\.)([\w-]{PATH})", _read_out, re.IGNORECASE),
    rule(rf"(?<![\w.@/-])((?:[\w-]+\.)+(?:{DOMAINS})(?:\.[a-z]{{2}})?(?:/{PATH})?)(?!\w)", _read_out),
    rule(r"(?<![\w.])((?:\d{1,3}\.){3}\d{1,3}):(\d{1,5})(?![\w.:])", lambda m: f"{m[1]} colon {m[2]}"),
)
