"""Text: pauses, spoken form, vocabulary, chunks."""

import re
import string
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engines.errors import BadText, UnsupportedText
from engines.text import (
    MAX_CHARACTERS,
    Pause,
    Say,
    SentenceReader,
    Spoken,
    chunks,
    count_syllables,
    estimate_s,
    fit,
    parse,
    split_short_sentences,
    spoken_form,
    unsaid,
    unsupported,
)
from engines.text.abbreviations import SHORT_FORMS, WITHOUT_A_DOT
from engines.text.chunks import PLACES, SHORTEST
from engines.text.quantities import SCALES, UNITS
from engines.text.tempo import ROOM_S
from tests.engines.text.counting import CountedText, Looks

ENGLISH = frozenset(string.ascii_lowercase + " .,!?'-")
quick = settings(max_examples=200, deadline=None, database=None)

SPOKEN = {
    "Your 67% win rate": "Your sixty seven percent win rate",
    "I won 3.": "I won three.",
    "1,234,567 coins": "one million two hundred and thirty four thousand five hundred and sixty seven coins",
    "pi is 3.14": "pi is three point one four",
    "the 1st, 22nd and 103rd": "the first, twenty second and one hundred and third",
    "in 1999": "in nineteen ninety nine",
    "since 2005": "since two thousand and five",
    "in 1492": "in fourteen ninety two",
    "the 1990s": "the nineteen nineties",
    "2026-11-21": "November twenty first, twenty twenty six",
    "3/4/2025": "March fourth, twenty twenty five",
    "31/12/2024": "December thirty first, twenty twenty four",
    "on Nov 21": "on November twenty first",
    "Nov 21st, 2026!": "November twenty first, twenty twenty six!",
    "3:45 pm": "three forty five p m",
    "at 9 a.m. Go": "at nine a m. Go",
    "15:05": "fifteen oh five",
    "12:00": "twelve o'clock",
    "$3.50": "three dollars and fifty cents",
    "$0.99": "ninety nine cents",
    "€20": "twenty euros",
    "£5": "five pounds",
    "$1": "one dollar",
    "$1.5M": "one point five million dollars",
    "20 EUR": "twenty euros",
    "5 km": "five kilometers",
    "1 kg": "one kilogram",
    "20°C": "twenty degrees Celsius",
    "-5°C": "minus five degrees Celsius",
    "10 ms": "ten milliseconds",
    "100 km/h": "one hundred kilometers per hour",
    "levels 3-5": "levels three to five",
    "5-10 km": "five to ten kilometers",
    "2019-2021": "twenty nineteen to twenty twenty one",
    "call 555-0199": "call five five five zero one nine nine",
    "+1 555 010 9999": "plus one five five five zero one zero nine nine nine nine",
    "agent 007": "agent zero zero seven",
    "1/2 and 3/4": "one half and three quarters",
    "2+2=4": "two plus two equals four",
    "10k gold, 2x speed": "ten thousand gold, two times speed",
    "the NPC met NASA": "the N P C met NASA",
    "STOP RIGHT NOW": "STOP RIGHT NOW",
    "R&D @ home": "R and D at home",
    "Dr. Smith and Mr. Jones": "Doctor Smith and Mister Jones",
    "e.g. this": "for example this",
    "in the U.S.A. It": "in the U S A. It",
    "S1 and mp3": "S one and mp three",
    "v1.2.3": "version one point two point three",
    "patch v2.0": "patch version two point zero",
    "10:61": "ten to sixty one",
    "a 16:9 screen": "a sixteen to nine screen",
    "1,00,000": "one hundred thousand",
    "₹12,34,567": "one million two hundred and thirty four thousand five hundred and sixty seven rupees",
    "https://example.com/path?x=1&y=2.": "example dot com slash path question mark x equals one and y equals two.",
    "see www.example.co.uk/a-b_c, now": "see example dot co dot uk slash a dash b underscore c, now",
    "github.com/user/": "github dot com slash user",
    "anna.b@example.com!": "anna dot b at example dot com!",
    "192.168.0.1:80": "one hundred and ninety two point one hundred and sixty eight point zero point one colon eighty",
    "1-800-555-0199": "one eight zero zero five five five zero one nine nine",
    "(555) 010-9999": "five five five zero one zero nine nine nine nine",
    "020 7946 0958": "zero two zero seven nine four six zero nine five eight",
    "3.5/5": "three point five out of five",
    "10/10": "ten out of ten",
    "50/50": "fifty fifty",
    "#1": "number one",
    "№ 7": "number seven",
    "#winning in C#": "hashtag winning in C sharp",
    "50-60%": "fifty to sixty percent",
    "50%-60%": "fifty to sixty percent",
    "$1.2M": "one point two million dollars",
    "$5-10M": "five to ten million dollars",
    "$50-$60": "fifty to sixty dollars",
    "9am-5pm": "nine a m to five p m",
    "20℃": "twenty degrees Celsius",
    "Nice 🙂! ❤️ you 👍🏽": "Nice! you",
    "press 5️⃣": "press five",
    "٣ items": "three items",
}


