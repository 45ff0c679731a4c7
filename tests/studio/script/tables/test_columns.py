"""Which column holds what, and where the header is."""

import pytest

from studio.script.tables import read_pasted, read_table
from studio.script.tables.columns import recognised

ROLES = ("id", "character", "text", "emotion", "filename", "scene", "max_s", "language", "notes")
HEADERS = [
    "Line ID|Speaker|Dialogue|Emotion|Wav name|Scene|Max length (s)|Lang|Notes",
    "lineid|Character Name|VO text|Direction|FILE|scene|max duration|Locale|Comment",
    "Zeilen-ID|Sprecher|Text|Stimmung|Dateiname|Szene|Max. Dauer|Sprache|Anmerkungen",
    "Numéro|Personnage|Réplique|Émotion|Nom du fichier|Scène|Durée max (s)|Langue|Commentaires",
    "Identificador|Personaje|Diálogo|Emoción|Archivo|Escena|Duración máxima|Idioma|Notas",
    "番号|キャラクター|セリフ|感情|ファイル名|シーン|最大秒数|言語|備考",
    "id|character|text|emotion|file name|scene|longest seconds|language|notes",
    "LineID|CharacterName|Dialogue (EN)|Acting notes|Audio file|Scene #|Max seconds|Language code|Remarks",
]


@pytest.mark.parametrize("header", HEADERS)
def test_columns_are_recognised_by_name(header: str) -> None:
    assert recognised(header.split("|"), []) == {role: index for index, role in enumerate(ROLES)}


@pytest.mark.parametrize("name", ["Max chars", "Max length (ms)", "Max frames"])
def test_a_limit_that_is_not_in_seconds_is_none(name: str) -> None:
    assert "max_s" not in recognised(["ID", "Text", name], [])


def test_a_column_named_line_holds_lines_or_their_numbers() -> None:
    assert recognised(["Line", "Text"], [["1", "Hello there, you"]]) == {"id": 0, "text": 1}
    assert recognised(["ID", "Line"], [["1", "Hello there, you"]]) == {"id": 0, "text": 1}


def test_without_names_the_longest_column_is_the_text_and_the_short_unique_one_the_id() -> None:
    rows = [["Anna", "L1", "Hello there, how are you?"], ["Anna", "L2", "Go!"]]
    assert recognised(["", "", ""], rows) == {"id": 1, "text": 2}


def test_no_role_and_no_column_is_taken_twice() -> None:
    assert recognised(["Text", "Dialogue", "Text"], [["a", "b", "c"]])["text"] == 0


def test_rows_above_the_header_are_kept_apart() -> None:
    table = read_table(b"Project X,,\n\nLine ID,Speaker,Dialogue\n1,Anna,Go\n", "a.csv")
    assert table.columns == ("Line ID", "Speaker", "Dialogue")
    assert table.form.above == (("Project X", "", ""), ())


def test_rows_shorter_and_longer_than_the_header_are_kept() -> None:
    table = read_table(b"id,text\n1\n2,Go,now\n", "a.csv")
    assert (table.columns, table.rows) == (("id", "text", ""), (("1", "", ""), ("2", "Go", "now")))


def test_pasted_cells_keep_their_quotation_marks_and_line_breaks() -> None:
    table = read_pasted('id\ttext\n1\t"Go!" she said\n2\t"Go!"\n3\t"Two\nlines, ""both"""\n4\t"Wait\n')
    assert [row[1] for row in table.rows] == ['"Go!" she said', '"Go!"', 'Two\nlines, "both"', '"Wait']


def test_pasted_lines_without_a_header_are_all_lines() -> None:
    assert read_pasted("Hello, you\nGo, now\n").rows == (("Hello, you",), ("Go, now",))
    assert read_pasted("L001\tHello there\nL002\tGo\n").rows == (("L001", "Hello there"), ("L002", "Go"))


def test_lone_surrogates_are_left_out() -> None:
    assert read_pasted("id\ttext\n1\tGo\ud800 now\n").rows == (("1", "Go now"),)
