"""Words of the lexicon are spoken as the designer spelled them, and nothing else changes."""

import random

import pytest

from studio.script.format.lexicon import MAX_RESPELLINGS, BadLexicon, applied, checked, parts
from studio.script.format.script import Respelling

NAMES = (
    "Kael'thas", "Kael", "Vi", "Ahri", "Xin Zhao", "Jin-Sol", "Aurelion Sol", "Ky'rah", "Zyx", "Éowë",
    "Orn", "Ornn", "Mordekai", "Th'rall", "Ilaoi", "Qiyana", "Ur", "Sylas IV", "N'Zoth", "Velkoz",
    "Rek'Sai", "Naafi", "Yuumi", "K7-Drone", "Ñusta", "Søren", "Łucja", "Ixtal", "Zaun", "Bel'Veth",
)  # fmt: skip
LEXICON = [Respelling(word=name, spoken=f"spoken {number}", match_case=True) for number, name in enumerate(NAMES)]
PLAIN = ("hold", "the", "gate", "until", "last", "of", "them", "is", "through", "and", "wait", "for", "my", "sign")


def test_thirty_made_up_names_are_all_replaced() -> None:
    for number, name in enumerate(NAMES):
        assert applied(f"Tell {name}, now: {name}'s gate!", LEXICON, "amber") == (
            f"Tell spoken {number}, now: spoken {number}'s gate!"
        )


def look_alike(name: str, draw: random.Random) -> str:
    """What is not the name, though the name or its letters are in it."""
    return draw.choice(
        (
            f"{name}ian",
            f"un{name}",
            f"{name}7",
            f"{name}_x",
            f"{name}'thul",
            f"d'{name}",
            name.swapcase(),
            f"{name}\u0361",
        )
    )


def test_a_thousand_lines_of_look_alikes_stay_as_they_are() -> None:
    draw = random.Random(7)
    for _ in range(1_000):
        line = draw.choices(PLAIN, k=8)
        line.insert(draw.randrange(8), look_alike(draw.choice([name for name in NAMES if name.isalpha()]), draw))
        text = " ".join(line) + draw.choice(".!?")
        assert applied(text, LEXICON, "amber") == text


@pytest.mark.parametrize(
    ("text", "spoken"),
    [
        ("Kael’thas and KAEL'THAS", "KAYL and KAYL"),  # whichever apostrophe and case
        ("Kael's, Kael’ll, 'Kael'", "kale's, kale’ll, 'kale'"),
        ("Kael'thas's, Kael-born", "KAYL's, kale-born"),
        ("Kael'tha", "Kael'tha"),
        ("Xin  Zhao, Xin", "shin jow, SHIN"),
        ("[pause:0.8s] pause. (sad) sad", "[pause:0.8s] PAWS. (sad) SED"),
        ("[pause:8", "[pause:8"),  # a tag that parsing refuses is not made into words
    ],
)
def test_words_are_found_as_they_are_written_in_scripts(text: str, spoken: str) -> None:
    words = {
        "Kael": "kale",
        "Kael'thas": "KAYL",
        "kale": "twice",
        "Xin": "SHIN",
        "Xin Zhao": "shin jow",
        "pause": "PAWS",
        "sad": "SED",
    }
    lexicon = [Respelling(word=word, spoken=said) for word, said in words.items()]

    assert applied(text, lexicon, "amber") == spoken


def test_a_part_of_a_word_is_replaced_where_that_is_asked_for() -> None:
    lexicon = [Respelling(word="zaun", spoken="zawn", whole_word=False)]

    assert applied("Zaunite unzaun", lexicon, "amber") == "zawnite unzawn"


def test_a_voice_speaks_its_own_entry_and_no_other_voices() -> None:
    lexicon = [
        Respelling(word="Ahri", spoken="everybody's"),
        Respelling(word="Ahri", spoken="amber's", voice="amber"),
        Respelling(word="Orn", spoken="basil's", voice="basil"),
    ]

    assert applied("Ahri, Orn", lexicon, "amber") == "amber's, Orn"
    assert applied("Ahri, Orn", lexicon, "basil") == "everybody's, basil's"


def test_the_preview_tells_what_was_replaced_and_by_which_entry() -> None:
    ahri = Respelling(word="Ahri", spoken="AH-ree")

    shown = [(part.written, part.spoken, part.respelling) for part in parts("Go, AHRI!", [ahri], "")]

    assert shown == [("Go, ", "Go, ", None), ("AHRI", "AH-ree", ahri), ("!", "!", None)]


@pytest.mark.parametrize(
    ("entry", "says"),
    [
        (Respelling(word=" \u200b", spoken="x"), "has no word"),
        (Respelling(word="Ahri", spoken=" "), "has no spoken form"),
        (Respelling(word="A" * 101, spoken="x"), "shorten the word to 100"),
        (Respelling(word="Ahri", spoken="x" * 201), "shorten the spoken form to 200"),
        (Respelling(word="Ahri", spoken="[pause:2s]a"), "brackets"),
        (Respelling(word="Ahri", spoken="ǃkʷɑː"), "in English spelling"),
    ],
)
def test_an_entry_that_cannot_be_used_is_refused_with_what_to_do(entry: Respelling, says: str) -> None:
    with pytest.raises(BadLexicon, match=says):
        checked([entry])


def test_a_word_may_stand_twice_only_for_different_voices() -> None:
    first, again = Respelling(word="Ahri", spoken="a"), Respelling(word="AHRI", spoken="b")

    with pytest.raises(BadLexicon, match="twice"):
        checked([first, again])
    assert len(checked([first, Respelling(word="AHRI", spoken="b", voice="amber")])) == 2


def test_too_many_entries_are_refused() -> None:
    with pytest.raises(BadLexicon, match="at most 2,000"):
        checked([Respelling(word=f"w{number}", spoken="x") for number in range(MAX_RESPELLINGS + 1)])


def test_entries_come_back_composed_and_with_single_spaces() -> None:
    assert checked([Respelling(word=" E\u0301o \n we ", spoken="AY\u200bo\tway")]) == [
        Respelling(word="Éo we", spoken="AYo way")
    ]


def test_the_inside_of_a_tag_stays() -> None:
    lexicon = [Respelling(word="time", spoken="thyme"), Respelling(word="break", spoken="brake")]
    assert applied('Take a break <break time="1s"/> in time.', lexicon, "amber") == (
        'Take a brake <break time="1s"/> in thyme.'
    )


@pytest.mark.parametrize(
    ("typed", "spoken"),
    [("ˈɑːɹi", "ahree"), ("AA1 R IY0", "ahree"), ("{AA1 R IY0}", "ahree"), ("/ari/", "ahree"), ("ari", "ari")],
)
def test_a_pronunciation_is_spelled_with_english_letters(typed: str, spoken: str) -> None:
    assert [each.spoken for each in checked([Respelling(word="Ahri", spoken=typed)])] == [spoken]
