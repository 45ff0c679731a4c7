"""Word times of delivered lines in several languages, with the real recogniser."""

import json
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest

from engines.types import Audio
from studio.ears.ears import Ears
from studio.script.format.script import LineTake, Respelling
from studio.script.word_alignment import WordAlignment, flags_of_missing_times
from studio.script.written import words_of
from studio.settings import Settings
from tests.engines.metronome import Metronome
from tests.studio.ears import multilingual
from tests.studio.house import evenly, studio_of
from tests.studio.script.delivery.takes import line
from tests.studio.script.test_commands import run
from training.references import RATE_HZ, SHIPPED, read_references


@pytest.fixture(scope="module")
def ears(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ears]:
    """Return ears with a multilingual model."""
    ears = Ears(str(multilingual.write(tmp_path_factory.mktemp("whisper") / "model")))
    yield ears
    ears.close()


@pytest.fixture(scope="module")
def english_ears() -> Iterator[Ears]:
    ears = Ears()
    yield ears
    ears.close()


def clip(name: str) -> tuple[str, Audio]:
    samples, transcript = read_references(SHIPPED)[name]
    return transcript, Audio(samples, RATE_HZ)


def take(text: str, language: str = "") -> LineTake:
    spoken = {"id": "1", "number": 1, "voice": "anna", "engine": "f5", "version": "", "made_from": "", "seed": 0}
    return LineTake(text=text, language=language, duration_s=1.0, **spoken)  # type: ignore[arg-type]


@pytest.mark.long
def test_a_line_in_another_language_has_word_times_with_a_multilingual_recogniser(ears: Ears) -> None:
    text, audio = clip("corin")
    times, german = WordAlignment(ears.align, ears.why_unheard), line(text=text, language="de-AT", audio=lambda: audio)
    assert times.why_unplaceable(german) == ""
    found = times.of(german, words_of(take(text, "de-AT"), text, (), "de-AT"))
    assert [word.word for word in found] == [word.strip(",.!?") for word in text.split()]
    assert all(before.start_s <= after.start_s for before, after in pairwise(found))


def test_word_times_need_a_recogniser_that_knows_the_language(ears: Ears, english_ears: Ears) -> None:
    multilingual, english = (WordAlignment(each.align, each.why_unheard) for each in (ears, english_ears))
    assert multilingual.why_unplaceable(line(language="tlh")) == "speech recognition does not know this language"
    assert "knows only English" in english.why_unplaceable(line(language="de"))
    assert english.why_unplaceable(line(language="en-GB")) == english.why_unplaceable(line()) == ""


def test_a_text_that_does_not_seem_to_be_in_the_stated_language_has_no_word_times(ears: Ears) -> None:
    times = WordAlignment(ears.align, ears.why_unheard)
    assert times.why_unplaceable(line(text="Привет, мир!")) == (
        "the text seems to be Russian, not English; correct the language in the sheet"
    )


def test_no_line_has_word_times_if_the_ears_are_off() -> None:
    off = Ears(on=False)
    assert "STUDIO_EARS=off" in WordAlignment(off.align, off.why_unheard).why_unplaceable(line())


def test_equal_reasons_become_one_sentence() -> None:
    assert flags_of_missing_times(["", "it is off", "no", "it is off"]) == (
        "No word times in 2 files: it is off.",
        "No word times in 1 file: no.",
    )


def test_the_words_of_a_take_are_spoken_in_its_language() -> None:
    words = words_of(take("Es sind 12 km.", "de"), "Es sind 12 km.", (), "de")
    assert [word.spoken[0] for word in words] == ["es", "sind", "zwölf", "kilometer"]
    respelled = (Respelling(word="你好", spoken="您好"),)
    assert [word.typed for word in words_of(take("您好，世界。", "zh"), "你好，世界。", respelled, "zh")][-2:] == [
        "世",
        "界",
    ]


def test_a_delivery_has_word_times_in_several_languages(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    sheet = tmp_path / "act.tsv"
    rows = [
        "id\ttext\tlanguage",
        "L1\tone two\t",
        "L2\tGuten Tag.\tGerman",
        "L3\t你好，世界。\tzh",
        "L4\tПривет, мир.\t",
    ]
    sheet.write_text("\n".join(rows) + "\n", "utf-8")
    with studio_of(tmp_path, Metronome(), settings=Settings(data_dir=tmp_path / "data"), align=evenly) as studio:
        assert run(studio, sheet, "--voice", "anna", "--out", tmp_path / "out", "--set", 'template="{id}"') == 0
    assert "No word times in 1 file: the text seems to be Russian" in capsys.readouterr().err
    words = {
        name: [word["word"] for word in json.loads((tmp_path / "out" / f"{name}.timings.json").read_text())["words"]]
        for name in ("L1", "L2", "L3", "L4")
    }
    assert words == {"L1": ["one", "two"], "L2": ["Guten", "Tag"], "L3": list("你好世界"), "L4": []}
    assert (tmp_path / "out" / "L3.srt").read_text("utf-8").splitlines()[2] == "你好，世界。"
