"""Pronunciation lexicons of the W3C's form are read and written."""

import io

import pytest
from lxml import etree

from studio.script.format.lexicon import BadLexicon
from studio.script.format.pls import MAX_BYTES, NAMESPACE, read_pls, write_pls
from studio.script.format.script import Respelling

LEXICON = (
    Respelling(word="Kael'thas", spoken="KAYL-thass"),
    Respelling(word="Vi", spoken="vee", match_case=True),
    Respelling(word="VI", spoken="the sixth", match_case=True),
    Respelling(word="zaun", spoken="zawn & <co>", whole_word=False, voice="amber"),
    Respelling(word="Éowë “the” 龙", spoken="AY-oh-way"),
)


def pls(lexemes: str) -> bytes:
    return f'<lexicon version="1.0" xmlns="{NAMESPACE}" alphabet="ipa" xml:lang="en">{lexemes}</lexicon>'.encode()


def test_what_is_written_is_read_again_exactly() -> None:
    read = read_pls(write_pls(LEXICON))

    assert tuple(read.respellings) == LEXICON
    assert not read.notes
    assert write_pls(read.respellings) == write_pls(LEXICON)


def test_another_program_finds_words_and_aliases_in_the_specifications_namespace() -> None:
    root = etree.parse(io.BytesIO(write_pls(LEXICON))).getroot()

    assert root.tag == f"{{{NAMESPACE}}}lexicon"
    assert dict(root.attrib) == {
        "version": "1.0",
        "alphabet": "ipa",
        "{http://www.w3.org/XML/1998/namespace}lang": "en",
    }
    assert root.xpath("p:lexeme/p:grapheme/text()", namespaces={"p": NAMESPACE}) == [each.word for each in LEXICON]
    assert root.xpath("p:lexeme/p:alias/text()", namespaces={"p": NAMESPACE}) == [each.spoken for each in LEXICON]


def test_every_grapheme_of_a_lexeme_is_a_word_and_the_preferred_alias_is_spoken() -> None:
    file = pls(
        "<lexeme><grapheme>colour</grapheme><grapheme> color </grapheme><phoneme>ˈkʌlə</phoneme>"
        '<alias>culler</alias><alias prefer="true">kuller</alias></lexeme>'
    )

    assert [(each.word, each.spoken) for each in read_pls(file).respellings] == [
        ("colour", "kuller"),
        ("color", "kuller"),
    ]


def test_of_a_word_given_twice_the_first_lexeme_is_used() -> None:
    file = pls(
        "<lexeme><grapheme>Ahri</grapheme><alias>first</alias></lexeme>"
        "<lexeme><grapheme>Ahri</grapheme><alias>second</alias></lexeme>"
    )

    assert [each.spoken for each in read_pls(file).respellings] == ["first"]


@pytest.mark.parametrize(
    ("phonemes", "spoken"),
    [("AA1 R IY0", "ahree"), ("ɑːˈɹiː", "ah-ree"), ("/ˈkeɪlθəs/", "kaylthuss"), ("taˈliː.ja", "tah-leeyah")],
)
def test_a_pronunciation_is_spelled_with_english_letters_and_named(phonemes: str, spoken: str) -> None:
    read = read_pls(pls(f"<lexeme><grapheme>Ahri</grapheme><phoneme>{phonemes}</phoneme></lexeme>"))

    assert [each.spoken for each in read.respellings] == [spoken]
    assert read.notes == [f"1 word was spelled after the pronunciation; listen to the result: Ahri as {spoken}"]


def test_an_alias_is_preferred_to_a_pronunciation() -> None:
    file = pls("<lexeme><grapheme>Ahri</grapheme><phoneme>ˈɑːɹi</phoneme><alias>AH-ree</alias></lexeme>")

    assert ([each.spoken for each in read_pls(file).respellings], read_pls(file).notes) == (["AH-ree"], [])


def test_a_word_whose_pronunciation_has_an_unknown_sign_is_left_out_and_named() -> None:
    read = read_pls(pls("<lexeme><grapheme>Ahri</grapheme><phoneme>ǃkʷɑ</phoneme></lexeme>"))

    assert not read.respellings
    assert "1 word was left out (Ahri)" in read.notes[0]
    assert "in English spelling" in read.notes[0]


@pytest.mark.parametrize(
    ("file", "says"),
    [
        (b"", "not valid XML"),
        (b"\x00\xff<lexicon", "not valid XML"),
        (b"<html/>", "not a pronunciation lexicon"),
        (b'<?xml version="1.0" encoding="utf-99"?><lexicon/>', "not valid XML"),
        (b'<!DOCTYPE l [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><lexicon>&b;</lexicon>', "entities or a DTD"),
        (b'<!DOCTYPE l SYSTEM "file:///etc/passwd"><lexicon/>', "entities or a DTD"),
        (b"<lexicon>" + b" " * MAX_BYTES + b"</lexicon>", "split the file"),
        (b"<a>" * 200_000, "not valid XML"),
        (pls("<lexeme><grapheme>w</grapheme><alias>[pause:9s]</alias></lexeme>"), "brackets"),
        (pls("<lexeme><grapheme/><alias>x</alias></lexeme>"), "has no word"),
    ],
)
def test_a_file_that_is_no_lexicon_is_refused_with_what_to_do(file: bytes, says: str) -> None:
    with pytest.raises(BadLexicon, match=says):
        read_pls(file)


def test_deep_nesting_is_borne() -> None:
    deep = b"<a>" * 140_000 + b"</a>" * 140_000

    assert not read_pls(pls("")[: -len("</lexicon>")] + deep + b"</lexicon>").respellings
