"""SSML, HTML, entities and the notation of the studio: what is spoken, by which voice, and at which rate."""

import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engines.errors import BadText
from engines.text import open_tags, parse, passages
from engines.text.directions import replaced
from engines.text.markup import without_markup
from tests.engines.text.test_linear import PATTERNS, Read, squares

ESCAPE = re.compile(r"\\u([0-9a-f]{4})")
COPIES = re.compile(r"\{([^{}]*)\*(\d+)\}")
REFUSED = "!"


def _unescaped(text: str) -> str:
    text = ESCAPE.sub(lambda found: chr(int(found[1], 16)), text.replace("\\n", "\n"))
    return COPIES.sub(lambda found: found[1] * int(found[2]), text)


ROWS = [
    (_unescaped(written), spoken, _unescaped(found[0]) if found else "@1")
    for written, spoken, *found in (
        line.split("\t")
        for line in (Path(__file__).parent / "ssml.tsv").read_text("utf-8").splitlines()
        if not line.startswith("# ")
    )
]
IDS = [f"{number}: {row[0][:48]}" for number, row in enumerate(ROWS)]
SPOKEN = [row for row in ROWS if row[1] != REFUSED]
SPOKEN_IDS = [name for name, row in zip(IDS, ROWS, strict=True) if row[1] != REFUSED]


def words(text: str) -> list[str]:
    return re.findall(r"\w+", text)


@pytest.mark.parametrize(("written", "spoken", "found"), SPOKEN, ids=SPOKEN_IDS)
def test_markup_is_performed_or_left_out_and_words_are_spoken(written: str, spoken: str, found: str) -> None:
    assert parse(written).spoken == spoken
    assert parse(spoken).spoken == spoken


@pytest.mark.parametrize(("written", "spoken", "found"), SPOKEN, ids=SPOKEN_IDS)
def test_passages_have_their_voices_and_rates_and_all_words(written: str, spoken: str, found: str) -> None:
    made = passages(written)
    assert " ".join(f"{each.voice.replace(' ', '~')}@{each.rate:g}" for each in made) == found
    assert words(" ".join(parse(each.text).spoken for each in made)) == words(spoken)


@pytest.mark.parametrize("written", [row[0] for row in ROWS if row[1] == REFUSED])
def test_a_text_without_words_and_a_pause_of_a_wrong_length_are_refused(written: str) -> None:
    passages(written)
    with pytest.raises(BadText):
        parse(written)


quick = settings(max_examples=200, deadline=None, database=None)
TAGS = """
<speak> </speak> <p> </p> <s> </s> <voice~name="zed"> </voice> <voice~name='zed'~gender="zed"> <voice>
<prosody~rate="fast"> <prosody~pitch="zed"~rate="50%"> </prosody> <emphasis~level=zed> </emphasis>
<mstts:express-as~style="zed"~role='zed'> </mstts:express-as> <amazon:effect~name="whispered"> </amazon:effect>
<zed:zed~zed="zed"/> <zed~zed="1~>~0"/> </zed> <ZED/> <sub~alias=""> </sub> <say-as~interpret-as="zed"> </say-as>
<phoneme~alphabet="x-sampa"~ph="zEd"> </phoneme> <lang~xml:lang="zed"> </lang> <w> </w> <mark~name="zed"/>
<audio~src="zed.wav"> </audio> <!--~zed~<zed>~--> <?zed~zed="1"?> <!DOCTYPE~zed> <|zed|> <b> </b> <a~href="zed"~zed>
<br> <laugh> <sub~zed="&quot;"> <metadata>zed</metadata> [voice:zed] [/voice] [voice:] [rate:2] [rate:zed] [/rate]
[emotion:zed] [/emotion] (laughs) [LAUGHTER] &nbsp; &#8203;
"""
PIECES = [piece.replace("~", " ") for piece in TAGS.split()]
PLAIN = [
    "gate",
    "Gate",
    "river.",
    "stone,",
    "Wolf!",
    "moon?",
    "a < b",
    "x > y",
    "3 < 5",
    "I <owl> you",
    "**tree**",
    "🙂",
]
BROKEN = """
<!-- --> <![CDATA[ ]]> <break ~time= 1s [pause [voice: [rate: [/ sub ~alias= say-as ~interpret-as= digits &lt &amp; &# ]( <desc>
</
"""
FRAGMENTS = [*"<>[]()/&;:\"'=*|!?-\n \u200b", *(piece.replace("~", " ") for piece in BROKEN.split())]


def spoken_words(text: str) -> list[str]:
    try:
        return words(parse(text).spoken)
    except BadText:
        return []


@quick
@given(st.lists(st.sampled_from(PIECES + PLAIN), max_size=40))
def test_of_whole_tags_in_any_order_all_words_are_spoken_and_nothing_else(pieces: list[str]) -> None:
    text = " ".join(pieces)
    wanted = spoken_words(" ".join(piece for piece in pieces if piece in PLAIN))
    assert spoken_words(text) == wanted
    assert [word for each in passages(text) for word in spoken_words(each.text)] == wanted


@quick
@given(st.lists(st.sampled_from(PIECES + PLAIN + FRAGMENTS), max_size=40), st.sampled_from(["", " "]))
def test_a_text_of_broken_tags_is_read_or_refused(pieces: list[str], gap: str) -> None:
    text = gap.join(pieces)
    spoken_words(text)
    for each in passages(text + open_tags(text)):
        spoken_words(each.text)
    replaced(without_markup(text, pauses=True), ("laughing", "zed"))


READS: dict[str, Read] = {
    "passages": passages,
    "open_tags": open_tags,
    "without_markup": lambda text: without_markup(text, pauses=True),
    "replaced": lambda text: replaced("[emotion:zed]" + text, ("zed", "laughing")),
}
REPEATED = """
<b>x</b> <voice~name="a"> <voice~name="a">One.~ <voice~name="a">One.</voice>~ </voice> <prosody~rate="fast">One.~ <a~b="
<a~b=' <a~b~c~ <a~b=c <a~b="c"~ <sub~alias="x"> <sub~alias="x">One~ <sub~alias="x">One</sub> <!-- <!--~--> --> <desc> </desc>
<desc></desc> <![CDATA[ ]]> <? <!doctype <zed> </zed> <zed></zed> *laughs*~ *a [voice:a] [voice:a]One.~ [voice:a]One.[/voice]~
[/voice] [rate:2]One.~ [rate:2] [emotion:a] [emotion:zed]One.~ [emotion:zed]One.~[/emotion] [emotion:odd]One.~ [pause:1s]
[pause:1s]a <break/> <http:// <a@
"""
SOUPS = [pattern.replace("~", " ") for pattern in REPEATED.split()]


@pytest.mark.long
@pytest.mark.parametrize("read", READS.values(), ids=READS)
def test_ten_thousand_tags_take_at_most_twelve_times_as_long_as_a_thousand(read: Read) -> None:
    assert squares(read, SOUPS, 8_000) == []
    assert squares(read, PATTERNS, 1_000) == []
