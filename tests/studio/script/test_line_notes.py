"""Notes on lines: which lines have them, and what they say."""

from pathlib import Path

import pytest

from studio.script.editing import change_lines, imported_lines, with_cell, with_presence
from studio.script.foreign_words import foreign_language
from studio.script.format.script import Sheet, SheetForm
from studio.script.line_notes import line_notes
from studio.script.tables import read_pasted
from studio.script.tables.columns import recognised

TSV = Path(__file__).parents[2] / "engines" / "text" / "english.tsv"
ENGLISH = [line.partition("\t")[0] for line in TSV.read_text("utf-8").splitlines()]


def sheet_of(*rows: str, head: str = "id\tcharacter\ttext\tmax_s\tlanguage") -> Sheet:
    table = read_pasted("\n".join((head, *rows)))
    roles = recognised(table.columns, table.rows)
    lines = imported_lines(table.rows)
    return Sheet(id="s", name="act.tsv", columns=table.columns, roles=roles, form=SheetForm(kind="tsv"), lines=lines)


def no_voices(text: str) -> list[str]:
    return []


def kinds(sheet: Sheet, *languages: str) -> list[list[str]]:
    notes = line_notes(sheet, {"en", *languages}, no_voices)
    return [[note.kind for note in notes.get(line.key, ())] for line in sheet.lines]


def test_a_line_has_a_note_on_each_thing_to_look_at() -> None:
    sheet = sheet_of(
        "A\tAhri\tHold the gate.\t2.5\t",
        "A\tAhri\tTenez la porte, vous tous.\tsoon\t",
        "#REF!\tAhri\tRun.\t#N/A\t",
        "B\tAhri\tBon courage.\t\tfr-CA",
        "C\tAhri\tTenez la porte, vous tous.\t\ten",
    )
    assert kinds(sheet) == [["same_id"], ["same_id", "length", "language"], ["formula", "formula"], ["language"], []]
    notes = line_notes(sheet, {"en"}, no_voices)[sheet.lines[1].key]
    assert [(note.role, note.label) for note in notes] == [
        ("id", "duplicate id"),
        ("max_s", "unreadable length: soon"),
        ("text", "French"),
    ]


def test_a_language_has_a_note_if_no_engine_speaks_it_or_it_is_unknown() -> None:
    sheet = sheet_of(
        "A\tAhri\tBon courage.\t\tfr-CA",
        "B\tAhri\tTenez la porte, vous tous.\t\t",
        "C\tAhri\tHalt!\t\tGerman",
        "D\tAhri\tHalt!\t\tElvish",
        "E\tAhri\tHalt!\t\tEnglish",
        "F\tAhri\tHalt!\t\tdetect",
    )
    assert [bool(each) for each in kinds(sheet)] == [True, True, True, True, False, False]
    assert [bool(each) for each in kinds(sheet, "fr", "de")] == [False, False, False, True, False, False]
    labels = [note.label for notes in line_notes(sheet, {"en"}, no_voices).values() for note in notes]
    assert labels == ["not spoken: French (Canada)", "French", "not spoken: German", "unknown language: Elvish"]


def test_a_tag_without_a_known_name_is_a_language() -> None:
    sheet = sheet_of("A\tAhri\tnuqneH\t\ttlh")
    (notes,) = line_notes(sheet, {"en"}, no_voices).values()
    assert [note.label for note in notes] == ["not spoken: Klingon"]
    assert not line_notes(sheet, {"tlh"}, no_voices)


def test_a_voice_that_the_studio_does_not_have_has_a_note() -> None:
    sheet = sheet_of("A\tAhri\t[voice:nobody]Halt![/voice] Stop!\t\t", "B\tAhri\tHalt!\t\t")
    notes = line_notes(sheet, {"en"}, lambda text: ["nobody"] if "nobody" in text else [])
    (found,) = notes.values()
    assert [(note.kind, note.role, note.label) for note in found] == [("voice", "text", "unknown voice: nobody")]


def test_a_note_goes_with_its_cause_also_where_that_is_another_line() -> None:
    sheet = sheet_of("A\tAhri\tOne.\t\t", "A\tAhri\tTwo.\t\t", "A\tAhri\tThree.\t\t")
    sheet = change_lines(sheet, {sheet.lines[0].key: with_cell(0, "B", "")})
    assert kinds(sheet) == [[], ["same_id"], ["same_id"]]
    sheet = change_lines(sheet, {sheet.lines[1].key: with_presence(False)})
    assert kinds(sheet) == [[], [], []]


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Vous ne passerez pas !", "French"),
        ("[shouting] Derrière toi !", "French"),
        ("Tenez la porte jusqu'au dernier.", "French"),
        ("Haltet das Tor bis zum Letzten.", "German"),
        ("El puente está roto, toma el camino largo.", "Spanish"),
        ("¡Detrás de ti!", "Spanish"),
        ("Dietro di te!", "Italian"),
        ("Não há mais tempo.", "Portuguese"),
        ("Het is voorbij, ga naar huis.", "Dutch"),
        ("Nie ma go tutaj.", "Polish"),
        ("Привет, мир!", "Russian"),
        ("你好，世界", "Chinese"),
        ("こんにちは", "Japanese"),
        ("안녕하세요", "Korean"),
        ("Die, die, die!", ""),
        ("Le Fou is a fool.", ""),
        ("Santiago, ten men on the left.", ""),
        ("Ahri, Basil!", ""),
        ("Non.", ""),  # one word may be a name
        ("(ganz leise) Run.", ""),
        ("", ""),
    ],
)
def test_a_text_in_another_language_is_recognized(text: str, language: str) -> None:
    assert foreign_language(text) == language


def test_english_lines_are_not_taken_for_another_language() -> None:
    assert [text for text in ENGLISH if foreign_language(text)] == []
