"""Languages of texts: BCP 47 tags, their names, and detection."""

import re
from collections.abc import Sequence
from functools import cache, lru_cache
from typing import TYPE_CHECKING

from engines.errors import BadSetting
from engines.text import SPOKEN_LANGUAGES, without_extensions

if TYPE_CHECKING:
    from py3langid.langid import LanguageIdentifier

ENGLISH = "en"
DETECT = ""  # in place of a tag: detect the language of the text
UNDETERMINED = "und"  # the tag of a language that is not known
DETECT_NAMES = frozenset(("", "auto", "detect"))  # what clients send to detect the language
TAG = re.compile(  # language, script, region and variants; then extensions such as u-ca-gregory; then private use
    r"[a-z]{2,3}(?:-[a-z0-9]{2,8})*(?:-[a-wyz0-9](?:-[a-z0-9]{2,8})+)*(?:-x(?:-[a-z0-9]{1,8})+)?",
    re.IGNORECASE | re.ASCII,
)
TAG_MAX = 64  # characters
SURE = 0.6  # required share of the total probability of the checkpoint's languages; with less, `detect` returns its default
KEPT = 4_096  # texts whose language is remembered
NAMED = 3  # languages in a warning
REGION = re.compile(r"[-_]([a-z]{2}|[0-9]{3})(?![^-_])", re.IGNORECASE)  # such as BR and 419
REGIONS = "GB US CA AU DE AT CH FR BE ES MX IT PT BR PL NL RU JP KR CN TW HK"  # regions that sheets name


def read_tag(value: str) -> str:
    """Return a client's language as a tag such as pt-BR, or DETECT. Raises BadSetting."""
    given = value.strip()
    if given.lower() in DETECT_NAMES:
        return DETECT
    if not is_tag(given):
        raise BadSetting(f'language {given[:40]!r} is not valid; send a tag such as "de" or "pt-BR", or "auto"')
    tag = given.lower().replace("_", "-")
    core = without_extensions(tag)
    first, *others = core.split("-")
    first = _aliases().get(first, first)
    cased = {2: str.upper, 4: str.title}  # regions such as BR, scripts such as Hant
    parts = [first, *(cased.get(len(part), str)(part) for part in others)]
    return DETECT if first == UNDETERMINED else "-".join(parts) + tag.removeprefix(core)


def is_tag(value: str) -> bool:
    """Return True for a BCP 47 tag that begins with a language, such as pt-BR; it may have "_" in place of "-"."""
    return len(value) <= TAG_MAX and TAG.fullmatch(value.replace("_", "-")) is not None


def tag_of(written: str) -> str | None:
    """Return the tag of a language that a sheet names by tag or by name, such as German or Deutsch; None if it is unknown."""
    try:
        tag = read_tag(written)
        if tag == DETECT or name_of(tag) != tag:
            return tag
    except BadSetting:  # a name
        pass
    return _names().get(written.strip().casefold())


@lru_cache(KEPT)
def name_of(tag: str) -> str:
    """Return the English name of a language and region, such as Portuguese (Brazil); the tag itself if it is unknown."""
    from babel import Locale, UnknownLocaleError

    try:
        return Locale.parse(without_extensions(tag), sep="-").get_display_name("en") or tag
    except (UnknownLocaleError, ValueError):
        return str(Locale("en").languages.get(primary(tag), tag))  # also languages without rules, such as tlh


def primary(tag: str) -> str:
    """Return the language of a tag without region, such as pt for pt-BR."""
    return re.split("[-_]", tag)[0].lower()


def is_alike(one: str, other: str) -> bool:
    """Return True if two tags have the same language, and not two different regions, such as pt-BR and pt-PT."""
    regions = {found[1].upper() for tag in (one, other) if (found := REGION.search(without_extensions(tag)))}
    return primary(one) == primary(other) and len(regions) < 2


def is_english(tag: str) -> bool:
    """Return True for English of any region, and for a language that was not stated."""
    return tag == DETECT or primary(tag) == ENGLISH


@lru_cache(KEPT)
def detect(text: str, languages: Sequence[str], usual: str = "", *, sure: float = SURE) -> str:
    """Return the most probable of a checkpoint's languages; `sure` is the required share of the total probability.

    For an undecided text, return the `usual` language of its voice if it is known, else English if the checkpoint speaks it,
    else the checkpoint's first language. If the checkpoint does not speak the usual language, return that
    language without detection.
    """
    if usual and primary(usual) not in {primary(tag) for tag in languages}:
        return usual
    default = usual or next((tag for tag in languages if is_english(tag)), languages[0])
    by_primary = {primary(tag): tag for tag in reversed(languages)}
    if len(by_primary) < 2:
        return default
    probable = {name: share for name, share in _identifier().rank(text) if name in by_primary}
    best = max(probable, key=lambda name: probable[name], default=ENGLISH)
    decided = probable and probable[best] >= sure * sum(probable.values()) > 0.0
    return by_primary[best] if decided else default


def warning(title: str, languages: Sequence[str], language: str) -> str:
    """Return a sentence if an engine's checkpoint does not speak a language; "" if it does."""
    if primary(language) in {primary(tag) for tag in languages}:
        return ""
    names = [name_of(primary(tag)) for tag in languages]
    if (more := len(names) - NAMED) > 0:
        names[NAMED:] = [f"{more} more language{'' if more == 1 else 's'}"]
    listed = " and ".join(part for part in (", ".join(names[:-1]), names[-1]) if part)
    spoken = name_of(primary(language))
    return f"The checkpoint of {title} does not speak {spoken}, only {listed}; the words may be wrong"


@cache
def _names() -> dict[str, str]:
    """Return tags by name in lower case: names in the languages with a grammar, and the name of each language in itself."""
    from babel import Locale
    from babel.localedata import locale_identifiers

    named = [(tag, name) for known in SPOKEN_LANGUAGES for tag, name in Locale.parse(known).languages.items()]
    for identifier in locale_identifiers():
        locale = Locale.parse(identifier)
        if locale.territory is None or locale.territory in REGIONS.split():
            named += [(identifier, locale.get_display_name("en")), (identifier, locale.get_display_name())]
    found: dict[str, str] = {}
    for tag, name in named:
        if name:
            found.setdefault(name.casefold(), tag.replace("_", "-"))
    return found


@cache
def _aliases() -> dict[str, str]:
    """Return two-letter codes by three-letter ones, such as de for deu."""
    from babel.core import get_global

    return {old: new for old, new in get_global("language_aliases").items() if len(old) == 3 and new.isalpha()}


@cache
def _identifier() -> "LanguageIdentifier":
    from py3langid.langid import MODEL_DIR, MODEL_FILE, LanguageIdentifier

    return LanguageIdentifier.from_modelpath(MODEL_DIR / MODEL_FILE, norm_probs=True)
