"""Words of the lexicon are spoken as the designer spelled them, and nothing else changes."""

import json
import random
from dataclasses import replace
from pathlib import Path

import pytest

from engines.errors import BadInput
from studio.script.format.lexicon import MAX_RESPELLINGS, BadLexicon, applied, checked, parts
from studio.script.format.script import Respelling
from studio.script.projects import DOCUMENT, Projects

NAMES = (
    "Kael'thas", "Kael", "Vi", "Ahri", "Xin Zhao", "Jin-Sol", "Aurelion Sol", "Ky'rah", "Zyx", "Éowë",
    "Orn", "Ornn", "Mordekai", "Th'rall", "Ilaoi", "Qiyana", "Ur", "Sylas IV", "N'Zoth", "Velkoz",
    "Rek'Sai", "Naafi", "Yuumi", "K7-Drone", "Ñusta", "Søren", "Łucja", "Ixtal", "Zaun", "Bel'Veth",
)  # fmt: skip
LEXICON = [Respelling(word=name, spoken=f"spoken {number}", match_case=True) for number, name in enumerate(NAMES)]
PLAIN = ("hold", "the", "gate", "until", "last", "of", "them", "is", "through", "and", "wait", "for", "my", "sign")


def test_thirty_made_up_names_are_all_replaced() -> None:
    for number, name in enumerate(NAMES):
        assert applied(f"Tell {name}, now: {name}'s gate!", LEXICON, "amber", "en") == (
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
        assert applied(text, LEXICON, "amber", "en") == text


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

    assert applied(text, lexicon, "amber", "en") == spoken


def test_a_part_of_a_word_is_replaced_where_that_is_asked_for() -> None:
    lexicon = [Respelling(word="zaun", spoken="zawn", whole_word=False)]

    assert applied("Zaunite unzaun", lexicon, "amber", "en") == "zawnite unzawn"


def test_a_voice_speaks_its_own_entry_and_no_other_voices() -> None:
    lexicon = [
        Respelling(word="Ahri", spoken="everybody's"),
        Respelling(word="Ahri", spoken="amber's", voice="amber"),
        Respelling(word="Orn", spoken="basil's", voice="basil"),
    ]

    assert applied("Ahri, Orn", lexicon, "amber", "en") == "amber's, Orn"
    assert applied("Ahri, Orn", lexicon, "basil", "en") == "everybody's, basil's"


@pytest.mark.parametrize(
    ("entry", "line", "applies"),
    [
        ("", "de", True),
        ("de", "de", True),
        ("de", "de-AT", True),
        ("de-AT", "de", True),
        ("de-AT", "de-AT", True),
        ("de-AT", "de-CH", False),
        ("zh-TW", "zh-Hant-TW", True),
        ("es-419", "es-ES", False),
        ("de", "en", False),
        ("de-AT", "de-x-at", True),
    ],
)
def test_an_entry_with_a_language_is_used_for_lines_of_this_language_and_region(
    entry: str, line: str, applies: bool
) -> None:
    lexicon = [Respelling(word="Ahri", spoken="AH-ree", language=entry)]

    assert (applied("Ahri", lexicon, "amber", line) == "AH-ree") is applies


def test_the_most_specific_entry_is_used() -> None:
    lexicon = [
        Respelling(word="Ahri", spoken="general"),
        Respelling(word="Ahri", spoken="german", language="de"),
        Respelling(word="Ahri", spoken="austrian", language="de-AT"),
        Respelling(word="Ahri", spoken="amber's", voice="amber"),
        Respelling(word="Ahri", spoken="amber's german", voice="amber", language="de"),
    ]
    lines = [("basil", "en"), ("basil", "de"), ("basil", "de-AT"), ("basil", "de-CH"), ("amber", "en"), ("amber", "de")]

    for entries in (lexicon, lexicon[::-1]):
        assert [applied("Ahri", entries, *line) for line in lines] == [
            *("general", "german", "austrian", "german", "amber's", "amber's german"),
        ]


def test_an_entry_for_a_voice_is_used_where_this_voice_speaks() -> None:
    lexicon = [
        Respelling(word="Kael", spoken="Kull", voice="amber"),
        Respelling(word="Kael", spoken="Kall", voice="basil"),
    ]
    text = "Kael. [voice:Basil]Kael. [voice:amber]Kael.[/voice] Kael.[/voice] Kael."
    assert applied(text, lexicon, "amber", "en") == text.replace("Kael", "{}").format(
        "Kull", "Kall", "Kull", "Kall", "Kull"
    )
    assert applied("[voice:corin]Kael[/voice]", lexicon, "amber", "en") == "[voice:corin]Kael[/voice]"


def test_the_preview_tells_what_was_replaced_and_by_which_entry() -> None:
    ahri = Respelling(word="Ahri", spoken="AH-ree")

    shown = [(part.written, part.spoken, part.respelling) for part in parts("Go, AHRI!", [ahri], "", "en")]

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
        (Respelling(word="Ahri", spoken="ah", language="x-elvish"), "word “Ahri”: language 'x-elvish' is not valid"),
        (Respelling(word="", spoken="ah", language="x-elvish"), "entry 1 of the lexicon has no word"),
        (Respelling(word="Ahri", spoken="ˈaːɹ!", language="de-AT"), r"in the spelling of German \(Austria\)"),
        (Respelling(word="Ahri", spoken="/ari/", language="da"), "not possible for Danish"),
        (
            Respelling(word="Ahri", spoken="/ˈa!/", language="fr"),
            "not IPA; type how the word sounds in the spelling of French",
        ),
        (Respelling(word="Ahri", spoken="AA1 R IY0", language="th"), "not possible for Thai"),
    ],
)
def test_an_entry_that_cannot_be_used_is_refused_with_what_to_do(entry: Respelling, says: str) -> None:
    with pytest.raises(BadInput, match=says):
        checked([entry])


