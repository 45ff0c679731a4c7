"""The lexicon: words of a script that are not spoken as they are written, such as names of a game."""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial

from engines.errors import BadInput, BadSetting
from engines.text.directions import NOTATION, directions_in, update_open_tags
from engines.text.markup import TAG_LIKE
from engines.text.respelling import can_respell, from_arpabet, respelled
from engines.text.script import PAUSE_LIKE
from studio.languages import ENGLISH, is_alike, is_english, name_of, read_tag
from studio.script.format.script import Respelling

MAX_RESPELLINGS = 2_000
MAX_WORD, MAX_SPOKEN = 100, 200  # characters
COMPILED = 64  # number of compiled lexicons, one for each voice and language, because a render uses them for many lines
APOSTROPHES, HYPHENS = "'’‘ʼ`´", "-‐‑"
# English endings after an apostrophe; other letters after an apostrophe belong to the name.
CONTRACTED = "s|d|ll|ve|re|m"
# Signs of the International Phonetic Alphabet that English spelling does not use, and ARPABET such as AA1 R IY0.
IPA = re.compile("[ɑɐɒæʌɔəɘɚɛɜɝɞɪɨʊʉɯɤøɶɡɢʃʒθðŋɲɹɾɻʁχʔβɸɣˈˌːˑ]")
SPELLED = frozenset("æøðŋəɛɔɣβθχ")  # signs of the IPA that other languages also use in their spelling
SLASHED = re.compile(r"/[^/]+/")
ARPABET = re.compile(r"\{?\s*(?=[A-Z0-2 ]*[A-Z][012])[A-Z]{1,2}[012]?(?:\s+[A-Z]{1,2}[012]?)*\s*\}?")
UNREADABLE = "the pronunciation is missing, too long, or not IPA; type how the word sounds in"


class BadLexicon(BadInput):
    """A respelling is invalid."""


@dataclass(frozen=True, slots=True)
class LexiconPart:
    """A part of a text: its spelling, its spoken form, and the respelling that applies."""

    written: str
    spoken: str
    respelling: Respelling | None = None


def applied(text: str, respellings: Sequence[Respelling], voice: str, language: str) -> str:
    """Return a text of this language as this voice speaks it, with all words of the lexicon replaced."""
    return "".join(part.spoken for part in parts(text, respellings, voice, language))


def parts(text: str, respellings: Sequence[Respelling], voice: str, language: str) -> Sequence[LexiconPart]:
    """Divide a text of this language at the words that the lexicon replaces. Words within [voice:…] are those of that voice.

    If several entries begin at one letter, an entry for whole words is used, then the longest, then the most specific: first an
    entry with voice and language, then with a voice, then with a language. An entry with exactly this language comes before
    an entry with the language of another region or of no region.

    Pauses and stage directions stay, and nothing is replaced twice. A whole word may have an English ending ("Ahri's"). It is
    not found inside another name ("Kael" is not in "Kael'thas"); a hyphen separates words.
    """
    return [part for run, speaker in _runs(text, voice) for part in _parts(run, respellings, speaker, language)]


def _runs(text: str, voice: str) -> Iterator[tuple[str, str]]:
    """Yield the parts of a text with the voice that speaks them; a part ends after a tag of a voice."""
    opened: list[str] = []
    start = 0
    for tag in NOTATION.finditer(text):
        if "voice" in ((tag[1] or "").lower(), (tag[3] or "").lower()):
            yield text[start : tag.end()], opened[-1] if opened else voice
            start = tag.end()
            update_open_tags(tag, opened)
    if start < len(text) or not start:
        yield text[start:], opened[-1] if opened else voice


def _parts(text: str, respellings: Sequence[Respelling], voice: str, language: str) -> Sequence[LexiconPart]:
    """Divide a part of a text that one voice speaks."""
    languages = {tag for tag in {each.language for each in respellings} if not tag or is_alike(tag, language)}
    known = [each for each in respellings if each.voice in ("", voice, voice.lower()) and each.language in languages]
    if not known:
        return [LexiconPart(text, text)]
    known.sort(key=partial(_order, language=language))
    text = unicodedata.normalize("NFC", text)
    stays = [(each.start, each.end) for each in directions_in(text)]
    found, end = [], 0
    for match in _pattern(tuple(known)).finditer(text):
        if match.lastgroup is None or any(start <= match.start() < stop for start, stop in stays):  # a pause or a tag
            continue
        respelling = known[int(match.lastgroup[1:])]
        found += [LexiconPart(kept, kept) for kept in [text[end : match.start()]] if kept]
        found.append(LexiconPart(match[0], respelling.spoken, respelling))
        end = match.end()
    return [*found, *(LexiconPart(kept, kept) for kept in [text[end:]] if kept)]


def checked(respellings: Sequence[Respelling]) -> Sequence[Respelling]:
    """Return the respellings in normal form: composed letters, single spaces, tags. Raises BadLexicon, BadSetting."""
    if len(respellings) > MAX_RESPELLINGS:
        raise BadLexicon(
            f"the lexicon has {len(respellings):,} words, but at most {MAX_RESPELLINGS:,} are possible; remove words"
        )
    seen: set[tuple[str, bool, str, str]] = set()
    plain = [_plain(number, each) for number, each in enumerate(respellings, 1)]
    for each in plain:
        if (key := key_of(each)) in seen:
            whose = f" for {each.voice}" if each.voice else ""
            whose += f" in {name_of(each.language)}" if each.language else ""
            raise BadLexicon(f"the word “{each.word}”{whose} is in the lexicon twice; remove one entry")
        seen.add(key)
    return plain


def key_of(respelling: Respelling) -> tuple[str, bool, str, str]:
    """Return the key of a respelling, which must be unique in a lexicon."""
    word = respelling.word if respelling.match_case else respelling.word.casefold()
    return word, respelling.match_case, respelling.voice, respelling.language