@pytest.mark.parametrize(("typed", "said"), SPOKEN.items(), ids=list(SPOKEN))
def test_spoken_form(typed, said):
    assert spoken_form(typed) == said


def test_words_that_only_resemble_dates_stay():
    assert spoken_form("you may 5 times march 3 miles") == "you may five times march three miles"
    assert spoken_form("13/14/2025").startswith("thirteen")


@quick
@given(
    st.text(
        alphabet=st.one_of(st.sampled_from("0123456789.,:/-–+%$€£°&@#'\n kmsxMKprdthvw🙂_?=~"), st.characters()),
        max_size=60,
    )
)
def test_a_spoken_form_converts_to_itself(text):
    try:
        script = parse(text)
    except BadText:
        return
    assert parse(script.spoken) == parse(parse(script.spoken).spoken)
    assert parse(script.spoken).spoken == script.spoken


@quick
@given(st.lists(st.text(string.ascii_lowercase, min_size=2, max_size=9), min_size=1, max_size=20), st.data())
def test_no_word_is_ever_lost(words, data):
    marks = data.draw(
        st.lists(
            st.sampled_from([" ", " 7 ", ", ", ". ", "\n", " $5 ", " & ", "! "]),
            min_size=len(words),
            max_size=len(words),
        )
    )
    said = parse("".join(word + mark for word, mark in zip(words, marks, strict=True))).spoken
    heard = iter(re.findall("[a-z]+", said.lower()))
    kept = [
        word for word in words if word not in {*UNITS, *SCALES, *SHORT_FORMS, *WITHOUT_A_DOT.split("|"), "am", "pm"}
    ]  # these characters become others
    assert all(word in heard for word in kept)


@quick
@given(st.text(max_size=200))
def test_any_text_is_parsed_or_refused_with_a_message(text):
    try:
        script = parse(text)
    except BadText as error:
        assert len(str(error)) > 20
        return
    said = "".join(part.spoken for part in script.parts if isinstance(part, Say))
    assert not re.search(r"[0-9\x00-\x1f\u200b]", said)


def test_without_speaking_numbers_words_stay_as_typed():
    assert parse("It costs $5 &c.", speak_numbers=False).spoken == "It costs $5 &c."


# Pauses.


def test_pause_tags_split_the_script():
    script = parse("Welcome. [pause:0.8s] Your 5 wins[PAUSE: 800 ms]now")
    assert script.parts == (
        Say("Welcome.", "Welcome."),
        Pause(0.8),
        Say("Your 5 wins", "Your five wins"),
        Pause(0.8),
        Say("now", "now"),
    )
    assert script.pauses_s == pytest.approx(1.6)


