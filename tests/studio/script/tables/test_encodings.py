"""Encodings that are not Unicode: guessed by a library and by the positions of characters, or chosen by a person."""

import time

import pytest

from studio.script.tables import BadSheet, UncertainEncoding, read_table, table_encodings

HEADER = "id\tcharacter\ttext\n"
ENGLISH = HEADER + "L1\tAnna\t“Don’t — it’s late…”\nL2\tZoë\tWe’ll see. Wait—what?\n"
CAFE = HEADER + "L1\tZoë\tI’d like a café at the Señor’s.\n"
GERMAN = HEADER + "L1\tJörg\tÜber die Brücke müssen wir gehen.\nL2\tKäthe\tSchöne Grüße aus Köln!\n"
FRENCH = HEADER + "L1\tZoé\tÇa va très bien à la plage de l'été.\nL2\tLéa\tOù est-il allé ? C'était à côté.\n"
SPANISH = HEADER + "L1\tÍñigo\t¿Qué pasó mañana?\nL2\tJosé\tÉl comió piñas y se marchó.\n"
DOS_SPANISH = HEADER + "L1\tJosé\t¿Qué pasó mañana?\nL2\tAna\tEl niño comió piñas y se marchó.\n"
DANISH = HEADER + "L1\tSøren\tRødgrød med fløde på.\nL2\tÅse\tNå, så gå da!\n"
POLISH = HEADER + "L1\tŁukasz\tGdzie jesteś?\nL2\tAnna\tDziękuję, panie. Łódź płynie.\n"
RUSSIAN = HEADER + "L1\tАнна\tГде ты?\nL2\tПётр\tСпасибо, сэр. Я не знаю.\n"
JAPANESE = HEADER + "L1\t花子\tどこにいる？\nL2\t太郎\tありがとう。ドアを閉めて！\n"
EURO = HEADER + "L1\tJörg\tDas kostet 5 €. Überall müssen wir zahlen.\n"


@pytest.mark.parametrize(
    ("encoding", "text"),
    [
        ("mac_roman", ENGLISH),
        ("cp1252", ENGLISH),
        ("mac_roman", CAFE),
        ("cp1252", CAFE),
        ("mac_roman", GERMAN),
        ("cp850", GERMAN),
        ("cp437", GERMAN),
        ("cp1252", GERMAN),
        ("iso8859-15", GERMAN),
        ("mac_roman", FRENCH),
        ("cp850", FRENCH),
        ("cp1252", FRENCH),
        ("mac_roman", SPANISH),
        ("cp850", SPANISH),
        ("cp437", DOS_SPANISH),
        ("cp1252", SPANISH),
        ("cp850", DANISH),
        ("mac_roman", DANISH),
        ("cp1250", POLISH),
        ("cp852", POLISH),
        ("iso8859-2", POLISH),
        ("cp1251", RUSSIAN),
        ("mac_cyrillic", RUSSIAN),
        ("cp866", RUSSIAN),
        ("koi8_r", RUSSIAN),
        ("cp932", JAPANESE),
        ("euc_jp", JAPANESE),
        ("iso8859-15", EURO),
        ("utf-16-le", ENGLISH),
        ("utf-16-be", GERMAN),
        ("utf-16-le", JAPANESE * 20),
        ("utf-16-be", RUSSIAN),
    ],
)
def test_a_sheet_of_two_lines_is_read_in_its_encoding(encoding: str, text: str) -> None:
    _, *lines = text.splitlines()
    rows = [tuple(line.split("\t")) for line in lines if line != HEADER.strip()]
    assert [row for row in read_table(text.encode(encoding), "act.tsv").rows if row[0] != "id"] == rows


def test_a_guessed_encoding_is_noted() -> None:
    (note,) = read_table(GERMAN.encode("mac_roman"), "act.tsv").notes
    assert note == "The sheet is not Unicode. It was read in the encoding Western European (Mac), mac-roman."


