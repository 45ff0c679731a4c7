"""Stage directions: which brackets are directions, and what is spoken of the line."""

from pathlib import Path

import pytest

from engines.errors import BadText
from engines.text import directions_in, parse, with_spoken_directions, without_directions

LINES = [
    line.split("\t")
    for line in (Path(__file__).parent / "directions.tsv").read_text("utf-8").splitlines()
    if not line.startswith("#")
]
IDS = [line[0][:48] for line in LINES]
MARKERS = ("angry", "laughing", "sighing", "whispering", "shouting", "in a hurry tone", "soft tone", "crying loudly")


@pytest.mark.parametrize(("written", "spoken", "found"), LINES, ids=IDS)
def test_directions_are_found_and_not_spoken_and_other_brackets_stay(written: str, spoken: str, found: str) -> None:
    script = parse(written.replace("\\n", "\n"))
    assert (script.spoken, " ".join(each.written for each in script.directions)) == (spoken, found)


@pytest.mark.parametrize(("written", "spoken", "found"), LINES, ids=IDS)
def test_what_is_spoken_of_a_line_with_directions_is_spoken_as_itself(written: str, spoken: str, found: str) -> None:
    assert parse(parse(written.replace("\\n", "\n")).spoken).spoken == parse(written.replace("\\n", "\n")).spoken


@pytest.mark.parametrize(
    ("written", "spoken"),
    [
        ("(laughing) You fool.", "(laughing) You fool."),
        ("[laughs] You fool.", "(laughing) You fool."),
        ("You fool. (laughs softly)", "You fool. (laughing)"),
        ("[SHOUTING AT KAEL] Get down!", "(shouting) Get down!"),
        ("(angrily) Leave.", "(angry) Leave."),
        ("(sighs) Very (coughs) well.", "(sighing) Very well."),
        ("(hurriedly) Move along.", "(in a hurry tone) Move along."),
        ("(softly) Sleep.", "(soft tone) Sleep."),
        ("(weeps) No.", "No."),
        ("[yelling] Go! (beat) Go!", "(shouting) Go! [pause:0.5s] Go!"),
    ],
)
def test_a_direction_becomes_the_marker_that_the_engine_acts_on(written: str, spoken: str) -> None:
    assert parse(written, markers=MARKERS).spoken == spoken


@pytest.mark.parametrize(
    ("written", "spoken"),
    [
        ("[emotion:angry]Go. Go now![/emotion] Stay.", "(angry)Go. (angry)Go now! Stay."),
        ("[emotion:angry] Go. Go now! [/emotion] Stay.", "(angry) Go. (angry)Go now! Stay."),
        ("Well. [emotion:angry]Go. Go.[/emotion]", "Well. (angry)Go. (angry)Go."),
        ("[emotion:angry]Go. Go.", "(angry)Go. (angry)Go."),
        ("[emotion:angry]Go, then go.[/emotion]", "(angry)Go, then go."),
        ("[emotion:angry]Go [pause:1s] now.[/emotion]", "(angry)Go [pause:1s] (angry)now."),
        ("[emotion:angry]Go\nGo[/emotion]", "(angry)Go. (angry)Go"),
        ("[emotion:angry]“Go.” “Go.”[/emotion]", "(angry)“Go.” (angry)“Go.”"),
        ("[emotion:angry]Go. (laughs) Go.[/emotion]", "(angry)Go. (angry)(laughing) Go."),
        ("[emotion:angry]Go. [/emotion]Stay. Stay.", "(angry)Go. Stay. Stay."),
        ("[emotion:angry]Go. (coughs)[/emotion]", "(angry)Go."),
        ("[emotion:angry]Go.[/emotion] [emotion:laugh]Stay. Stay.[/emotion]", "(angry)Go. (laughing)Stay. (laughing)Stay."),
        ("[emotion:angry]Go. [emotion:whisper]Go. Go.[/emotion] Go.[/emotion] Go.",
         "(angry)Go. (whispering)Go. (whispering)Go. (angry)Go. Go."),
        ("[emotion:angry][emotion:odd]Go. Go.[/emotion] Go.[/emotion]", "(angry)Go. (angry)Go. (angry)Go."),
        ("[emotion:odd]Go. Go.[/emotion]", "Go. Go."),
        ('<mstts:express-as style="angry"><s>Go.</s><s>Go.</s></mstts:express-as> Stay.', "(angry) Go. (angry)Go. Stay."),
    ],
)  # fmt: skip
def test_the_marker_of_an_emotion_stands_before_each_of_its_sentences(written: str, spoken: str) -> None:
    assert parse(written, markers=MARKERS).spoken == spoken
    assert parse(spoken, markers=MARKERS).spoken == spoken


@pytest.mark.parametrize(
    "line", ["[laughs]", "(sighs).", "(beat) [coughs]", "[shouting]!", "(laughs) 🙂", "(long pause)"]
)
@pytest.mark.parametrize("markers", [(), MARKERS], ids=["any engine", "an engine that acts"])
def test_a_line_of_directions_alone_is_refused_with_their_names(line: str, markers: tuple[str, ...]) -> None:
    with pytest.raises(BadText, match=r"only stage directions: [(\[]"):
        parse(line, markers=markers)


@pytest.mark.parametrize(
    ("written", "text"),
    [
        ("[shouting] Get back here!", "Get back here!"),
        ("Wait (long pause) what?", "Wait what?"),
        ("Well (laughs), so be it.", "Well, so be it."),
        ("[(laughs)] Go!", "[] Go!"),
        ("Turn to (see page 3).", "Turn to (see page 3)."),
        ("[pause:1s] Go.", "[pause:1s] Go."),
        ("(sighs)", ""),
    ],
)
def test_a_text_without_its_directions_keeps_everything_else(written: str, text: str) -> None:
    assert without_directions(written) == text


@pytest.mark.parametrize(
    ("written", "spoken"),
    [
        ("[shouting] Get back!", "shouting Get back!"),
        ("Wait (long pause) what?", "Wait long pause what?"),
        ("[pause:1s] (laughs) Go.", "[pause:1s] laughs Go."),
        ("[(laughs)] Go.", "laughs Go."),
    ],
)
def test_directions_can_be_spoken_as_words(written: str, spoken: str) -> None:
    assert with_spoken_directions(written) == spoken
    assert not directions_in(spoken)


def test_a_long_text_of_brackets_is_read_within_a_second(record_property: object) -> None:
    parse("a " + "(laughs" * 700)
    parse("a " + "[" * 4_900)


@pytest.mark.parametrize(
    ("written", "text"),
    [
        ("...Wait (laughs) no. ...Go", "...Wait no. ...Go"),
        ("You fool. (laughs).", "You fool."),
        ("(sighs). Hello", "Hello"),
        ("One  two\n.three (laughs)", "One  two\n.three"),
        ("Go (laughs)... now", "Go... now"),
    ],
)
def test_a_direction_leaves_no_gap_and_no_mark_and_all_else_stays(written: str, text: str) -> None:
    assert without_directions(written) == text