@pytest.mark.parametrize("tag", ["[pause:]", "[pause:1]", "[pause:-1s]", "[pause:1,5s]", "[pause 1s]", "[pause:1s"])
def test_an_invalid_tag_is_named(tag):
    with pytest.raises(BadText, match=re.escape(tag)):
        parse(f"one {tag} two")


@pytest.mark.parametrize("tag", ["[pause:49ms]", "[pause:10.1s]", "[pause:0s]", "[pause:999999s]"])
def test_a_pause_outside_its_bounds_is_named(tag):
    with pytest.raises(BadText, match=r"between 0\.05 s and 10 s"):
        parse(f"one {tag} two")


def test_hundreds_of_pauses_are_refused():
    with pytest.raises(BadText, match="add up to"):
        parse("a" + "[pause:10s]" * 13)


def test_other_brackets_are_text():
    assert parse("so [B] it [paused] goes").spoken == "so [B] it [paused] goes"


# Input.


@pytest.mark.parametrize("text", ["", "  \n\t", "\u200b\u0007", "!!! ...", "[pause:1s]", "🙂"])
def test_a_text_without_words_is_refused(text):
    with pytest.raises(BadText, match="has no words"):
        parse(text)


def test_a_megabyte_is_refused_at_once_with_a_message():
    for text in ("a" * 2**20, "a" + "\u0300\u0323" * 2**19):
        started = time.thread_time()
        with pytest.raises(BadText, match=f"at most {MAX_CHARACTERS:,}"):
            parse(text)
        assert time.thread_time() - started < 0.2


def test_five_thousand_characters_are_read_within_a_second():
    for text in ("word " * 1_000, "1" * 5_000, "1.1" * 1_666, "3:45pm $5 " * 500, "www.a@" * 833, "a.b-" * 1_250):
        started = time.thread_time()
        parse(text)
        assert time.thread_time() - started < 1.0


def test_length_counts_after_composition():
    assert parse("e\u0301 " * 2_500).spoken.startswith("é é")
    with pytest.raises(BadText):
        parse("a" * (MAX_CHARACTERS + 1))


def test_control_and_format_characters_are_removed():
    assert parse("he\u0000l\u200dlo\u202e the\x1b[31mre").spoken == "hello there"


def test_newlines_end_sentences():
    assert parse("First line\r\nsecond line,\n\nthird!\nfourth").spoken == "First line. second line, third! fourth"


def test_an_estimate_counts_words_pauses_and_the_silence_around_them():
    script = parse("a" * 28 + "[pause:2s]")
    assert estimate_s(script) == pytest.approx(2 + 2 + ROOM_S)
    assert estimate_s(script, pace=2.0) == pytest.approx(1 + 2 + ROOM_S)


def test_an_estimate_follows_the_references_pace_as_much_as_the_engine():
    script, slow = parse("a" * 28), Spoken("b" * 14, 4.0)
    kept, half, own = (estimate_s(script, slow, pace_kept=share, own_pace=14.0) for share in (1.0, 0.5, 0.0))
    assert (kept, half, own) == pytest.approx((8 + ROOM_S, 4 + ROOM_S, 2 + ROOM_S))


# Vocabulary.


def test_an_empty_vocabulary_accepts_any_text():
    assert fit("Привет  “мир”", frozenset()) == "Привет “мир”"


def test_text_is_fitted_to_a_small_vocabulary():
    assert fit("Don’t—“go” to the Café… naïve Straße", ENGLISH) == "don't - go to the cafe... naive strasse"


def test_case_and_accents_stay_if_the_vocabulary_has_them():
    assert fit("Café", ENGLISH | set("Cé")) == "Café"


def test_inaudible_signs_are_reported():
    assert unsaid(parse("So [pause:1s] 🙂 (a*b) “yes”, 5% don’t café 🙂→ ok"), ENGLISH) == "🙂*→"
    assert unsaid(parse("a*b 🙂"), frozenset()) == "🙂"
    assert unsupported(parse("Say 门 and Ω, 门"), ENGLISH) == "Ω门"
    assert unsupported(parse("Say 门"), frozenset()) == ""


