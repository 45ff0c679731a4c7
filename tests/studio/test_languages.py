"""The language of a text: tags, names, detection, and the way from each door to the engine."""

import base64
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import httpx
import pytest
from websockets.sync.client import connect

from engines.errors import BadSetting
from engines.registry import spec
from engines.types import Request
from studio.champion_format.champion import BadChampion, Champion
from studio.champions.library import Library
from studio.checkpoints import checkpoints
from studio.languages import detect, name_of, read_tag, tag_of, warning
from studio.order import read_order
from studio.order_hash import hashed_values
from studio.settings import Settings
from tests.studio.champions.voices import keep
from tests.studio.house import ENGINE
from tests.studio.programs import Reception, reception_of
from tests.waiting import PATIENCE_S

REFERENCES = Path(__file__).parents[2] / "assets" / "voices" / "references"
PUBLISHED = ("en", "zh", "ja", "de", "fr", "es", "ko", "ar", "ru", "nl", "it", "pl", "pt")  # of openaudio-s1-mini
GERMAN, FRENCH, SWEDISH = (
    "Wir halten das Tor bis zum Morgen.",
    "Où est la clé de la tour ?",
    "Var är nyckeln till tornet?",
)


@pytest.fixture(scope="module")
def polyglot(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Reception]:
    with reception_of(tmp_path_factory.mktemp("polyglot"), languages="en, de, fr, pt-BR") as opened:
        yield opened


@pytest.fixture(scope="module")
def english(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Reception]:
    with reception_of(tmp_path_factory.mktemp("english")) as opened:
        yield opened


def last(reception: Reception) -> Request:
    return list(reception.metronome.requests.values())[-1]


@pytest.mark.parametrize(
    ("sent", "tag"),
    [
        ("de", "de"),
        ("DE", "de"),
        ("pt_br", "pt-BR"),
        ("zh-Hant-tw", "zh-Hant-TW"),
        ("DE-x-Dialect", "de-x-dialect"),
        ("de_at_x_wien", "de-AT-x-wien"),
        ("en-u-ca-gregory", "en-u-ca-gregory"),
        ("zh-hant-x-hk", "zh-Hant-x-hk"),
        ("pt-br-u-nu-latn-x-a", "pt-BR-u-nu-latn-x-a"),
        ("zh-cmn-hans-cn-pinyin", "zh-cmn-Hans-CN-pinyin"),
        ("auto", ""),
        ("Detect", ""),
        ("", ""),
    ],
)
def test_a_tag_is_read_in_any_case_and_form(sent: str, tag: str) -> None:
    assert read_tag(sent) == tag


@pytest.mark.parametrize(
    "sent", ["d", "de!", "german language", "de-", "de-x", "de-u-", "de--x-a", "ö" * 3, "\u212ao", "de-x" + "-a" * 40]
)
def test_an_invalid_tag_is_refused(sent: str) -> None:
    with pytest.raises(BadSetting, match='send a tag such as "de"'):
        read_tag(sent)


@pytest.mark.parametrize(
    ("written", "tag"),
    [
        ("German", "de"), ("deutsch", "de"), ("Français", "fr"), ("中文", "zh"), ("Japanese", "ja"), ("pt-br", "pt-BR"),
        ("de", "de"), ("", ""), ("auto", ""), ("Elvish", None), ("tlh", "tlh"), ("ger", "de"), ("Allemand", "de"),
        ("German (Germany)", "de-DE"), ("Brazilian Portuguese", "pt-BR"), ("Simplified Chinese", "zh-Hans"), ("#N/A", None),
        ("de-x-dialect", "de-x-dialect"), ("XX-x-dialect", None), ("tlh_latn", "tlh-Latn"), ("tlh!", None),
    ],
)  # fmt: skip
def test_a_sheet_names_a_language_by_tag_or_name(written: str, tag: str | None) -> None:
    assert tag_of(written) == tag


def test_a_region_is_part_of_the_name() -> None:
    assert [name_of(tag) for tag in ("de", "pt-BR", "xx")] == ["German", "Portuguese (Brazil)", "xx"]
    assert name_of("zh-Hant-x-hk") == "Chinese (Traditional)"


@pytest.mark.parametrize(
    ("text", "language"),
    [
        (GERMAN, "de"), (FRENCH, "fr"), ("¿Dónde está la llave?", "es"), ("Dov'è la chiave della torre?", "it"),
        ("Não sei onde ele está.", "pt"), ("Gdzie jest klucz?", "pl"), ("Waar is de sleutel?", "nl"), ("Где ключ?", "ru"),
        ("鍵はどこですか。", "ja"), ("열쇠가 어디에 있어요?", "ko"), ("钥匙在哪里？", "zh"), ("أين المفتاح؟", "ar"),
        ("我叫 Peter，请多关照。", "zh"), ("We hold the gate until sunrise.", "en"),
        ("Halt!", "en"), ("No.", "en"), ("Taxi!", "en"), ("Bravo team, move in.", "en"), ("123", "en"), ("", "en"),
    ],
)  # fmt: skip
def test_a_language_of_the_checkpoint_is_detected_and_undecided_texts_are_english(text: str, language: str) -> None:
    assert detect(text, PUBLISHED) == language


