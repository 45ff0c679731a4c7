"""Read and write lexicons in the Pronunciation Lexicon Specification 1.0 of the W3C.

A file has one `xml:lang`. Our attribute `language` of the root element has the language of its entries, "" for every language,
and each entry of another language has the attribute itself. Earlier versions had no such attribute, and wrote `xml:lang="en"`
although their entries were for every language.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from xml.etree import ElementTree as Writing
from xml.etree.ElementTree import Element, SubElement

from defusedxml import DefusedXmlException
from defusedxml import ElementTree as Reading

from engines.errors import BadSetting
from studio.languages import ENGLISH, read_tag
from studio.script.format.lexicon import (
    MAX_RESPELLINGS,
    MAX_WORD,
    BadLexicon,
    checked,
    in_letters,
    key_of,
    why_unreadable,
)
from studio.script.format.script import Respelling

NAMESPACE = "http://www.w3.org/2005/01/pronunciation-lexicon"
OURS = "urn:champion-voice-studio:lexicon"  # namespace of our attributes, which the specification does not have
LANG = "{http://www.w3.org/XML/1998/namespace}lang"
MAX_BYTES = 2**20
LANGUAGE = f"{{{OURS}}}language"
EARLIER = re.compile(  # the beginning of a file that an earlier version of the studio exported
    rb"<\?xml version='1.0' encoding='utf-8'\?>\s+"
    rb'<lexicon xmlns="[^"]+"(?: xmlns:studio="[^"]+")? version="1.0" alphabet="ipa" xml:lang="en">'
)
TWICE = "the file has the word more than once, and the first entry counts, as PLS says"
TWICE_WITH_OTHER_CAPITALS = (
    "the file also has the word with other capitals, and the first entry applies to both; "
    'to use both entries, add studio:match-case="true" to each lexeme'
)
SHOWN = 5  # maximum number of words in a note


@dataclass(frozen=True, slots=True)
class PlsLexicon:
    """The respellings of a file, and notes on its unusable entries."""

    respellings: Sequence[Respelling]
    notes: Sequence[str] = ()  # sentences for the designer


def write_pls(respellings: Sequence[Respelling]) -> bytes:
    """Write an alias for each word; `read_pls` restores the same respellings."""
    languages = {each.language for each in respellings}
    language = languages.pop() if len(languages) == 1 else ""
    Writing.register_namespace("", NAMESPACE)
    Writing.register_namespace("studio", OURS)
    attributes = {"version": "1.0", "alphabet": "ipa", LANG: language or ENGLISH, LANGUAGE: language}
    root = Element(f"{{{NAMESPACE}}}lexicon", attributes)
    for each in respellings:
        lexeme = SubElement(root, f"{{{NAMESPACE}}}lexeme", _own_attributes(each, language))
        SubElement(lexeme, f"{{{NAMESPACE}}}grapheme").text = each.word
        SubElement(lexeme, f"{{{NAMESPACE}}}alias").text = each.spoken
    Writing.indent(root)
    written: bytes = Writing.tostring(root, encoding="utf-8", xml_declaration=True)
    return written + b"\n"


def read_pls(data: bytes) -> PlsLexicon:
    """Return the words that have an alias or a pronunciation. Raises BadLexicon.

    The preferred alias or pronunciation is used, else the first. A pronunciation is converted to the spelling of its
    language. Words need an alias if their language has no such conversion.
    """
    root = _root(data)
    usual = root.get(LANGUAGE, "" if EARLIER.match(data) else root.get(LANG, ""))
    found: dict[tuple[str, bool, str, str], Respelling] = {}
    left_out: dict[str, list[str]] = {}  # words by reason
    derived: list[str] = []
    for lexeme in _children(root, "lexeme"):
        words, spoken = [_text(each) for each in _children(lexeme, "grapheme")], _preferred(lexeme, "alias")
        language = _language(lexeme, words, usual)
        if not spoken:
            spoken = in_letters(_preferred(lexeme, "phoneme"), language, phonetic=True)
            derived += [f"{word} as {spoken}" for word in words if spoken]
        if not spoken:
            left_out.setdefault(why_unreadable(language), []).extend(words)
            continue
        for word in words:
            each = _respelling(lexeme, word, spoken, language)
            first = found.setdefault(key_of(each), each)
            if first != each:
                why = TWICE if first.word == word else TWICE_WITH_OTHER_CAPITALS
                left_out.setdefault(why, []).append(word)
        if len(found) > MAX_RESPELLINGS:
            break  # `checked` raises the error
    return PlsLexicon(checked(list(found.values())), _notes(derived, left_out))


def _language(lexeme: Element, words: Sequence[str], usual: str) -> str:
    """Return the tag of the language of a lexeme; `usual` is the language of the file. Raises BadLexicon."""
    own = lexeme.get(LANGUAGE)
    language = usual if own is None else own
    try:
        return read_tag(language)
    except BadSetting as error:
        word = next(iter(words), "")[:MAX_WORD]
        whose = "the file" if own is None else f"the entry of the word “{word}”"
        raise BadLexicon(
            f"{whose} has the language “{language[:40]}”, which is not a language tag; write a tag such as “de”, "
            "and import the file again"
        ) from error


def _root(data: bytes) -> Element:
    if len(data) > MAX_BYTES:
        raise BadLexicon(f"the lexicon file is larger than {MAX_BYTES // 2**20} MB; split the file")
    try:
        root: Element = Reading.fromstring(data, forbid_dtd=True)
    except DefusedXmlException as error:
        raise BadLexicon(
            "the file declares entities or a DTD, which are not allowed; export the lexicon without entities and DTD"
        ) from error
    except (Writing.ParseError, ValueError, LookupError) as error:
        raise BadLexicon(f"the file is not valid XML ({error}); export the lexicon again") from error
    if root.tag not in (f"{{{NAMESPACE}}}lexicon", "lexicon"):
        raise BadLexicon(
            "the file is XML but not a pronunciation lexicon (PLS); choose a file with the root element <lexicon>"
        )
    return root


def _children(parent: Element, name: str) -> Iterator[Element]:
    """Return child elements in the namespace of the specification, or without a namespace, which some programs omit."""
    return (child for child in parent if child.tag in (f"{{{NAMESPACE}}}{name}", name))


def _text(element: Element) -> str:
    return " ".join("".join(element.itertext()).split())


def _preferred(lexeme: Element, name: str) -> str:
    """Return the text of the preferred child element of this name, else of the first one with text."""
    given = sorted(_children(lexeme, name), key=lambda each: each.get("prefer") != "true")
    return next((spoken for spoken in map(_text, given) if spoken), "")


def _respelling(lexeme: Element, word: str, spoken: str, language: str) -> Respelling:
    return Respelling(
        word=word,
        spoken=spoken,
        match_case=lexeme.get(f"{{{OURS}}}match-case") == "true",
        whole_word=lexeme.get(f"{{{OURS}}}whole-word") != "false",
        voice=lexeme.get(f"{{{OURS}}}voice", ""),
        language=language,
    )


def _own_attributes(respelling: Respelling, language: str) -> dict[str, str]:
    """Return the attributes for those values that differ from the defaults and from the language of the file."""
    return {
        **({f"{{{OURS}}}match-case": "true"} if respelling.match_case else {}),
        **({} if respelling.whole_word else {f"{{{OURS}}}whole-word": "false"}),
        **({f"{{{OURS}}}voice": respelling.voice} if respelling.voice else {}),
        **({LANGUAGE: respelling.language} if respelling.language != language else {}),
    }


def _notes(derived: Sequence[str], left_out: Mapping[str, Sequence[str]]) -> Sequence[str]:
    notes = []
    if derived:
        notes.append(f"{_count(derived)} spelled after the pronunciation; listen to the result: {_shown(derived)}")
    return [*notes, *(f"{_count(words)} left out ({_shown(words)}): {why}" for why, words in left_out.items())]


def _count(words: Sequence[str]) -> str:
    return "1 word was" if len(words) == 1 else f"{len(words)} words were"


def _shown(words: Sequence[str]) -> str:
    return ", ".join(words[:SHOWN]) + (" …" if len(words) > SHOWN else "")
