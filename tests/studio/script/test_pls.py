"""Pronunciation lexicons of the W3C's form are read and written."""

import io
from collections.abc import Sequence
from dataclasses import replace

import pytest
from lxml import etree

from engines.errors import BadInput
from studio.script.format.pls import MAX_BYTES, NAMESPACE, OURS, read_pls, write_pls
from studio.script.format.script import Respelling

LEXICON = (
    Respelling(word="Kael'thas", spoken="KAYL-thass"),
    Respelling(word="Vi", spoken="vee", match_case=True),
    Respelling(word="VI", spoken="the sixth", match_case=True),
    Respelling(word="zaun", spoken="zawn & <co>", whole_word=False, voice="amber"),
    Respelling(word="Éowë “the” 龙", spoken="AY-oh-way"),
)
GERMAN = tuple(replace(each, language="de") for each in LEXICON)
ENGLISH = tuple(replace(each, language="en") for each in LEXICON)
MIXED = (*LEXICON, *GERMAN, replace(LEXICON[0], language="pt-BR"))
LANG = "{http://www.w3.org/XML/1998/namespace}lang"
# Files that the studio exported before entries had a language.
OLD = (
    f"""<?xml version='1.0' encoding='utf-8'?>
<lexicon xmlns="{NAMESPACE}" version="1.0" alphabet="ipa" xml:lang="en">
  <lexeme>
    <grapheme>Kael'thas</grapheme>
    <alias>KAYL-thass</alias>
  </lexeme>
</lexicon>
""",
    f"""<?xml version='1.0' encoding='utf-8'?>
<lexicon xmlns="{NAMESPACE}" xmlns:studio="{OURS}" version="1.0" alphabet="ipa" xml:lang="en">
  <lexeme studio:voice="amber">
    <grapheme>Kael'thas</grapheme>
    <alias>KAYL-thass</alias>
  </lexeme>
</lexicon>
""",
)


def pls(lexemes: str, lang: str = ' xml:lang="en"') -> bytes:
    return f'<lexicon version="1.0" xmlns="{NAMESPACE}" alphabet="ipa"{lang}>{lexemes}</lexicon>'.encode()


@pytest.mark.parametrize("lexicon", [LEXICON, GERMAN, ENGLISH, MIXED, ()])
def test_what_is_written_is_read_again_exactly(lexicon: Sequence[Respelling]) -> None:
    read = read_pls(write_pls(lexicon))

    assert tuple(read.respellings) == lexicon
    assert not read.notes
    assert write_pls(read.respellings) == write_pls(lexicon)


@pytest.mark.parametrize(("lexicon", "lang"), [(LEXICON, "en"), (GERMAN, "de"), (ENGLISH, "en"), (MIXED, "en")])
def test_a_file_states_the_language_of_its_entries_if_all_have_the_same(
    lexicon: Sequence[Respelling], lang: str
) -> None:
    assert etree.fromstring(write_pls(lexicon)).get(LANG) == lang


@pytest.mark.parametrize(
    ("lang", "language"), [(' xml:lang="en"', "en"), (' xml:lang="pt-br"', "pt-BR"), ("", ""), (' xml:lang=""', "")]
)
def test_the_words_of_a_file_have_its_language(lang: str, language: str) -> None:
    read = read_pls(pls("<lexeme><grapheme>Ahri</grapheme><alias>AH-ree</alias></lexeme>", lang))

    assert [each.language for each in read.respellings] == [language]


@pytest.mark.parametrize("old", OLD)
def test_the_words_of_a_file_that_an_earlier_studio_exported_are_for_every_language(old: str) -> None:
    assert [(each.word, each.language) for each in read_pls(old.encode()).respellings] == [("Kael'thas", "")]


def test_another_program_finds_words_and_aliases_in_the_specifications_namespace() -> None:
    root = etree.parse(io.BytesIO(write_pls(LEXICON))).getroot()

    assert root.tag == f"{{{NAMESPACE}}}lexicon"
    assert dict(root.attrib) == {
        "version": "1.0",
        "alphabet": "ipa",
        LANG: "en",
        f"{{{OURS}}}language": "",
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

    read = read_pls(file)
    assert [each.spoken for each in read.respellings] == ["first"]
    assert [note.partition(":")[0] for note in read.notes] == ["1 word was left out (Ahri)"]


def test_if_words_differ_only_in_capitals_the_first_is_used_and_a_note_names_the_other() -> None:
    lexemes = "<lexeme{0}><grapheme>Vi</grapheme><alias>vee</alias></lexeme>"
    lexemes += "<lexeme{0}><grapheme>VI</grapheme><alias>the sixth</alias></lexeme>"

    read = read_pls(pls(lexemes.format("")))
    assert [(each.word, each.spoken) for each in read.respellings] == [("Vi", "vee")]
    (note,) = read.notes
    assert "1 word was left out (VI)" in note and "with other capitals" in note and "match-case" in note
    match_case = f' xmlns:studio="{OURS}" studio:match-case="true"'
    read = read_pls(pls(lexemes.format(match_case)))
    assert [each.word for each in read.respellings] == ["Vi", "VI"] and not read.notes


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


def test_a_pronunciation_is_spelled_in_its_language() -> None:
    file = pls("<lexeme><grapheme>Kael</grapheme><phoneme>ˈkeːltas</phoneme></lexeme>", ' xml:lang="de"')
    read = read_pls(file)

    assert [(each.spoken, each.language) for each in read.respellings] == [("kehltass", "de")]
    assert read.notes == ["1 word was spelled after the pronunciation; listen to the result: Kael as kehltass"]


def test_a_pronunciation_that_cannot_be_spelled_is_left_out_and_an_alias_is_used() -> None:
    read = read_pls(
        pls(
            "<lexeme><grapheme>Ahri</grapheme><phoneme>ˈaːri</phoneme></lexeme>"
            "<lexeme><grapheme>Kael</grapheme><phoneme>keːl</phoneme><alias>เคล</alias></lexeme>",
            ' xml:lang="th"',
        )
    )

    assert [(each.word, each.spoken) for each in read.respellings] == [("Kael", "เคล")]
    assert read.notes == [
        "1 word was left out (Ahri): a pronunciation in IPA or ARPABET is not possible for Thai; "
        "type how the word sounds in the spelling of this language"
    ]


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
        (
            pls("<lexeme><grapheme>w</grapheme><alias>x</alias></lexeme>", ' xml:lang="x-elvish"'),
            "the file has the language “x-elvish”, which is not a language tag",
        ),
        (
            pls(f'<lexeme xmlns:s="{OURS}" s:language="de!"><grapheme>Ahri</grapheme><alias>x</alias></lexeme>'),
            "the entry of the word “Ahri” has the language “de!”",
        ),
    ],
)
def test_a_file_that_is_no_lexicon_is_refused_with_what_to_do(file: bytes, says: str) -> None:
    with pytest.raises(BadInput, match=says):
        read_pls(file)


def test_deep_nesting_is_borne() -> None:
    deep = b"<a>" * 140_000 + b"</a>" * 140_000

    assert not read_pls(pls("")[: -len("</lexicon>")] + deep + b"</lexicon>").respellings