def test_only_languages_of_the_checkpoint_are_detected() -> None:
    assert [detect(GERMAN, each) for each in (("en",), ("en", "de-AT"), ("fr", "nl"), ("de",))] == [
        "en",
        "de-AT",
        "nl",
        "de",
    ]


def test_a_warning_names_the_languages_of_the_checkpoint() -> None:
    assert warning("F5-TTS", ("en", "zh"), "zh-TW") == ""
    assert "does not speak German, only English and Chinese;" in warning("F5-TTS", ("en", "zh"), "de-AT")
    assert "only English, Chinese, Japanese and 10 more languages;" in warning("S1-Mini", PUBLISHED, "sv")


def test_english_changes_no_hash_of_an_earlier_take() -> None:
    asked = {"text": "Hold.", "engine": "f5"}
    plain = hashed_values(read_order(asked))
    assert hashed_values(read_order({**asked, "language": "en-GB"})) == plain
    assert hashed_values(read_order({**asked, "language": "de"})) == plain | {"language": "de"}


@pytest.mark.parametrize(
    ("text", "sent", "language", "warned"),
    [
        (GERMAN, "auto", "de", False),
        (FRENCH, "auto", "fr", False),
        (GERMAN, "en-GB", "en-GB", False),
        ("Halt", "de", "de", False),
        (SWEDISH, "sv", "sv", True),
    ],
)
def test_a_program_states_the_language_or_the_studio_detects_it(
    polyglot: Reception, text: str, sent: str, language: str, warned: bool
) -> None:
    answer = polyglot.ask(input=text, language=sent)
    assert answer.status_code == 200, answer.text
    assert (answer.headers["x-language"], last(polyglot).language) == (language, language)
    assert ("does not speak Swedish" in answer.headers.get("x-warning", "")) == warned


@pytest.mark.parametrize("language", ["mi", "nqo", "nb"])
def test_a_warning_about_any_language_fits_into_a_header(polyglot: Reception, language: str) -> None:
    answer = polyglot.ask(language=language)
    assert (answer.status_code, answer.headers["x-warning"].isascii()) == (200, True)


def test_null_is_as_good_as_no_language(polyglot: Reception) -> None:
    game = {"championId": "ahri", "text": GERMAN, "language": None}
    assert httpx.post(f"{polyglot.url}/voice/generate", json=game, timeout=PATIENCE_S).headers["x-language"] == "de"
    with connect(polyglot.url.replace("http", "ws") + "/ws/tts", max_size=None) as socket:
        socket.send(json.dumps({"text": GERMAN, "voice": "ahri", "language": None}))
        while socket.recv() != b"__END__":
            pass
    assert last(polyglot).language == "de"


def test_a_checkpoint_with_one_language_reads_every_undeclared_text_in_it(english: Reception) -> None:
    assert english.ask(input=GERMAN).headers["x-language"] == "en"
    answer = english.ask(input=GERMAN, language="de")
    assert (answer.headers["x-language"], last(english).language) == ("de", "de")
    assert "does not speak German, only English;" in answer.headers["x-warning"]


def test_each_door_takes_a_language(polyglot: Reception) -> None:
    game = {"championId": "ahri", "text": "Halt", "language": "de"}
    assert httpx.post(f"{polyglot.url}/voice/generate", json=game, timeout=PATIENCE_S).headers["x-language"] == "de"
    tensors = [
        {"name": name, "shape": [1], "datatype": "BYTES", "data": [value]}
        for name, value in (("text", "Halt"), ("champion_id", "ahri"), ("language", "fr"))
    ]
    invoked = httpx.post(f"{polyglot.url}/invocations", json={"inputs": tensors}, timeout=PATIENCE_S)
    assert (invoked.headers["x-language"], last(polyglot).language) == ("fr", "fr")
    with connect(polyglot.url.replace("http", "ws") + "/ws/tts", max_size=None) as socket:
        for fields, language in (({"language": "pt-BR"}, "pt-BR"), ({}, "de")):
            socket.send(json.dumps({"text": GERMAN, "voice": "ahri", **fields}))
            while socket.recv() != b"__END__":
                pass
            assert last(polyglot).language == language