def why_unreadable(language: str) -> str:
    """Return the reason why a pronunciation cannot be used for lines of this language."""
    if is_english(language):
        return f"{UNREADABLE} English spelling, such as KAYL-thass"
    if can_respell(language):
        return f"{UNREADABLE} the spelling of {name_of(language)}"
    return (
        f"a pronunciation in IPA or ARPABET is not possible for {name_of(language)}; "
        "type how the word sounds in the spelling of this language"
    )


def _order(respelling: Respelling, language: str) -> tuple[int, int, bool, bool, bool, bool]:
    """Return the sort key of a respelling that applies to a line of this language."""
    return (
        -len(respelling.word),
        -bool(respelling.voice) - bool(respelling.language),
        not respelling.voice,
        respelling.language != language,
        not respelling.match_case,
        not respelling.whole_word,
    )


def _plain(number: int, given: Respelling) -> Respelling:
    word, spoken = _one_line(given.word), _one_line(given.spoken)
    if not any(c.isalnum() for c in word):
        raise BadLexicon(f"entry {number} of the lexicon has no word; type the word as it is written in the script")
    if len(word) > MAX_WORD:
        raise BadLexicon(f"the word “{word[:20]}…” has {len(word)} characters; shorten the word to {MAX_WORD}")
    language = _language(word, given.language)
    if is_english(language) or (can_respell(language) and _is_phonetic(spoken)):
        spoken = in_letters(spoken, language)
    if not any(c.isalnum() for c in spoken):
        raise BadLexicon(f"“{word}” has no spoken form; type how the word sounds, or remove the entry")
    if len(spoken) > MAX_SPOKEN:
        raise BadLexicon(
            f"the spoken form of “{word}” has {len(spoken)} characters; shorten the spoken form to {MAX_SPOKEN}"
        )
    if set("[](){}") & set(word + spoken):
        raise BadLexicon(f"“{word}” has brackets; write pauses and stage directions into the script")
    if IPA.search(spoken) if is_english(language) else _is_phonetic(spoken):
        raise BadLexicon(f"“{word}” cannot be spoken as {spoken}: {why_unreadable(language)}")
    return replace(given, word=word, spoken=spoken, voice=given.voice.strip(), language=language)


def _language(word: str, language: str) -> str:
    """Return the language of an entry as a tag; an error names the word of the entry. Raises BadSetting."""
    try:
        return read_tag(language)
    except BadSetting as error:
        raise BadSetting(f"the entry of the word “{word}”: {error}") from error


def _is_phonetic(spoken: str) -> bool:
    """Return True for a text in IPA or ARPABET, and False for a word in the spelling of a language other than English."""
    phones = from_arpabet(spoken.strip("{} ")) if ARPABET.fullmatch(spoken) else ""
    return bool(phones or SLASHED.fullmatch(spoken) or {*IPA.findall(spoken)} - SPELLED)


def in_letters(spoken: str, language: str = ENGLISH, *, phonetic: bool = False) -> str:
    """Convert a pronunciation in IPA or ARPABET to the spelling of a language. Other text is returned unchanged.

    With `phonetic`, the text is a pronunciation, and the result is empty if it has an unknown sign.
    """
    ipa = from_arpabet(spoken.strip("{} ")) if ARPABET.fullmatch(spoken) else spoken
    if phonetic or ipa != spoken or IPA.search(spoken) or SLASHED.fullmatch(spoken):
        return respelled(ipa, language or ENGLISH) or ("" if phonetic else spoken)
    return spoken


def _one_line(text: str) -> str:
    """Return the text on one line, without control and format characters, which are invisible."""
    shown = "".join(" " if c.isspace() else c for c in text if c.isspace() or unicodedata.category(c)[0] != "C")
    return " ".join(unicodedata.normalize("NFC", shown).split())


@lru_cache(maxsize=COMPILED)
def _pattern(respellings: tuple[Respelling, ...]) -> re.Pattern[str]:
    """Return a pattern with a group for each respelling, named by its index. Pauses and tags match without a group."""
    stays = [f"(?i:{kept.pattern})" for kept in (PAUSE_LIKE, TAG_LIKE)]
    groups = [(f"(?P<w{index}>{_source(each)})", each.whole_word) for index, each in enumerate(respellings)]
    whole, anywhere = ([group for group, is_whole in groups if is_whole is wanted] for wanted in (True, False))
    letter, joined = f"[\\w{_marks()}]", f"[{APOSTROPHES}]"
    ending = f"(?!{joined}(?!(?i:{CONTRACTED})(?!{letter}|{joined}{letter})){letter})"
    # The pattern of a letter is very long, so it is used once and not in each word.
    words = [f"(?<!{letter})(?<!{letter}{joined})(?:{'|'.join(whole)})(?!{letter}){ending}"] if whole else []
    return re.compile("|".join([*stays, *words, *anywhere]))


def _source(respelling: Respelling) -> str:
    signs = "".join(map(_sign, " ".join(unicodedata.normalize("NFC", respelling.word).split())))
    return signs if respelling.match_case else f"(?i:{signs})"


def _sign(character: str) -> str:
    """Return a pattern for a character. All apostrophes match each other, and so do hyphens and spaces."""
    for alike in (APOSTROPHES, HYPHENS):
        if character in alike:
            return f"[{alike.replace('-', chr(92) + '-')}]"
    return r"\s+" if character == " " else re.escape(character)


@lru_cache(maxsize=1)
def _marks() -> str:
    r"""Return all accents and vowel signs. They belong to the letter before them, but \w does not match them."""
    return "".join(chr(c) for c in range(0x300, 0x1F000) if unicodedata.category(chr(c))[0] == "M")
