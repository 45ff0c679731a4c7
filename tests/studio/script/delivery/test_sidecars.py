"""Subtitles, timings and mouths of a file: golden files, and what their descriptions ask for."""

import json
from itertools import pairwise
from pathlib import Path

import pytest

from studio.ears.vocabulary import TimedWord
from studio.script.checks.wording import typed_words
from studio.script.delivery import Preset
from studio.script.delivery.mouths import LONG_SHAPES_OF, SHAPES, SHAPES_OF, VISEMES, VISEMES_OF, mouth_shapes, visemes
from studio.script.delivery.subtitles import srt
from studio.script.delivery.timing import NamedSpan, moved, spells
from tests.studio.script.delivery.takes import WORDS, delivered, line, word

GOLDEN = Path(__file__).parent / "golden"
ARPABET = "AA AE AH AO AW AY B CH D DH EH ER EY F G HH IH IY JH K L M N NG OW OY P R S SH T TH UH UW V W Y Z ZH"
PHONES = set(ARPABET.split(" "))


@pytest.mark.parametrize("ending", [".srt", ".timings.json", ".visemes.json", ".rhubarb.json", ".rhubarb.tsv"])
def test_sidecars_are_as_they_were_looked_through(ending: str, tmp_path: Path) -> None:
    delivered([line("line")], tmp_path, Preset(template="{id}"))
    assert (tmp_path / f"line{ending}").read_text("utf-8") == (GOLDEN / f"line{ending}").read_text("utf-8")


def test_rhubarbs_two_forms_say_the_same_without_gaps(tmp_path: Path) -> None:
    delivered([line("line")], tmp_path, Preset(template="{id}"))
    answer = json.loads((tmp_path / "line.rhubarb.json").read_text("utf-8"))
    cues = answer["mouthCues"]
    assert answer["metadata"] == {"soundFile": "line.wav", "duration": cues[-1]["end"]}
    assert cues[0]["start"] == 0 and {cue["value"] for cue in cues} <= set(SHAPES)
    assert [cue["end"] for cue in cues[:-1]] == [cue["start"] for cue in cues[1:]]
    *starts, end = [row.split("\t") for row in (tmp_path / "line.rhubarb.tsv").read_text("utf-8").splitlines()]
    assert [(float(start), shape) for start, shape in starts] == [(cue["start"], cue["value"]) for cue in cues]
    assert (float(end[0]), end[1]) == (answer["metadata"]["duration"], "X")


def test_every_phone_has_a_viseme_and_a_mouth() -> None:
    assert PHONES - {"HH"} == set(VISEMES_OF) - {"SIL"} == set(SHAPES_OF) - {"SIL"} and len(PHONES) == 39
    assert {name for names in VISEMES_OF.values() for name in names} == set(VISEMES) and len(VISEMES) == 15
    shown = {name for table in (SHAPES_OF, LONG_SHAPES_OF) for names in table.values() for name in names}
    assert shown == set(SHAPES)


def test_a_diphthong_moves_and_a_breath_looks_like_what_follows() -> None:
    phones = [NamedSpan("HH", 0.0, 0.1), NamedSpan("AY", 0.1, 0.2), NamedSpan("SIL", 0.2, 0.3)]
    assert [(spell.name, round(spell.start_s, 3)) for spell in visemes(phones)] == [
        ("aa", 0.0),
        ("ih", 0.16),
        ("sil", 0.2),
    ]
    assert [spell.name for spell in mouth_shapes([NamedSpan("HH", 0.0, 0.1), NamedSpan("AY", 0.1, 0.4)])] == ["D", "B"]


def test_phones_fill_the_file_and_short_gaps_are_no_pauses() -> None:
    words = (word("a", 0.2, ("AH0", 0.1)), word("b", 0.32, ("B", 0.1)), word("c", 0.6, ("IY1", 0.9)))
    found = spells(words, 1.0)
    assert [spell.name for spell in found] == ["SIL", "AH", "B", "SIL", "IY"]
    assert found[0].start_s == 0 and found[-1].end_s == 1.0
    assert all(a.end_s == b.start_s for a, b in pairwise(found))


def test_words_move_with_the_edges_and_stay_in_the_file() -> None:
    first, *_, last = moved(WORDS, shift_s=-0.15, length_s=0.5)
    assert (first.start_s, round(first.end_s, 3)) == (0.0, 0.18)
    assert last.phones[-1].end_s == 0.5


def test_a_long_line_becomes_subtitles_short_enough_to_read() -> None:
    text = "We hold the gate until the last of them is through, and then we run! " * 3
    words = [word(token, 0.4 * n, ("AA", 0.3)) for n, token in enumerate(text.split())]
    blocks = srt(text, words, 30.0).strip().split("\n\n")
    lines = [block.split("\n")[2:] for block in blocks]
    assert len(blocks) == 3 and all(len(each) == 2 and max(map(len, each)) <= 42 for each in lines)
    assert blocks[0].split("\n")[:2] == ["1", "00:00:00,000 --> 00:00:05,900"]
    assert " ".join(" ".join(each) for each in lines) == text.strip()


def test_an_abbreviation_ends_a_subtitle_only_where_it_ends_the_sentence() -> None:
    text = "At 9 a.m. sharp Dr. Okoro met J. R. Vale. We left at 10 p.m. The gate was shut."
    assert subtitles(text, *text.split()) == [
        "At 9 a.m. sharp Dr. Okoro met J. R. Vale.",
        "We left at 10 p.m.",
        "The gate was shut.",
    ]


