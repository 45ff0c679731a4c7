"""Processing a text of any shape takes time proportional to its length, never to its square.

Only this thread's time counts, and the least of several attempts, so that a busy machine fails no test.
"""

import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from engines.errors import BadText
from engines.text import (
    SPOKEN_LANGUAGES,
    SentenceReader,
    Spoken,
    chunks,
    count_syllables,
    directions_in,
    estimate_s,
    fit,
    lasts,
    parse,
    split_short_sentences,
    spoken_form,
    unsaid,
    without_directions,
)
from engines.text.script import Say, Script

Read = Callable[[str], object]
VOCABULARY = frozenset("abcdefghijklmnopqrstuvwxyz .,!?'-")
MOST = 12  # largest ratio of times for a text ten times as long
LEAST_S = 2e-4  # shorter times are not compared
ATTEMPTS = 5
LONGEST_S = (
    0.05  # for 1,000 characters full of numbers, on any processor; 0.003 to 0.015 s on the processors of the gate
)
TABLES = Path(__file__).parent / "languages"
# Every kind of character, and every start of a rule's pattern.
CHARACTERS = list(" \t\n\xa009.,:;/-–—'’\"“()[]{}<>&#@%$€+=*_~`|\\!?…°½²azeAIVXMéßı中。，あ한ж🙂\u0301\u200d\x00")
NUMBERS = [
    "1/",
    "1.",
    "1,",
    "1:",
    "1-",
    "$1",
    "$1.",
    "$1-",
    "1%",
    "1%-",
    "1k",
    "1x",
    "1×1",
    "1/2",
    ",000",
    "1,000",
    "1,00,",
    "1:00",
    "1:00-",
    "9am-",
    "1900-",
    "2024-01-",
    "03/",
    "5'",
    "5'1\"",
    "3-2-",
    "3...",
    "...3",
    "…3",
    "1000000000",
    "0.0",
    "00",
    ".5",
    "-5",
    "+1",
    "5ft.",
    "5km/",
    "/h",
    "/hr",
    "½1",
    "1st",
]
SPACED = """
1 |1 1/2 |1 000 |1:00 pm |5.30 pm |May 5|May 5-|May |1900 |in 1066 |03/05/24 |'80s |1st |IV |Chapter IV |Henry I |Henry
|Mr. |Mr. & |St. |Main St. |Ave. |No. |etc. |J. R. |5'10" |5 ft. |5 km |3-2-1 |10-4 |won 3-1 |call |call 911 |555-0199
|+1 555 |(555) |1111 |CA 90210 |5 > |5 <|<3 |x |AB |A |word |Word. |word, |don't |! |. """
WORDS = "a- a. a_ A. A& AB AB- a@ a@b a@b. a.b www. www.a http:// http://a/ ch. ch.1 e.g. U.S. aA1. 1a. 'a a' a'' .' .\" ed es"
MARKUP = """
(excited)~(excited~( ~(\t~[pause:1s]~[pause:~[pause~[ ~[\t~[a](~[a](b.c)~![~](~<b>~<b~</b>~<break ~<break time="1s"/>
~<a b="~<a b='c' ~<a\t~<!--~<?~&amp;~&amp~&#~&#1;~&lt;~# ~#a~- ~-\t~* ~**~**a** ~__~_a_~``~```\n~> ~>\t~|a~\n|~| a |\n~|-
~-- ~=== ~:D ~:-~([{~]})~…”~。！~\r\n"""
PATTERNS = list(
    dict.fromkeys(
        (
            *(*CHARACTERS, *NUMBERS, *WORDS.split()),
            *SPACED.replace("\n|", " |")[1:].split("|"),
            *MARKUP.replace("\n~", "~")[1:].split("~"),
        )
    )
)
# Starts of the rules of other languages.
STARTS_TEXT = """1 234 |1.234.|1–|1~|1:1 |12:30 Uhr|3. |3. Mai |in der 3. |XIV |Ludwig XIV |Kapitel |1er |1º |1.º |1-й |5 руб. |
2024 г. |в 2024 |z. B. |т. д. |€1,|1,5 Mio. €|+49 |0 30 |(11) |〒1|第1|제1|
1개|1월|2024年|5月3日|1点|ＡＢ|％|1 ½|½|￥|tel. 1 |5 m²|un'|1’000|-1 |＃1|1~2명|のIV世|百分之一-|
godz. 1|w 1. |św. |ore 1.3|St-A|1-1=|1 1/2 a |10€-|5 kg-|1:1:1 |1x |mit 1:|vom 1. bis |od 1 do |$1,000.|€/1"""
OTHER_STARTS = STARTS_TEXT.replace("|\n", "|").split("|")
SLOWEST_STARTS = ["½", "1~2명", "3. Mai ", "1.234.", "1,5 Mio. €", "第1", "a@b.", "www.a", "Ludwig XIV ", "т. д. "]
LANGUAGES = [language for language in SPOKEN_LANGUAGES if language != "en"]
LETTERS = ["a", "e", "é", "'a", "a'", "ed", "es", "中", "한", "ß", "A ", "1", "\t", "word ", "."]


