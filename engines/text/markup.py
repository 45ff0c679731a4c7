"""Remove SSML and HTML tags, entities and Markdown, which are not read aloud.

Of SSML, `break` becomes a pause, `sub` its alias, and `say-as` letters or digits one by one. `prosody` with a rate, `voice`
with a name and the emotions of some services become the notation of the studio.
"""

import html
import re

from engines.text.direction_phrases import certainty_of
from engines.text.respelling import respelled
from engines.text.rules import listed

ENTITY = re.compile(r"&(?:amp;)*(#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,30});")
TAG_LIKE = re.compile(r"</?[A-Za-z][^<>]{0,1000}>")
VALUE = r"""(?:"[^"<]*+"|'[^'<]*+'|(?:[^\s"'<>/]|/(?!\s*+>))++)"""
ATTRIBUTE = re.compile(rf"\s([\w:.-]++)\s*+=\s*+({VALUE})")
ATTRIBUTES = rf"((?:\s++[\w:.-]++(?:\s*+=\s*+{VALUE})?+)*+)"
TAG = re.compile(rf"<(/?)(\s*+)([A-Za-z][\w:.-]*+){ATTRIBUTES}\s*+(/?)\s*+>")
ELEMENT = re.compile(rf"<(sub|say-as|phoneme){ATTRIBUTES}\s*+>([^<]*+)</\1\s*+>", re.IGNORECASE)
END = re.compile(r"</\s*+([A-Za-z][\w:.-]*+)")
# Comments, and elements whose words are not spoken.
COMMENT = re.compile("<!--"), re.compile("-->")
UNSPOKEN = (
    re.compile(r"<(?:desc|metadata|script|style)\b[^<>]*+(?<!/)>", re.IGNORECASE),
    re.compile(r"</(?:desc|metadata|script|style)\s*+>", re.IGNORECASE),
)
# Document types, processing instructions, and control tokens of language models.
DECLARATION = re.compile(
    r"<!(?:doctype|element|entity|attlist|notation)\b[^<>]*+>|<\?[^<>?]*+\?>|<\|[\w:.-]++\|>", re.IGNORECASE
)
CHARACTER_DATA = re.compile(r"<!\[CDATA\[|\]\]>")
AUTOLINK = re.compile(r"<((?:https?://|mailto:)[^\s<>]++|[\w.+-]++@[\w.-]++)>", re.IGNORECASE)
BLOCKS = listed(
    "p div br hr h1 h2 h3 h4 h5 h6 li ul ol dl dt dd tr table s section article header footer blockquote pre"
)
INLINE = listed(
    "a abbr b big cite code del em emphasis font i ins kbd lang mark phoneme prosody q say-as small span strike strong "
    "sub sup token tt u voice w"
)
# Other names are tags only with attributes, a slash or an end: "I <heart> you" has no tag.
KNOWN = BLOCKS | INLINE | listed("audio body break desc head html img metadata script speak style wbr")
BREAK_TIME = re.compile(r"([+-]?(?:\d++\.?\d*+|\.\d++))\s*+(ms|s)", re.IGNORECASE)
STRENGTHS_S = {"none": 0.0, "x-weak": 0.1, "weak": 0.25, "medium": 0.5, "strong": 0.75, "x-strong": 1.0}
SHORTEST_BREAK_S = 0.05  # shorter breaks are inaudible

SPELLED, DIGITS, BLEEPED = (
    listed("characters spell-out verbatim"),
    listed("digits number_digit telephone"),
    listed("bleep expletive"),
)
UNSPELLED = frozenset(" \t\n.,;:!?()'\"’-–—")  # marks without a name
# SSML elements that become bracket tags such as [voice:basil]: name of the bracket tag, attribute with its value.
SPANS = {
    "prosody": ("rate", "rate"),
    "voice": ("voice", "name"),
    "mstts:express-as": ("emotion", "style"),
    "amazon:emotion": ("emotion", "name"),
    "amazon:effect": ("emotion", "name"),
    "google:style": ("emotion", "name"),
}
VALUE_MAX = 200  # characters of a value in the notation

LINK = re.compile(r"!?\[(?!\s*pause\b)([^\[\]\n]{1,300})\]\((?=[^()\s]{0,200}[/.:#])[^()\s]{1,500}\)", re.IGNORECASE)
BULLET = re.compile(r"[ \t]*+(?:(?:[-*+•‣▪●◦]|>++|#{2,6}|#(?!\s*\d))[ \t]++)++(?=\S)")
RULER = re.compile(r"[ \t]*+(?:-[ \t]*+){3,}+|[ \t]*+(?:=[ \t]*+){3,}+|[ \t]*+(?:[*_~][ \t]*+){3,}+|[ \t]*+`{3,}+\w*+")
TABLE_RULER = re.compile(r"[ \t|:-]*+")
OPENING = re.compile(r"(?<![^\W_])(?<![*_~`])(?:\*{1,3}|_{1,3}|~~|`{1,3})(?=[^\W_]|[\"'“‘($#@])")
CLOSING = re.compile(r"(?<=[^\s*_~`])(?:\*{1,3}|_{1,3}|~~|`{1,3})(?![^\W_]|[*_~`])")
# A whole sentence or line between asterisks, as in role plays.
ASIDE = re.compile(
    r"""(?:(?<![^\n])|(?<=[.!?…"”*][ \n]))\*([a-z][a-z ]{2,80})\*(?=\s*\Z|[ \n]++[^\W\d_a-z]|[ \n]++["“*])"""
)


