"""A multilingual recogniser hears takes in other languages; an English one says why it does not."""

from pathlib import Path

import pytest

from engines.types import Audio
from studio.ears.captions import fits, segments
from studio.ears.ears import Ears
from studio.ears.listening import transcribe
from studio.ears.models import Models
from studio.ears.spoken import join_words, spoken_as, written_words
from studio.ears.vocabulary import HeardWord, Transcript
from studio.hearing.heard_take import hear_take
from studio.script.checks.wording import is_bark, typed_words
from tests.studio.ears import multilingual
from training.references import RATE_HZ, SHIPPED, read_references


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return multilingual.write(tmp_path_factory.mktemp("whisper") / "model")


@pytest.fixture(scope="module")
def models(folder: Path) -> Models:
    return Models(str(folder))


def clip(name: str) -> tuple[str, Audio]:
    samples, transcript = read_references(SHIPPED)[name]
    return transcript, Audio(samples, RATE_HZ)


def test_an_english_recogniser_says_how_to_check_other_languages() -> None:
    text, audio = clip("amber")
    models = Models()
    found = hear_take(models, text, audio, "de-AT")
    assert found["complete"] is None
    assert "knows only English" in found["message"] and "STUDIO_RECOGNIZER" in found["message"]
    assert models._recogniser is None  # a model that is not used is not loaded


def test_a_take_without_a_language_is_english(models: Models) -> None:
    text, audio = clip("amber")
    assert hear_take(Models(), text, audio, "")["complete"] is True
    assert hear_take(models, text, audio, "")["complete"] is True


def test_lines_without_spaces_stay_without_spaces() -> None:
    words = [
        HeardWord(text=word, start_s=at, end_s=at + 0.5, confidence=1.0)
        for at, word in enumerate(written_words("你好，世界。", "zh"))
    ]
    assert Transcript(words=tuple(words), language="zh").text == "你好，世界。"
    assert [one.text for one in segments(words)] == ["你好，世界。"]
    assert join_words(["AI", "世", "界。", "Good", "day."]) == "AI 世界。 Good day."
    assert fits("你" * 80) and not fits("你" * 90)


def test_a_short_line_has_few_words_or_letters() -> None:
    assert is_bark("你好世界", "zh") and not is_bark("你好世界今天天气很好", "zh")
    assert is_bark("Los, los!", "de") and not is_bark("Wir gehen jetzt los.", "de")


def test_languages_have_other_names_in_whisper(models: Models) -> None:
    assert all(models.knows(tag) for tag in ("en-GB", "de", "pt-BR", "zh-Hant", "nb", "he", "fil"))
    assert models.why_unheard("tlh") == "speech recognition does not know this language"


@pytest.mark.parametrize(("language", "number"), [("en", "thirty"), ("de", "dreißig"), ("fr", "trente")])
def test_numbers_are_transcribed_as_they_are_spoken(models: Models, language: str, number: str) -> None:
    _, audio = clip("basil")
    found = transcribe(models, audio, language)
    assert found.language == language
    assert f"gate for {number} winters" in found.text


def test_a_take_is_compared_by_letters(models: Models) -> None:
    text, audio = clip("amber")
    found = hear_take(models, text, audio, "de")
    assert found["complete"] is True and found["message"] == ""
    starts = [word["start_s"] for word in found["words"]]
    assert [word["word"] for word in found["words"]] == [word.strip(",.") for word in text.split()]
    assert starts == sorted(starts) and 0 <= starts[0] < starts[-1] < audio.duration_s


@pytest.mark.parametrize(
    ("old", "new", "kind", "word"),
    [
        ("the studio", "the Schmetterling studio", "missing", "Schmetterling"),
        ("studio", "Schmetterling", "misheard", "Schmetterling"),
        ("Give me a line, and", "Give me", "added", "line"),
    ],
)
def test_wrong_words_are_found(models: Models, old: str, new: str, kind: str, word: str) -> None:
    text, audio = clip("amber")
    found = hear_take(models, text.replace(old, new), audio, "de")
    assert found["complete"] is False
    assert word in [one["word"] for one in found[kind]]


def test_the_process_of_the_ears_uses_the_model(folder: Path) -> None:
    ears = Ears(str(folder))
    text, audio = clip("corin")
    words = typed_words(text, language="fr")
    try:
        assert ears.why_unheard("fr") == ""
        found = ears.align(audio, words, "fr")
        assert [word.word for word in found] == [word.typed for word in words]
        assert not any(word.phones for word in found)
    finally:
        ears.close()


@pytest.mark.parametrize(
    ("text", "language", "wanted"),
    [
        ("Um 12 Uhr, 3,5 km!", "de", ["um", "zwölf", "uhr", "drei", "komma", "fünf", "kilometer"]),
        ("L’homme a 80 ans.", "fr", ["l", "homme", "a", "quatre", "vingts", "ans"]),
        ("你好,AI世界。", "zh", ["你", "好", "a", "i", "世", "界"]),
        ("नमस्ते दुनिया।", "hi", ["नमस्ते", "दुनिया"]),
        ("Привет, мир!", "ru", ["привет", "мир"]),
        ("ภาษาไทย", "th", ["ภ", "า", "ษ", "า", "ไ", "ท", "ย"]),
    ],
)
def test_texts_are_divided_into_spoken_words(text: str, language: str, wanted: list[str]) -> None:
    assert spoken_as(text, language) == wanted


def test_written_words_keep_their_spoken_words() -> None:
    assert [(word.typed, word.spoken) for word in typed_words("Es sind 12 km bis Köln.", language="de")] == [
        ("Es", ("es",)),
        ("sind", ("sind",)),
        ("12", ("zwölf",)),
        ("km", ("kilometer",)),
        ("bis", ("bis",)),
        ("Köln", ("köln",)),
    ]
    assert [word.typed for word in typed_words("你好，世界。", language="zh")] == ["你", "好", "世", "界"]
    assert written_words("你好，AI 世界。", "zh") == ["你", "好，", "AI", "世", "界。"]