def test_a_sentence_without_end_is_cut_by_length_and_time() -> None:
    text = "and on it goes " * 12
    blocks = srt(text, [word(token, 0.2 * n, ("AA", 0.2)) for n, token in enumerate(text.split())], 10.0)
    lines = [block.split("\n")[2:] for block in blocks.strip().split("\n\n")]
    assert [[len(line) for line in each] for each in lines] == [[39, 41], [41, 40], [14]]
    slow = srt(text, [word(token, float(n), ("AA", 1.0)) for n, token in enumerate(text.split())], 50.0)
    assert slow.startswith("1\n00:00:00,000 --> 00:00:07,000\nand on it goes and on it\n\n")


@pytest.mark.parametrize(
    ("ends", "expected"),
    [
        ((0.5, 0.5, 1.0), ["00:00:00,000 --> 00:00:00,500 One. Two.", "00:00:00,500 --> 00:00:01,000 Three."]),
        ((0.0, 0.5, 1.0), ["00:00:00,000 --> 00:00:00,500 One. Two.", "00:00:00,500 --> 00:00:01,000 Three."]),
        ((1.0, 1.0, 1.0), ["00:00:00,000 --> 00:00:01,000 One. Two. Three."]),
        ((0.0, 0.0, 0.0), ["00:00:00,000 --> 00:00:01,000 One. Two. Three."]),
    ],
)
def test_what_would_be_shown_for_no_time_is_read_with_its_neighbour(
    ends: tuple[float, float, float], expected: list[str]
) -> None:
    starts = (0.0, *ends[:2])
    words = [
        TimedWord(word=said, start_s=start_s, end_s=end_s)
        for said, start_s, end_s in zip(("One.", "Two.", "Three."), starts, ends, strict=True)
    ]
    blocks = srt("One. Two. Three.", words, 1.0).strip().split("\n\n")
    assert [" ".join(block.split("\n")[1:]) for block in blocks] == expected


def test_a_line_without_words_is_one_subtitle() -> None:
    assert srt("Run!\n\n2\n00:00 --> 1", (), 3661.5) == "1\n00:00:00,000 --> 01:01:01,500\nRun! 2 00:00 → 1\n\n"


def test_no_mouths_are_made_up_where_no_phones_were_found(tmp_path: Path) -> None:
    report = delivered([line(words=())], tmp_path)
    assert sorted(Path(path).name for path in report.files[0].sidecars) == ["A2_0141_01.srt", "A2_0141_01.timings.json"]


def subtitles(text: str, *written: str, language: str = "en") -> list[str]:
    """The texts of the subtitles of a line with these words, half a second each."""
    words = [TimedWord(word=each, start_s=0.5 * n, end_s=0.5 * n + 0.5) for n, each in enumerate(written)]
    return [" ".join(block.split("\n")[2:]) for block in srt(text, words, 60.0, language).strip().split("\n\n")]


LONG = "and then we run for the river, all of us together, and nobody looks back at the gate again"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Go — Kael'thas! It’s “over”… (truly).", "Go Kael'thas It’s over truly"),
        ("No, no, no! No?", "No no no No"),
        ("It costs $3.50 & 12 km, sir!", "It costs|$3.50|&|12 km|sir"),
        ("...Wait, Lich King — wait.", "Wait|Lich King|wait"),
        ("[shouting] Go! (laughs) Laughs at me. (sighs)", "Go Laughs at me"),
        ("¡Vamos! [pause:1s] Café…", "Vamos Café"),
        ("<b>Kael</b> and **Ann** run.", "Kael and Ann run"),
        (f"Kael'thas, {LONG}. Ann's here!", f"Kael'thas {LONG.replace(',', '')} Ann's here"),
    ],
)
def test_subtitles_are_the_whole_text_with_its_punctuation(text: str, words: str) -> None:
    assert " ".join(subtitles(text, *words.split("|" if "|" in words else " "))) == text


def test_a_subtitle_begins_at_a_sentence_whatever_was_respelled_before_it() -> None:
    assert subtitles("Go, Lich King! (laughs) Run, Ann.", "Go", "Lich King", "Run", "Ann") == [
        "Go, Lich King!",
        "(laughs) Run, Ann.",
    ]


def test_a_text_whose_words_are_not_found_is_whole() -> None:
    assert " ".join(subtitles("One two three.", "uno", "due", "tre")) == "One two three."


@pytest.mark.parametrize(
    ("text", "language", "wanted"),
    [
        ("你好，世界。我们走吧！", "zh-Hant", ["你好，世界。", "我们走吧！"]),
        ("他说。「走吧！」AI 来了。", "zh", ["他说。", "「走吧！」", "AI 来了。"]),
        ("[whisper] こんにちは。", "ja", ["[whisper] こんにちは。"]),
        ("ภาษาไทย ดี", "th", ["ภาษาไทย ดี"]),
        ("Guten Tag. Wie geht es?", "de", ["Guten Tag.", "Wie geht es?"]),
    ],
)
def test_subtitles_of_other_languages_have_the_spaces_of_the_text(text: str, language: str, wanted: list[str]) -> None:
    words = [word.typed for word in typed_words(text, language=language)]
    assert subtitles(text, *words, language=language) == wanted


def test_letters_that_are_spoken_as_one_word_have_no_space_between_them() -> None:
    assert subtitles("他有十二只。", "他", "有", "十二", "只", language="zh") == ["他有十二只。"]


def test_a_file_in_chinese_has_its_text_as_subtitle(tmp_path: Path) -> None:
    words = tuple(word(letter, 0.13 + 0.2 * n) for n, letter in enumerate("你好世界"))
    delivered([line("line", text="你好，世界。", language="zh", words=words)], tmp_path, Preset(template="{id}"))
    assert (tmp_path / "line.srt").read_text("utf-8").splitlines()[2] == "你好，世界。"
