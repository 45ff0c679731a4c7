"""The text of a line in subtitles and tables."""

import pytest

from studio.script.written import directions_of, readable, shown


@pytest.mark.parametrize(
    ("written", "text"),
    [
        ("Wait. [pause:0.8s] Go.", "Wait. Go."),
        ("Wait [PAUSE: 800 ms], go.", "Wait, go."),
        ('Wait.<break time="1s"/>Go.', "Wait. Go."),
        ("One  two\n\tthree", "One  two\n\tthree"),
        ("[shouting] <b>Go</b>, **now**  (see page 3)", "<b>Go</b>, **now**  (see page 3)"),
    ],
)
def test_pauses_and_directions_are_left_out_and_all_else_is_exactly_as_written(written: str, text: str) -> None:
    assert shown(written, written, directions=False) == text
    assert shown(written, written, directions=True) == written


def test_directions_that_a_take_speaks_are_part_of_its_text() -> None:
    written, spoken = "[shouting] Go, Ahri.", "shouting Go, AH-ree."
    assert shown(written, spoken, directions=False) == written
    assert readable(written, spoken) == "shouting Go, Ahri."


@pytest.mark.parametrize(
    ("written", "directions"),
    [
        ("[shouting] Open the gate!", "shouting"),
        ("(laughs) Open [whispering] the gate!", "laughs, whispering"),
        ("Open the gate!", ""),
    ],
)
def test_the_directions_of_a_line_are_separated_by_commas(written: str, directions: str) -> None:
    assert directions_of(written, written) == directions