def test_a_word_may_stand_twice_only_for_different_voices_or_languages() -> None:
    first, again = Respelling(word="Ahri", spoken="a"), Respelling(word="AHRI", spoken="b")
    german = Respelling(word="Ahri", spoken="a", voice="amber", language="de")

    with pytest.raises(BadLexicon, match="twice"):
        checked([first, again])
    with pytest.raises(BadLexicon, match="“AHRI” for amber in German is in the lexicon twice"):
        checked([german, replace(german, word="AHRI", language="DE")])
    assert len(checked([first, replace(first, voice="amber"), replace(first, language="de"), german])) == 4


def test_too_many_entries_are_refused() -> None:
    with pytest.raises(BadLexicon, match="at most 2,000"):
        checked([Respelling(word=f"w{number}", spoken="x") for number in range(MAX_RESPELLINGS + 1)])


def test_entries_come_back_composed_and_with_single_spaces() -> None:
    assert checked([Respelling(word=" E\u0301o \n we ", spoken="AY\u200bo\tway")]) == [
        Respelling(word="Éo we", spoken="AYo way")
    ]


def test_the_inside_of_a_tag_stays() -> None:
    lexicon = [Respelling(word="time", spoken="thyme"), Respelling(word="break", spoken="brake")]
    assert applied('Take a break <break time="1s"/> in time.', lexicon, "amber", "en") == (
        'Take a brake <break time="1s"/> in thyme.'
    )


@pytest.mark.parametrize(
    ("typed", "spoken"),
    [("ˈɑːɹi", "ahree"), ("AA1 R IY0", "ahree"), ("{AA1 R IY0}", "ahree"), ("/ari/", "ahree"), ("ari", "ari")],
)
def test_a_pronunciation_is_spelled_with_english_letters(typed: str, spoken: str) -> None:
    for language in ("", "en-GB"):
        assert checked([Respelling(word="Ahri", spoken=typed, language=language)])[0].spoken == spoken


@pytest.mark.parametrize(("language", "spoken"), [("da", "Søren"), ("fr", "ex æquo"), ("el", "χθες"), ("de", "U2")])
def test_letters_of_other_languages_that_are_also_ipa_stay(language: str, spoken: str) -> None:
    assert checked([Respelling(word="Ahri", spoken=spoken, language=language)])[0].spoken == spoken


def test_the_languages_of_entries_come_back_as_tags() -> None:
    given = ("", "auto", "und", "DE_at", "deu")

    assert [checked([Respelling(word="Ahri", spoken="a", language=tag)])[0].language for tag in given] == [
        *("", "", "", "de-AT", "de"),
    ]


def test_a_project_that_was_stored_before_entries_had_a_language_opens_unchanged(tmp_path: Path) -> None:
    entry = Respelling(word="Ahri", spoken="AH-ree", voice="amber")
    made = Projects(tmp_path)
    id = made.create("Act 2").id
    project = made.change(id, lambda project: replace(project, lexicon=(entry,)))
    (path,) = tmp_path.rglob(DOCUMENT)
    stored = json.loads(path.read_text())
    del stored["lexicon"][0]["language"]
    path.write_text(json.dumps(stored))

    assert Projects(tmp_path).get(id) == project