def without_markup(text: str, *, pauses: bool = False, language: str = "") -> str:
    """Return the text without tags, entities and Markdown.

    With `pauses`, `<break>` becomes a pause tag of its length, and the tags in SPANS become the notation of the studio. With
    `language`, `<phoneme>` becomes its pronunciation in the spelling of this language if possible; else the element's text.
    """
    if "<" in text:
        text = _without_tags(text, pauses, language)
    if "&" in text:
        text = _decoded(text)
        text = _without_tags(text, pauses, language) if "<" in text else text
    text = LINK.sub(r"\1", text) if "](" in text else text
    text = ASIDE.sub(_aside, text) if pauses and "*" in text else text
    return "\n".join(map(_line, text.split("\n")))


def _decoded(text: str) -> str:
    return ENTITY.sub(lambda found: html.unescape(f"&{found[1]};"), text)


def _without_tags(text: str, pauses: bool, language: str) -> str:
    for first, last in (COMMENT, UNSPOKEN):
        text = _without(text, first, last)
    text = DECLARATION.sub(" ", text)
    text = CHARACTER_DATA.sub("", text) if "<![CDATA[" in text else text
    text = AUTOLINK.sub(r"\1", text)
    text = ELEMENT.sub(lambda found: _spoken_of(found, pauses, language), text)
    ends = frozenset(map(str.lower, END.findall(text)))
    opened: dict[str, list[str]] = {name: [] for name in SPANS}  # ends in the notation; "" for a tag without a value

    def replaced(tag: re.Match[str]) -> str:
        name = tag[3].lower()
        if not _is_tag(tag, name, ends):
            return tag[0]
        if pauses and name in SPANS:
            return _notation(tag, opened[name])
        if name == "break":
            return _pause(_values(tag[4])) if pauses and not tag[1] else " "
        if name == "sub" and tag[5]:
            return _values(tag[4]).get("alias", "")
        if name == "phoneme" and tag[5] and language:
            return _pronounced(_values(tag[4]), "", language)
        if name in KNOWN:
            return "\n" if name in BLOCKS else "" if name in INLINE else " "
        return f"[{name}]" if pauses and not tag[1] and _is_sound(name) else " "

    return TAG.sub(replaced, text)


def _without(text: str, first: re.Pattern[str], last: re.Pattern[str]) -> str:
    """Replace each part from a `first` to the next `last` by a space. A `first` or a `last` alone stays."""
    kept, place = [], 0
    for end in last.finditer(text):
        start = first.search(text, place, end.start())
        kept += [text[place : start.start()], " "] if start else [text[place : end.end()]]
        place = end.end()
    return "".join([*kept, text[place:]])


def _is_tag(tag: re.Match[str], name: str, ends: frozenset[str]) -> bool:
    """Return False for words between < and >: "a <b and c> d", "I <heart> you"."""
    if tag[4]:
        return '"' in tag[4] or "'" in tag[4] or bool(tag[5]) or not ATTRIBUTE.sub("", tag[4]).strip()
    if tag[1] or tag[5]:
        return True
    return not tag[2] and (name in KNOWN or ":" in name or name in ends or _is_sound(name))


def _is_sound(name: str) -> bool:
    return certainty_of(name, True) == "sure"


def _values(attributes: str) -> dict[str, str]:
    """Return the values of attributes by their names in lower case."""
    found = ATTRIBUTE.findall(attributes)
    return {name.lower(): _decoded(value[1:-1] if value[0] in "\"'" else value).strip() for name, value in found}


def _notation(tag: re.Match[str], opened: list[str]) -> str:
    """Return the notation of the studio for a tag in SPANS; "" for a tag without a value and for its end."""
    name, attribute = SPANS[tag[3].lower()]
    if tag[1]:
        return opened.pop() if opened else f"[/{name}]"
    if tag[5]:
        return ""
    value = re.sub(r"[][()\n]", " ", _values(tag[4]).get(attribute, ""))[:VALUE_MAX].strip()
    opened.append(f"[/{name}]" if value else "")
    return f"[{name}:{value}]" if value else ""


def _pronounced(values: dict[str, str], text: str, language: str) -> str:
    """Return the pronunciation of a `phoneme` in the spelling of a language, or its text if that is not possible."""
    return (respelled(values.get("ph", ""), language) if values.get("alphabet", "ipa").lower() == "ipa" else "") or text


def _spoken_of(found: re.Match[str], pauses: bool, language: str) -> str:
    """Return the words to speak for a `sub`, `say-as` or `phoneme` element."""
    values, text = _values(found[2]), found[3]
    if found[1].lower() == "sub":
        return values.get("alias") or text
    if found[1].lower() == "phoneme":
        return _pronounced(values, text, language) if language else text
    kind = values.get("interpret-as", "").lower()
    if kind in SPELLED:
        return " ".join(c for c in _decoded(text).upper() if c not in UNSPELLED)
    if kind in DIGITS:
        return " ".join(re.findall(r"\+?\d|[^\W\d_]+", _decoded(text)))
    if kind in BLEEPED:
        return _pause({}) if pauses else " "
    return text


def _pause(values: dict[str, str]) -> str:
    """Return the studio's pause tag for a break; the strength gives the length of a break without one."""
    timed = BREAK_TIME.fullmatch(values.get("time", ""))
    if timed:
        seconds = float(timed[1]) / (1000 if timed[2].lower() == "ms" else 1)
    else:
        seconds = STRENGTHS_S.get(values.get("strength", "").lower(), STRENGTHS_S["medium"])
    return f"[pause:{seconds:g}s]" if seconds >= SHORTEST_BREAK_S else " "


def _aside(found: re.Match[str]) -> str:
    """Return a sound between asterisks as a stage direction: *laughs*."""
    return f"[{found[1]}]" if certainty_of(found[1], False) == "sure" else found[0]


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
