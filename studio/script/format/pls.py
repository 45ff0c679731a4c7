"""Read and write lexicons in the Pronunciation Lexicon Specification 1.0 of the W3C."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from xml.etree import ElementTree as Writing
from xml.etree.ElementTree import Element, SubElement

from defusedxml import DefusedXmlException
from defusedxml import ElementTree as Reading

from studio.script.format.lexicon import MAX_RESPELLINGS, NOT_READ, BadLexicon, checked, in_letters, key_of
from studio.script.format.script import Respelling

NAMESPACE = "http://www.w3.org/2005/01/pronunciation-lexicon"
OURS = "urn:champion-voice-studio:lexicon"  # namespace of our attributes, which the specification does not have
LANG = "{http://www.w3.org/XML/1998/namespace}lang"
MAX_BYTES = 2**20
SHOWN = 5  # maximum number of words in a note


@dataclass(frozen=True, slots=True)
class PlsLexicon:
    """The respellings of a file, and notes on its unusable entries."""

    respellings: Sequence[Respelling]
    notes: Sequence[str] = ()  # sentences for the designer


def write_pls(respellings: Sequence[Respelling], language: str = "en") -> bytes:
    """Write an alias for each word; `read_pls` restores the same respellings."""
    Writing.register_namespace("", NAMESPACE)
    Writing.register_namespace("studio", OURS)
    root = Element(f"{{{NAMESPACE}}}lexicon", {"version": "1.0", "alphabet": "ipa", LANG: language})
    for each in respellings:
        lexeme = SubElement(root, f"{{{NAMESPACE}}}lexeme", _own_attributes(each))
        SubElement(lexeme, f"{{{NAMESPACE}}}grapheme").text = each.word
        SubElement(lexeme, f"{{{NAMESPACE}}}alias").text = each.spoken
    Writing.indent(root)
    written: bytes = Writing.tostring(root, encoding="utf-8", xml_declaration=True)
    return written + b"\n"


def read_pls(data: bytes) -> PlsLexicon:
    """Return the words that have an alias or a pronunciation, which is written in English letters. Raises BadLexicon.

    The preferred alias or pronunciation is used, else the first.
    """
    root = _root(data)
    found: dict[tuple[str, bool, str], Respelling] = {}
    unreadable: list[str] = []
    derived: list[str] = []
    for lexeme in _children(root, "lexeme"):
        words, spoken = [_text(each) for each in _children(lexeme, "grapheme")], _preferred(lexeme, "alias")
        if not spoken:
            spoken = in_letters(_preferred(lexeme, "phoneme"), phonetic=True)
            (derived if spoken else unreadable).extend(f"{word} as {spoken}" if spoken else word for word in words)
        if not spoken:
            continue
        for word in words:
            each = _respelling(lexeme, word, spoken)
            found.setdefault(key_of(each), each)  # the specification says that the first lexeme of a word counts
        if len(found) > MAX_RESPELLINGS:
            break  # `checked` raises the error
    return PlsLexicon(checked(list(found.values())), _notes(derived, unreadable))


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


def _respelling(lexeme: Element, word: str, spoken: str) -> Respelling:
    return Respelling(
        word=word,
        spoken=spoken,
        match_case=lexeme.get(f"{{{OURS}}}match-case") == "true",
        whole_word=lexeme.get(f"{{{OURS}}}whole-word") != "false",
        voice=lexeme.get(f"{{{OURS}}}voice", ""),
    )


def _own_attributes(respelling: Respelling) -> dict[str, str]:
    """Return the attributes for those values that differ from the defaults."""
    return {
        **({f"{{{OURS}}}match-case": "true"} if respelling.match_case else {}),
        **({} if respelling.whole_word else {f"{{{OURS}}}whole-word": "false"}),
        **({f"{{{OURS}}}voice": respelling.voice} if respelling.voice else {}),
    }


def _notes(derived: Sequence[str], unreadable: Sequence[str]) -> Sequence[str]:
    notes = []
    if derived:
        notes.append(f"{_count(derived)} spelled after the pronunciation; listen to the result: {_shown(derived)}")
    if unreadable:
        notes.append(f"{_count(unreadable)} left out ({_shown(unreadable)}): {NOT_READ}")
    return notes


def _count(words: Sequence[str]) -> str:
    return "1 word was" if len(words) == 1 else f"{len(words)} words were"


def _shown(words: Sequence[str]) -> str:
    return ", ".join(words[:SHOWN]) + (" …" if len(words) > SHOWN else "")