def test_signs_are_dropped_and_apostrophes_leave_no_space():
    assert fit("a*b_c don’t 🙂 (yes) !", ENGLISH - {"'"}) == "a b c dont yes!"


@pytest.mark.parametrize(
    ("text", "script", "characters"),
    [("да мир", "Cyrillic", "адимр"), ("中 ok", "Chinese characters", "中"), ("5 wins", "digits", "5")],
)
def test_a_script_the_checkpoint_lacks_is_named_with_its_characters(text, script, characters):
    with pytest.raises(UnsupportedText, match=f"{script}.*letters a to z") as caught:
        fit(text, ENGLISH)
    assert caught.value.characters == characters


@quick
@given(st.text(max_size=80))
def test_a_fitted_line_is_within_the_vocabulary(text):
    try:
        fitted = fit(text, ENGLISH)
    except UnsupportedText as error:
        assert set(error.characters) <= set(text)
        return
    assert set(fitted) <= ENGLISH and fit(fitted, ENGLISH) == fitted


# Chunks.


def bare(text: str) -> str:
    return re.sub(r"\s+", "", text)


prose = st.lists(st.text(string.ascii_letters + "'.,!?;-", min_size=1, max_size=14), max_size=120).map(" ".join)


@quick
@given(prose, st.integers(20, 80), st.integers(40, 200))
def test_chunks_lose_nothing_and_cut_no_word(text, first_max, rest_max):
    pieces = chunks(text, first_max, rest_max)
    assert bare("".join(pieces)) == bare(text)
    assert " ".join(pieces).split() == text.split()
    for index, piece in enumerate(pieces):
        limit = max(rest_max if index else first_max, 11 + 1 + 14)  # a short head and one long word stay together
        assert piece and len(piece) <= limit + (12 if piece is pieces[-1] else 0)


@quick
@given(
    st.text(alphabet=st.one_of(st.characters(), st.sampled_from(" .。，中日")), max_size=300),
    st.integers(1, 60),
    st.integers(1, 90),
)
def test_chunks_of_any_text_lose_nothing(text, first_max, rest_max):
    assert bare("".join(chunks(text, first_max, rest_max))) == bare(text)


def test_chunks_end_at_sentences_then_clauses():
    text = "The gate is open now. Run, and do not look back, for the night is long. Go."
    assert chunks(text, 30, 60) == ["The gate is open now.", "Run, and do not look back, for the night is long. Go."]
    assert chunks(text, 30, 30)[1:] == ["Run, and do not look back,", "for the night is long. Go."]


def test_a_tiny_last_chunk_joins_the_one_before():
    assert chunks("This sentence is exactly as long as it may be. No.", 46, 46) == [
        "This sentence is exactly as long as it may be. No."
    ]


def test_initials_do_not_end_a_sentence_and_chinese_is_cut_without_spaces():
    assert chunks("It was written by J. R. R. Tolkien himself", 27, 60)[0] == "It was written by J. R. R."
    assert all(len(piece) <= 40 for piece in chunks("今天天气很好。" * 20, 20, 40)[:-1])


