"""Remove SSML and HTML tags, entities and Markdown, which are not read aloud.

Of SSML, `break` becomes a pause, `sub` its alias, and `say-as` letters or digits one by one. `prosody` with a rate, `voice`
with a name and the emotions of some services become the notation of the studio.
"""

import html
import re

from engines.text.rules import listed

ENTITY = re.compile(r"&(?:amp;)*(#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,30});")
TAG_LIKE = re.compile(r"</?[A-Za-z][^<>]{0,1000}>")
CANDIDATE = re.compile(r"<([^<>]{1,1000})>")
# A tag's name, then only attributes with values: "a <b and c> d" has no tag.
TAG = re.compile(
    r"""/?+\s*+([A-Za-z][\w:-]*+)(?:\s++[\w:.-]++\s*+=\s*+(?:"[^"]*+"|'[^']*+'|[^\s"'<>=/]++))*+\s*+/?+\s*+"""
)
BLOCKS = listed(
    "p div br hr h1 h2 h3 h4 h5 h6 li ul ol dl dt dd tr table s section article header footer blockquote pre"
)
INLINE = listed(
    "a abbr b big cite code del em emphasis font i ins kbd lang mark phoneme prosody q say-as small span strike strong "
    "sub sup token tt u voice w"
)
SOUNDS = listed("laugh chuckle sigh cough sniffle groan yawn gasp")  # tags of Orpheus, read as stage directions
BREAK_TIME = re.compile(r"""\stime\s*=\s*["']?\s*\+?(\d{0,6}(?:\.\d{1,6})?)\s*(ms|s)\b""", re.IGNORECASE)
BREAK_STRENGTH = re.compile(r"""\sstrength\s*=\s*["']?\s*([a-z-]{1,9})""", re.IGNORECASE)
STRENGTHS_S = {"none": 0.0, "x-weak": 0.1, "weak": 0.25, "medium": 0.5, "strong": 0.75, "x-strong": 1.0}
SHORTEST_BREAK_S = 0.05  # shorter breaks are inaudible

SUBSTITUTED = re.compile(
    r"""<sub\s[^<>]{0,200}?\balias\s*=\s*(?:"([^"<>]{1,300})"|'([^'<>]{1,300})')[^<>]{0,200}>[^<>]{0,500}</sub\s{0,9}>""",
    re.IGNORECASE,
)
SAID_AS = re.compile(
    r"""<say-as\s[^<>]{0,200}?\binterpret-as\s*=\s*["']?([a-z-]{1,20})[^<>]{0,200}>([^<>]{0,500})</say-as\s{0,9}>""",
    re.IGNORECASE,
)
SPELLED, DIGITS = listed("characters spell-out verbatim"), listed("digits telephone")
# Tags around words that the notation of the studio can express: the name in the notation, and the attribute with the value.
SPANS = {
    "prosody": ("rate", "rate"),
    "voice": ("voice", "name"),
    "mstts:express-as": ("emotion", "style"),
    "amazon:emotion": ("emotion", "name"),
    "amazon:effect": ("emotion", "name"),
}
SPAN = re.compile(rf"<(/?)({'|'.join(SPANS)})\b([^<>]{{0,500}}?)(/?)>", re.IGNORECASE)

LINK = re.compile(r"!?\[(?!\s*pause\b)([^\[\]\n]{1,300})\]\((?=[^()\s]{0,200}[/.:#])[^()\s]{1,500}\)", re.IGNORECASE)
BULLET = re.compile(r"[ \t]*+(?:(?:[-*+•‣▪●◦]|>++|#{2,6}|#(?!\s*\d))[ \t]++)++(?=\S)")
RULER = re.compile(r"[ \t]*+(?:-[ \t]*+){3,}+|[ \t]*+(?:=[ \t]*+){3,}+|[ \t]*+(?:[*_~][ \t]*+){3,}+|[ \t]*+`{3,}+\w*+")
TABLE_RULER = re.compile(r"[ \t|:-]*+")
OPENING = re.compile(r"(?<![^\W_])(?<![*_~`])(?:\*{1,3}|_{1,3}|~~|`{1,3})(?=[^\W_]|[\"'“‘($#@])")
CLOSING = re.compile(r"(?<=[^\s*_~`])(?:\*{1,3}|_{1,3}|~~|`{1,3})(?![^\W_]|[*_~`])")


