"""Support for clients of other speech servers: aliases, lists of voices, fields without effect, paces out of range."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from websockets.sync.client import connect

from engines.types import Request
from studio.settings import Settings, WrongSettings
from tests.engines.metronome import spec_of
from tests.studio.house import ENGINE
from tests.studio.programs import Reception, reception_of
from tests.studio.test_openai import duration_s
from tests.waiting import PATIENCE_S

ALIASES = {"alloy": "ahri", "tara": "anna", "anna": "ahri", "ghost": "nobody", "tts-1": ENGINE, ENGINE: "s1"}


@pytest.fixture(scope="module")
def reception(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Reception]:
    with reception_of(tmp_path_factory.mktemp("compatibility"), aliases=ALIASES) as opened:
        yield opened


def spoken(reception: Reception) -> Request:
    """Return the newest request of the engine."""
    return list(reception.metronome.requests.values())[-1]


@pytest.mark.parametrize(("alias", "named"), [("alloy", "ahri"), ("tara", "anna")])
def test_an_alias_names_a_champion_or_a_sample(reception: Reception, alias: str, named: str) -> None:
    assert reception.ask(voice=named).status_code == 200
    heard = spoken(reception).reference
    assert reception.ask(voice=alias).status_code == 200
    assert spoken(reception).reference.digest == heard.digest


def test_an_alias_names_a_model_everywhere(reception: Reception) -> None:
    assert reception.ask(model="tts-1").headers["x-engine"] == ENGINE
    assert reception.program.get("/v1/models/tts-1").json()["id"] == ENGINE
    game = {"championId": "alloy", "text": "tick"}
    assert reception.program.post("/voice/generate", json=game).headers["x-engine"] == ENGINE
    with connect(reception.url.replace("http", "ws") + "/ws/tts") as socket:
        socket.send('{"text": "tick", "voice": "alloy", "model": "tts-1"}')
        assert isinstance(socket.recv(PATIENCE_S), bytes)


def test_a_voice_or_engine_takes_precedence_over_an_alias(reception: Reception) -> None:
    assert reception.ask(voice="anna", model=ENGINE).status_code == 200
    assert spoken(reception).reference.transcript == "one two three four five six"


def test_an_alias_without_a_target_is_refused_with_the_requested_name(reception: Reception) -> None:
    answer = reception.ask(voice="ghost")
    assert (answer.status_code, answer.json()["code"]) == (404, "unknown_champion")
    assert answer.json()["detail"].startswith("champion ghost not found; choose a voice from GET /v1/voices")


def test_aliases_are_read_from_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STUDIO_ALIASES", "alloy:amber, tara:delia,tts-1:f5, af_bella+af_sky:basil")
    expected = {"alloy": "amber", "tara": "delia", "tts-1": "f5", "af_bella+af_sky": "basil"}
    assert Settings.load().aliases == expected


@pytest.mark.parametrize("wrong", ["alloy", "alloy:", ":amber", "alloy:alloy", "alloy:amber,alloy:basil"])
def test_aliases_that_name_nothing_or_two_things_are_refused(monkeypatch: pytest.MonkeyPatch, wrong: str) -> None:
    monkeypatch.setenv("STUDIO_ALIASES", wrong)
    with pytest.raises(WrongSettings, match=r"STUDIO_ALIASES: .*alias"):
        Settings.load()


def test_voices_and_models_are_listed_as_other_servers_list_them(reception: Reception) -> None:
    get = reception.program.get
    assert get("/v1/audio/voices").json() == {
        "voices": [{"id": "ahri", "name": "Ahri"}, {"id": "anna", "name": "Anna"}]
    }
    assert get("/v1/audio/voices", params={"legacy": "true"}).json() == {"voices": ["ahri", "anna"]}
    assert get("/v1/audio/models").json() == {"models": [{"id": ENGINE, "name": ENGINE.title()}]}


@pytest.mark.parametrize("path", ["/v1/audio/voices", "/v1/audio/models"])
def test_the_lists_ask_for_a_key_where_keys_are_set(tmp_path: Path, path: str) -> None:
    with reception_of(tmp_path, api_keys="game:0123456789abcdef") as opened:
        assert opened.program.get(path).json()["code"] == "key_needed"


@pytest.mark.parametrize(
    ("fields", "ignored"),
    [
        ({"stream": True}, None),
        ({"stream": False}, None),
        ({"user": "u-7"}, "user"),
        ({"instructions": "Speak like a pirate."}, "instructions"),
        ({"instructions": "Whisper.", "user": "u-7"}, "user, instructions"),
        ({"user": {"id": 7}}, "user"),
        ({"language": "en-US", "instructions": "", "stream_format": None, "user": None, "seed": None}, None),
        ({"language": "en_GB"}, None),
        ({"language": "auto"}, None),
        ({"language": ""}, None),
        ({"language": "de"}, None),
        ({"language": "zh-Hant-TW"}, None),
        ({"response_format": "MP3"}, None),
        ({"response_format": "ogg"}, None),
        ({"voice": {"id": "ahri"}}, None),
        ({"speed": None}, None),
        ({"lexicon": None}, None),
    ],
)
def test_fields_that_clients_send_are_accepted(
    reception: Reception, fields: dict[str, object], ignored: str | None
) -> None:
    answer = reception.ask(**fields)
    assert (answer.status_code, answer.headers.get("x-ignored")) == (200, ignored), answer.text
    assert duration_s(answer.content, "wav") > 0.5


@pytest.mark.parametrize(
    ("fields", "says"),
    [
        ({"language": "de!"}, "language 'de!' is not valid"),
        ({"sped": 2}, "unknown setting 'sped'"),
        ({"speed": "fast"}, '"speed" must be a number'),
        ({"speed": True}, '"speed" must be a number'),
    ],
)
def test_fields_that_would_change_the_take_are_refused(
    reception: Reception, fields: dict[str, object], says: str
) -> None:
    answer = reception.ask(**fields)
    assert (answer.status_code, says in answer.json()["error"]["message"]) == (400, True), answer.text


@pytest.mark.parametrize(
    ("asked", "used", "header"),
    [
        (4.0, 2, "speed=2"),
        (0.25, 0.5, "speed=0.5"),
        (0, 0.5, "speed=0.5"),
        (1e300, 2, "speed=2"),
        (1.25, 1.25, None),
    ],
)
def test_a_pace_out_of_range_is_replaced_by_the_nearest_and_a_header_says_so(
    reception: Reception, asked: float, used: float, header: str | None
) -> None:
    answer = reception.ask(speed=asked)
    assert (answer.status_code, answer.headers.get("x-adjusted")) == (200, header)
    assert spoken(reception).settings["speed"] == used


def test_a_champions_own_pace_stays_where_none_is_asked_for(reception: Reception) -> None:
    answer = reception.ask()
    assert (spoken(reception).settings["speed"], "x-adjusted" in answer.headers) == (1.5, False)


@pytest.mark.parametrize(("asked", "ignored"), [(2.0, "speed"), (1.0, None)])
def test_an_engine_without_a_pace_ignores_it_and_the_header_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, asked: float, ignored: str | None
) -> None:
    monkeypatch.setattr("tests.studio.house.spec_of", lambda name: replace(spec_of(name), settings=()))
    with reception_of(tmp_path) as opened:
        answer = opened.ask(speed=asked, user="u-7")
        assert (answer.status_code, spoken(opened).settings) == (200, {})
        assert answer.headers["x-ignored"] == ", ".join(filter(None, (ignored, "user")))


def test_the_socket_refuses_a_pace_out_of_range_because_it_has_no_headers(reception: Reception) -> None:
    with connect(reception.url.replace("http", "ws") + "/ws/tts") as socket:
        socket.send('{"text": "tick", "voice": "ahri", "speed": 4}')
        assert "speed must be 0.5 to 2" in str(socket.recv(PATIENCE_S))


@pytest.mark.parametrize("method", ["GET", "HEAD"])
@pytest.mark.parametrize("path", ["/health", "/healthz", "/ready"])
def test_health_checks_answer(reception: Reception, method: str, path: str) -> None:
    assert reception.program.request(method, path).status_code == 200


@pytest.mark.parametrize("instructions", ["Whisper.", "Please speak in a whisper", "whispering"])
def test_instructions_that_name_an_emotion_of_the_engine_are_performed(
    reception: Reception, monkeypatch: pytest.MonkeyPatch, instructions: str
) -> None:
    monkeypatch.setattr(reception.metronome, "markers", ("excited", "whispering"))
    reception.ask()  # the studio reads the facts about an engine again when the engine has worked
    answer = reception.ask(instructions=instructions)
    assert (answer.status_code, answer.headers.get("x-ignored")) == (200, None)
    assert answer.headers["x-adjusted"] == "instructions=whispering"
    assert list(reception.metronome.requests.values())[-1].text == "[emotion:whispering]tick tock[/emotion]"