def test_an_uncertain_encoding_is_refused_with_a_line_in_both_encodings() -> None:
    with pytest.raises(UncertainEncoding, match="a line reads “1 Élodie” in cp1250, but"):
        read_table("id\ttext\n1\tÉlodie\n".encode("cp1252"), "act.tsv")


@pytest.mark.parametrize("encoding", ["cp437", "cp850", "mac-roman", "macroman", "windows-1252", "latin9"])
def test_a_chosen_encoding_is_used(encoding: str) -> None:
    table = read_table("id\ttext\n1\tCittà\n".encode(encoding), "act.tsv", encoding)
    assert (table.rows, table.notes) == ((("1", "Città"),), ())


def test_encoding_choices_show_lines_of_the_sheet_most_likely_first() -> None:
    choices = table_encodings(ENGLISH.encode("mac_roman"), "act.tsv")
    assert (choices[0].name, choices[0].title) == ("mac-roman", "Western European (Mac)")
    assert choices[0].lines[0] == "L1 Anna “Don’t — it’s late…”"
    assert {choice.name: choice.lines[0] for choice in choices}["cp1252"] == "L1 Anna ÒDonÕt Ñ itÕs lateÉÓ"


def test_a_unicode_sheet_has_one_encoding_and_a_workbook_none() -> None:
    assert [choice.name for choice in table_encodings(GERMAN.encode("utf-16"), "act.tsv")] == ["utf-16"]
    assert [choice.name for choice in table_encodings(GERMAN.encode(), "act.tsv")] == ["utf-8"]
    assert table_encodings(b"PK\x03\x04", "act.xlsx") == []


def test_utf_8_with_a_few_broken_bytes_is_refused_by_its_lines_and_read_when_chosen() -> None:
    data = GERMAN.encode() + b"L3\tBo\tStra\xdfe\n"
    with pytest.raises(UncertainEncoding, match="UTF-8, but line 4 is not"):
        read_table(data, "act.tsv")
    assert table_encodings(data, "act.tsv")[0].name == "utf-8"
    table = read_table(data, "act.tsv", "utf-8")
    assert table.rows[-1] == ("L3", "Bo", "Stra�e")
    assert table.notes == ("Line 4 is not fully readable. Each unreadable character is shown as �.",)


@pytest.mark.parametrize("encoding", ["nonsense", "rot13", "idna", "cp037", "\0"])
def test_an_unsupported_encoding_is_refused_with_the_supported_ones(encoding: str) -> None:
    with pytest.raises(BadSheet, match="choose one of utf-8, cp1252, mac-roman"):
        read_table(GERMAN.encode("cp1252"), "act.tsv", encoding)


@pytest.mark.parametrize("sign", ["«", "¿", "„", "“a", "’", "ä", "Ä ", "—"])
def test_the_encoding_of_one_repeated_character_is_guessed_in_linear_time(sign: str) -> None:
    def seconds(count: int) -> float:
        began = time.process_time()
        table_encodings((sign * count).encode("cp1252"), "act.tsv")
        return time.process_time() - began

    seconds(1_000)
    assert min(seconds(16_000 // len(sign)) for _ in range(2)) < 20 * max(seconds(1_600 // len(sign)), 0.02)


@pytest.mark.parametrize("separator", ["\x0b", "\x0c", "\x1c", "\x1f", "\x85"])
def test_an_odd_separator_separates_words(separator: str) -> None:
    assert read_table(f"id\ttext\n1\tone{separator}two\n".encode(), "act.tsv").rows == (("1", "one two"),)


@pytest.mark.parametrize("separator", ["\xa0", "\u2028", "\u2029", "\u202f"])
def test_unicodes_separators_stay_in_their_cell(separator: str) -> None:
    assert read_table(f"id\ttext\n1\tone{separator}two\n".encode(), "act.tsv").rows == (("1", f"one{separator}two"),)