def _fitted(text: str) -> object:
    try:
        return fit(text, VOCABULARY)
    except BadText:
        return None


def _as_pieces(text: str) -> object:
    reader = SentenceReader()
    return [reader.add(text[at : at + 7]) for at in range(0, len(text), 7)]


def _as_script(text: str) -> object:
    script = Script((Say(text, text),), text)
    return script.spoken, unsaid(script, VOCABULARY), estimate_s(script, Spoken(text, 1.0)), lasts(1.0, text, text)


SPLITTING: dict[str, Read] = {
    "directions_in": directions_in,
    "without_directions": without_directions,
    "chunks": lambda text: chunks(text, 48, 120, 240),
    "split short sentences": lambda text: split_short_sentences(text, 20),
    "short chunks": lambda text: chunks(text, 1),
    "SentenceReader": _as_pieces,
}
FITTING: dict[str, Read] = {
    "fit": _fitted,
    "fit to any": lambda text: fit(text, frozenset()),
    "Script": _as_script,
}


def _parsed(text: str) -> object:
    try:
        return parse(f"a {text}")
    except BadText:
        return None


ALL = SPLITTING | FITTING | {"spoken_form": spoken_form, "count_syllables": count_syllables}


def repeated(pattern: str, length: int) -> str:
    return pattern * (length // len(pattern))


def squares(read: Read, patterns: list[str], length: int) -> list[str]:
    """Return the patterns whose repetition takes over twelve times as long at ten times the length."""
    return [pattern for pattern in patterns if grows_with_the_square(read, pattern, length)]


def seconds(read: Read, text: str) -> float:
    began = time.thread_time()
    read(text)
    return time.thread_time() - began


def grows_with_the_square(read: Read, pattern: str, length: int) -> bool:
    """Return True if ten times the length takes over twelve times as long in every attempt."""
    short, long = repeated(pattern, length), repeated(pattern, 10 * length)
    short_s, long_s = seconds(read, short), seconds(read, long)
    for _ in range(ATTEMPTS):
        if long_s <= MOST * max(short_s, LEAST_S):
            return False
        short_s, long_s = max(short_s, seconds(read, short)), min(long_s, seconds(read, long))
    return True


@pytest.mark.parametrize("read", SPLITTING.values(), ids=SPLITTING)
def test_a_text_ten_times_as_long_takes_at_most_twelve_times_as_long(read: Read) -> None:
    assert squares(read, PATTERNS, 1_000) == []


@pytest.mark.parametrize("read", FITTING.values(), ids=FITTING)
def test_fitting_a_text_ten_times_as_long_takes_at_most_twelve_times_as_long(read: Read) -> None:
    assert squares(read, CHARACTERS, 300) == []


@pytest.mark.long
def test_spelling_a_text_ten_times_as_long_takes_at_most_twelve_times_as_long() -> None:
    assert squares(spoken_form, PATTERNS, 250) == []


@pytest.mark.long
@pytest.mark.parametrize("language", LANGUAGES)
def test_spelling_in_any_language_takes_time_in_proportion_to_the_length(language: str) -> None:
    spell = partial(spoken_form, language=language)
    assert squares(spell, OTHER_STARTS, 250) == []
    assert squares(spell, SLOWEST_STARTS, 1_000) == []


@pytest.mark.long
@pytest.mark.parametrize("language", LANGUAGES)
def test_spelling_ten_thousand_characters_in_any_language_takes_at_most_twelve_times_as_long_as_a_tenth(
    language: str,
) -> None:
    assert squares(partial(spoken_form, language=language), [*PATTERNS, *OTHER_STARTS], 1_000) == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_thousand_characters_are_spelled_at_once(language: str) -> None:
    written = [
        line.split("\t")[0] for line in (TABLES / f"{language}.tsv").read_text("utf-8").splitlines() if "\t" in line
    ]
    text = " ".join(written)[:1_000]
    spoken_form(text, language)
    assert min(seconds(partial(spoken_form, language=language), text) for _ in range(ATTEMPTS)) < LONGEST_S


def test_counting_syllables_of_a_text_ten_times_as_long_takes_at_most_twelve_times_as_long() -> None:
    assert squares(count_syllables, LETTERS, 1_000) == []


def test_reading_a_whole_text_takes_at_most_twelve_times_as_long_as_a_tenth() -> None:
    assert squares(_parsed, LETTERS, 480) == []


@pytest.mark.long
@pytest.mark.parametrize("read", ALL.values(), ids=ALL)
def test_a_hundred_thousand_characters_take_at_most_twelve_times_as_long_as_a_tenth(read: Read) -> None:
    assert squares(read, PATTERNS, 10_000) == []


def test_sixty_thousand_tabs_are_read_at_once() -> None:
    assert seconds(spoken_form, "a" + "\t" * 60_000 + "b") < 1.0