@pytest.mark.parametrize(
    "text",
    [
        "هل أنت بخير اليوم؟|نعم أنا بخير والحمد لله.",
        "یہ ایک بہت لمبا جملہ ہے۔|یہ دوسرا لمبا جملہ ہے۔",
        "यह पहला वाक्य है।|यह दूसरा वाक्य है॥|यह तीसरा वाक्य है।",
        "Սա առաջին նախադասությունն է։|Սա երկրորդ նախադասությունն է։",
        "ይህ የመጀመሪያው ዓረፍተ ነገር ነው።|ይህ ሁለተኛው ዓረፍተ ነገር ነው።",
        "នេះជាប្រយោគទីមួយរបស់យើង។|នេះជាប្រយោគទីពីររបស់យើង។",
        "ဒါဟာ ပထမ ဝါကျ ဖြစ်ပါတယ်။|ဒါဟာ ဒုတိယ ဝါကျ ဖြစ်ပါတယ်။",
        "彼女は静かに「もう帰ります。」|それから部屋を出て行きました。",
        "他大声地对我们所有人说：“快跑！”|然后他就不见了踪影再没回来。",
        "我真的不知道应该怎么办才好……|你能不能过来帮我一下呢？",
        "我真的不知道应该怎么办才好!|你能不能过来帮我一下呢？",
        "彼は『それは本当に本当ですか!?』|と私たちに何度も聞きました。",
        "Er rief laut: „Das ist schön.“| Dann ging er nach Hause.",
        "Он сказал: «Мы приехали домой.»| Потом стало тихо вокруг.",
    ],
)
def test_sentences_end_at_the_stops_of_their_script(text):
    sentences = text.split("|")
    spoken = "".join(sentences)
    assert [part.strip() for part in split_short_sentences(spoken, 80)] == [part.strip() for part in sentences]
    reader = SentenceReader()
    assert "".join(reader.add(character) for character in spoken) + reader.rest() == spoken
    reader = SentenceReader()
    assert reader.add(spoken) == "".join(sentences[:-1])


def test_no_segment_starts_with_a_closing_mark_of_chinese():
    for limit in range(13, 40):
        assert all(
            piece[0] not in "。」，！？"
            for piece in chunks("他说「今天天气很好，我们去公园玩吧！」然后就走了。" * 4, limit)
        )


def test_lines_of_chinese_and_hindi_end_with_their_own_stops():
    assert parse("第一行\n第二行", language="zh").spoken == "第一行。第二行"
    assert parse("पहली पंक्ति\nदूसरी पंक्ति", language="hi").spoken == "पहली पंक्ति। दूसरी पंक्ति"


# Syllables.


def test_syllables_of_everyday_words():
    for word, count in {
        "cat": 1,
        "table": 2,
        "banana": 3,
        "made": 1,
        "wanted": 2,
        "jumped": 1,
        "25": 3,
        "boxes": 2,
    }.items():
        assert count_syllables(word) == count, word
    assert count_syllables("") == 0


# Sentences of arriving text.


def test_each_character_of_arriving_text_is_read_once():
    counted = Looks()
    reader = SentenceReader()
    for piece in [". " * 2_450, *["a"] * 61, "." * 20, *["."] * 100]:
        reader.add(CountedText(piece, counted))
    assert counted.count == 4_900 + 61 + 120


def test_a_sentence_is_complete_once_something_follows_it():
    reader = SentenceReader()
    pieces = ["The gate is ", "open", ".", " Run", "! Go with J", ". R. R. Tolkien.", "”", " Now"]
    assert [reader.add(piece) for piece in pieces] == [
        "", "", "", "The gate is open.", "", "", "", " Run! Go with J. R. R. Tolkien.”",
    ]  # fmt: skip
    assert reader.rest() == " Now"


@quick
@given(
    st.text(alphabet="ab A.!?…\"')。」”中۔ J_\n", max_size=80), st.lists(st.integers(1, 9), min_size=80, max_size=80)
)
def test_arriving_parts_lose_nothing_and_end_at_the_same_sentences(text, lengths):
    reader, at, waits = SentenceReader(), 0, ""
    for length in lengths:
        piece, at = text[at : at + length], at + length
        waits += piece
        ends = [found.end() for found in PLACES[0].finditer(waits) if SHORTEST <= found.end() < len(waits)]
        end = ends[-1] if ends else 0
        assert reader.add(piece) == waits[:end]
        waits = waits[end:]
    assert reader.rest() == waits