def test_a_short_sentence_has_the_language_of_its_line(polyglot: Reception) -> None:
    with connect(polyglot.url.replace("http", "ws") + "/ws/tts", max_size=None) as socket:
        socket.send(json.dumps({"text": f"{GERMAN} ", "voice": "ahri", "more": True}))
        socket.send(json.dumps({"text": "Taxi Berlin Taxi."}))
        while socket.recv() != b"__END__":
            pass
    assert (last(polyglot).text.strip(), last(polyglot).language) == ("Taxi Berlin Taxi.", "de")


def test_the_transcript_of_a_reference_has_its_own_language(polyglot: Reception) -> None:
    sound = (REFERENCES / "amber.flac").read_bytes()
    sent = {"reference_audio": base64.b64encode(sound).decode(), "reference_text": GERMAN, "ignore_report": True}
    answer = polyglot.ask(input="We hold the gate until sunrise.", voice="", **sent)
    assert (answer.status_code, last(polyglot).language, last(polyglot).reference.language) == (200, "en", "de")


def test_the_reference_of_a_take_is_found_after_its_engine_was_removed(polyglot: Reception) -> None:
    order = polyglot.studio.named_voices.order(GERMAN, "ahri", "", {})
    found = [polyglot.studio.speaking.reference(replace(order, engine=engine), "") for engine in (order.engine, "s1")]
    assert found[0].transcript == found[1].transcript
    assert found[1].language == "en"


def test_the_preview_reads_the_text_in_its_language(polyglot: Reception) -> None:
    def preview(**fields: object) -> dict:
        form = {"text": "Ich habe 3 rote Äpfel und 1,5 kg Mehl.", **fields}
        return httpx.post(f"{polyglot.url}/studio/script", json=form, timeout=PATIENCE_S).json()

    german = preview()
    assert (german["language"], german["warning"], german["error"]) == ("German", "", None)
    assert german["spoken"][0]["spoken"] == "Ich habe drei rote Äpfel und eins Komma fünf Kilogramm Mehl."
    assert "three" in preview(language="en")["spoken"][0]["spoken"]
    assert "does not speak Danish" in preview(language="da")["warning"]


def test_a_setting_states_the_languages_of_a_checkpoint(tmp_path: Path) -> None:
    stated = checkpoints(Settings(data_dir=tmp_path, s1_languages="en, de pt-BR"))
    assert spec("s1").languages_of(stated["s1"]) == ("en", "de", "pt-BR")
    assert spec("f5").languages_of(stated["f5"]) == ("en",)
    published = checkpoints(Settings(data_dir=tmp_path, f5_checkpoint="hf://SWivid/F5-TTS"))
    assert spec("f5-original").languages_of(published["f5-original"]) == ("en", "zh")
    with pytest.raises(ValueError, match="language tags"):
        Settings(data_dir=tmp_path, s1_languages="German")


def test_a_language_that_a_voice_usually_speaks_decides_unclear_texts() -> None:
    assert [detect(text, ("en", "de", "fr"), "de") for text in ("Halt", FRENCH, "123")] == ["de", "fr", "de"]
    assert detect("We hold the gate until sunrise.", ("en",), "sv") == "sv"


def test_a_champion_has_a_language_which_its_archive_keeps(polyglot: Reception) -> None:
    champions = Library(polyglot.studio.settings.data_dir)
    keep(champions, id="greta", engine=ENGINE, language="de")
    assert Champion.read(champions.get("greta").champion.metadata(), b"Halt").language == "de"
    for text, language in (("Halt", "de"), (FRENCH, "fr")):
        answer = polyglot.ask(input=text, voice="greta")
        assert (answer.headers["x-language"], last(polyglot).language) == (language, language)
        assert last(polyglot).reference.language == "de"
    with connect(polyglot.url.replace("http", "ws") + "/ws/tts", max_size=None) as socket:
        socket.send(json.dumps({"text": "Halt", "voice": "greta"}))
        while socket.recv() != b"__END__":
            pass
    assert last(polyglot).language == "de"
    form = {"text": "Halt", "champion": "greta"}
    assert httpx.post(f"{polyglot.url}/studio/script", json=form, timeout=PATIENCE_S).json()["language"] == "German"


@pytest.mark.parametrize(("written", "language"), [("pt-br", "pt-BR"), ("German", "de"), ("Elvish", ""), ("", "")])
def test_the_language_in_an_archive_is_a_tag_or_a_name(written: str, language: str) -> None:
    known = json.loads(Champion(id="greta", transcript="Halt").metadata())
    metadata = json.dumps(known | {"language": written}).encode()
    assert Champion.read(metadata, b"Halt").language == language


def test_a_champion_with_an_invalid_language_is_refused() -> None:
    with pytest.raises(BadChampion, match='such as "de"'):
        Champion(id="greta", transcript="Halt", language="Elvish!")