def without_markup(text: str, *, pauses: bool = False) -> str:
    """Return the text without tags, entities and Markdown; with `pauses`, `<break>` becomes a pause tag of its length."""
    if "&" in text:
        text = ENTITY.sub(lambda found: html.unescape(f"&{found[1]};"), text)
    if "<" in text:
        text = with_notation(text) if pauses else text
        text = SUBSTITUTED.sub(lambda found: found[1] or found[2], text)
        text = SAID_AS.sub(_said_as, text)
        text = CANDIDATE.sub(lambda found: _tag(found, pauses), text)
    text = LINK.sub(r"\1", text) if "](" in text else text
    return "\n".join(map(_line, text.split("\n")))


def with_notation(text: str) -> str:
    """Return the text with [voice:…], [rate:…] and [emotion:…] instead of the tags in SPANS; other markup stays."""
    opened: list[str] = []  # the ends of the open tags; "" for a tag that has no value

    def replaced(tag: re.Match[str]) -> str:
        name, attribute = SPANS[tag[2].lower()]
        if tag[1]:
            return opened.pop() if opened else f"[/{name}]"
        value = re.search(
            rf"""\s{attribute}\s*=\s*(?:"([^"<>]{{1,80}})"|'([^'<>]{{1,80}})'|([^\s"'<>]{{1,80}}))""", tag[3], re.I
        )
        if tag[4]:
            return ""
        shown = re.sub(r"[][()\n]", " ", (value[1] or value[2] or value[3])).strip() if value else ""
        opened.append(f"[/{name}]" if shown else "")
        return f"[{name}:{shown}]" if shown else ""

    return SPAN.sub(replaced, text) if "<" in text else text


def _tag(found: re.Match[str], pauses: bool) -> str:
    inside = found[1]
    if inside[0] in "!?":  # comments, document types, processing instructions
        return " " if inside[1:2].isalpha() or inside.startswith("!--") else found[0]
    named = TAG.fullmatch(inside)
    if named is None:
        return found[0]
    name = named[1].lower()
    if name == "break":
        return _pause(inside) if pauses else " "
    if name in SOUNDS and inside[0] != "/":
        return f"[{name}]" if pauses else " "
    return "\n" if name in BLOCKS else "" if name in INLINE else " "


def _said_as(found: re.Match[str]) -> str:
    """Return letters or digits with gaps, so that they are read one by one; other kinds of text stay."""
    kind, text = found[1].lower(), found[2]
    if kind in SPELLED:
        return " ".join(text.upper().replace(" ", ""))
    if kind in DIGITS:
        return " ".join(re.findall(r"\+?\d", text))
    return text


def _pause(inside: str) -> str:
    """Return the studio's pause tag for a break; the strength gives the length of a break without one."""
    timed, named = BREAK_TIME.search(inside), BREAK_STRENGTH.search(inside)
    if timed and timed[1].strip("."):
        seconds = float(timed[1]) / (1000 if timed[2].lower() == "ms" else 1)
    else:
        seconds = STRENGTHS_S.get(named[1].lower() if named else "medium", STRENGTHS_S["medium"])
    return f"[pause:{seconds:g}s]" if seconds >= SHORTEST_BREAK_S else " "


def _line(line: str) -> str:
    """Return a line without the signs of headings, lists, quotations, rulers, tables and emphasis."""
    if RULER.fullmatch(line) or ("|" in line and "-" in line and TABLE_RULER.fullmatch(line)):
        return ""
    if found := BULLET.match(line):
        line = line[found.end() :]
    bare = line.strip()
    if len(bare) > 2 and bare[0] == bare[-1] == "|":
        line = ", ".join(cell.strip() for cell in bare.split("|") if cell.strip())
    return CLOSING.sub("", OPENING.sub("", line))
