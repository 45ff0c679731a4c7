"""What SageMaker asks of a container: `/ping`, `/invocations` with either body, and the socket's own path."""

import io
import json
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
import soundfile
from starlette.applications import Starlette
from starlette.testclient import TestClient
from websockets.sync.client import connect

from studio.api.tensors import BINARY
from studio.web.drain import Drain, DrainMiddleware
from tests.engines.metronome import RATE, Metronome
from tests.studio.house import ENGINE, ready, served, studio_of, web
from tests.studio.programs import CLICK_S, Reception, reception_of
from tests.waiting import PATIENCE_S, until

TEXT = "tick tock"
INVOCATIONS = "/invocations"
KEY = "0123456789abcdef"


@pytest.fixture(scope="module")
def reception(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Reception]:
    with reception_of(tmp_path_factory.mktemp("invocations")) as opened:
        yield opened


def post(reception: Reception, body: bytes, media_type: str = "application/json", **headers: str) -> httpx.Response:
    shown = {"content-type": media_type, **headers}
    return httpx.post(f"{reception.url}{INVOCATIONS}", content=body, headers=shown, timeout=PATIENCE_S)


def tensor(name: str, value: object, datatype: str = "BYTES") -> dict[str, object]:
    return {"name": name, "shape": [1], "datatype": datatype, "data": [value]}


def listed(*tensors: dict[str, object]) -> bytes:
    return json.dumps({"inputs": tensors}).encode()


def packed(**values: tuple[str, bytes]) -> tuple[str, bytes]:
    """The type and the body of the binary form, from datatypes and bytes by name."""
    inputs = [
        {"name": name, "shape": [1], "datatype": datatype, "parameters": {"binary_data_size": len(data)}}
        for name, (datatype, data) in values.items()
    ]
    shown = json.dumps({"inputs": inputs}).encode()
    media_type = f"application/vnd.sagemaker-triton.binary+json;json-header-size={len(shown)}"
    return media_type, shown + b"".join(data for _, data in values.values())


def text(written: str) -> tuple[str, bytes]:
    return "BYTES", struct.pack("<I", len(written.encode())) + written.encode()


def last(reception: Reception) -> tuple[str, int, object]:
    """Text, seed and settings as they reached the engine."""
    request = list(reception.metronome.requests.values())[-1]
    return request.text, request.seed, request.settings


def outputs(answer: httpx.Response) -> dict[str, tuple[str, list[int], list[int]]]:
    """Return datatype, shape and data by name."""
    assert (answer.status_code, answer.headers["content-type"]) == (200, "application/json"), answer.text
    shown = answer.json()["outputs"]
    return {output["name"]: (output["datatype"], output["shape"], output["data"]) for output in shown}


def assert_spoken(answer: httpx.Response) -> None:
    """As tensors."""
    audio, rate = outputs(answer)["audio"], outputs(answer)["sample_rate"]
    samples = round(CLICK_S * RATE) * len(TEXT)
    assert (audio[:2], len(audio[2]), rate) == (("INT16", [samples]), samples, ("INT32", [1], [RATE]))


def behind(answer: httpx.Response) -> tuple[dict[str, Any], bytes]:
    """Return the JSON of a binary answer, and the bytes after it."""
    assert answer.headers["content-type"].startswith(BINARY), answer.text
    size = int(answer.headers["content-type"].removeprefix(BINARY))
    return json.loads(answer.content[:size]), answer.content[size:]


def assert_whole(answer: httpx.Response) -> None:
    assert answer.status_code == 200, answer.text
    info = soundfile.info(io.BytesIO(answer.content))
    assert (answer.headers["content-type"], info.samplerate, info.duration) == (
        "audio/wav",
        RATE,
        CLICK_S * len(TEXT),
    )


def test_a_ping_is_answered_while_an_engine_can_speak(tmp_path: Path) -> None:
    with (
        studio_of(tmp_path, Metronome()) as studio,
        served(web(studio)) as url,
        httpx.Client(base_url=url) as sagemaker,
    ):
        ready(sagemaker)
        assert sagemaker.get("/ping").status_code == 200
        studio.manager.unload(ENGINE)
        until(lambda: studio.manager.status(ENGINE).state == "unloaded")
        answer = sagemaker.get("/ping")
    assert (answer.status_code, answer.json()["code"]) == (503, "not_ready")


def test_tensors_in_json_are_spoken_whole(reception: Reception) -> None:
    body = listed(
        tensor("text", TEXT),
        tensor("champion_id", "ahri"),
        tensor("language", "en"),
        tensor("seed", 3, "INT64"),
        tensor("speed", 0.5, "FP32"),
    )
    assert_spoken(post(reception, body, "application/octet-stream"))
    assert last(reception) == (TEXT, 3, {"speed": 0.5})


SPOKEN = listed(tensor("text", TEXT), tensor("champion_id", "ahri"))


def test_the_samples_of_tensors_are_those_of_the_wav_file(reception: Reception) -> None:
    wav = post(reception, SPOKEN, accept="audio/wav")
    samples, _ = soundfile.read(io.BytesIO(wav.content), dtype="int16")
    assert outputs(post(reception, SPOKEN))["audio"][2] == samples.tolist()


@pytest.mark.parametrize(
    ("accept", "is_wav"),
    [
        ("*/*", False),
        ("application/json", False),
        ("application/json, audio/wav;q=0.5", False),
        ("audio/wav;q=0", False),
        ("audio/wav", True),
        ("Audio/X-WAV", True),
        ("audio/*", True),
        ("audio/wav;codec=1;q=0.9, */*;q=0.1", True),
    ],
)
def test_tensors_are_answered_with_a_wav_file_where_that_is_preferred(
    reception: Reception, accept: str, is_wav: bool
) -> None:
    (assert_whole if is_wav else assert_spoken)(post(reception, SPOKEN, accept=accept))


def test_a_request_in_tensors_names_its_outputs_and_its_id(reception: Reception) -> None:
    body = json.loads(SPOKEN) | {"id": "7", "outputs": [{"name": "sample_rate"}]}
    answer = post(reception, json.dumps(body).encode())
    assert (list(outputs(answer)), answer.json()["id"], answer.json()["model_name"]) == (["sample_rate"], "7", ENGINE)


def test_an_output_in_bytes_follows_the_json(reception: Reception) -> None:
    as_bytes = {"parameters": {"binary_data": True}}
    wanted = [{"name": "sample_rate"}, {"name": "wav", **as_bytes}, {"name": "audio", **as_bytes}]
    shown, sound = behind(post(reception, json.dumps(json.loads(SPOKEN) | {"outputs": wanted}).encode()))
    rate, wav, audio = shown["outputs"]
    assert (rate["data"], [wav["datatype"], wav["shape"]]) == ([RATE], ["BYTES", [1]])
    size = wav["parameters"]["binary_data_size"]
    assert (size, audio["parameters"]["binary_data_size"]) == (4 + struct.unpack("<I", sound[:4])[0], len(sound) - size)
    samples, _ = soundfile.read(io.BytesIO(sound[4:size]), dtype="int16")
    assert sound[size:] == samples.tobytes()


def test_all_outputs_are_in_bytes_where_the_request_says_so(reception: Reception) -> None:
    shown, sound = behind(
        post(reception, json.dumps(json.loads(SPOKEN) | {"parameters": {"binary_data_output": True}}).encode())
    )
    assert [output["parameters"]["binary_data_size"] for output in shown["outputs"]] == [len(sound) - 4, 4]


def test_tensors_with_another_format_or_a_stream_are_answered_with_sound(reception: Reception) -> None:
    for settings, kind in ({"response_format": "pcm"}, "audio/pcm"), ({"stream": True}, "audio/wav"):
        body = json.loads(SPOKEN)["inputs"] + [tensor("settings", json.dumps(settings))]
        answer = post(reception, listed(*body))
        assert (answer.status_code, answer.headers["content-type"]) == (200, kind)


def test_tensors_behind_json_are_spoken_whole(reception: Reception) -> None:
    seed, speed = ("INT64", struct.pack("<q", 4)), ("FP32", struct.pack("<f", 0.5))
    media_type, body = packed(text=text(TEXT), champion_id=text("ahri"), seed=seed, speed=speed)
    assert_spoken(post(reception, body, media_type))
    assert last(reception) == (TEXT, 4, {"speed": 0.5})


def test_settings_are_a_json_object_and_a_tensor_of_the_same_name_counts_more(reception: Reception) -> None:
    settings = json.dumps({"seed": 5, "speed": 0.5})
    said, voice = tensor("text", TEXT), tensor("champion_id", "ahri")
    assert_spoken(post(reception, listed(said, voice, tensor("settings", settings), tensor("seed", 6, "INT32"))))
    assert last(reception) == (TEXT, 6, {"speed": 0.5})


def test_settings_that_are_no_json_are_named_in_the_refusal(reception: Reception) -> None:
    refused = post(reception, listed(tensor("text", TEXT), tensor("champion_id", "ahri"), tensor("settings", "fast")))
    assert (refused.status_code, refused.json()["detail"].startswith("settings is not JSON")) == (400, True)


def test_the_body_of_openais_route_is_spoken_whole_as_wav_unless_asked_otherwise(reception: Reception) -> None:
    asked = {"input": TEXT, "voice": "anna", "seed": 8}
    assert_whole(post(reception, json.dumps(asked).encode()))
    flac = post(reception, json.dumps(asked | {"response_format": "flac"}).encode())
    assert soundfile.info(io.BytesIO(flac.content)).duration == CLICK_S * len(TEXT)
    bare = post(reception, json.dumps(asked | {"response_format": "pcm"}).encode())
    assert (bare.headers["content-type"], len(bare.content) / 2 / 24_000) == ("audio/pcm", CLICK_S * len(TEXT))


@pytest.mark.parametrize("stream", [False, True])
def test_only_what_is_streamed_is_heard_while_it_is_made(reception: Reception, stream: bool) -> None:
    asked = {"input": TEXT, "voice": "ahri", "stream": stream}
    assert post(reception, json.dumps(asked).encode()).status_code == 200
    assert list(reception.metronome.requests.values())[-1].live == stream


def test_a_stream_comes_before_the_last_is_made(reception: Reception) -> None:
    asked = {"input": "x" * 200, "voice": "ahri", "stream": True}
    reception.go.clear()
    reception.let_steps(40)
    try:
        with httpx.stream("POST", f"{reception.url}{INVOCATIONS}", json=asked, timeout=PATIENCE_S) as answer:
            parts = answer.iter_bytes(256)
            heard = next(parts)
            assert reception.studio.manager.queue()
            reception.go.set()
            heard += b"".join(parts)
    finally:
        reception.go.set()
    assert heard[:4] == b"RIFF" and len(heard) == 44 + 200 * CLICK_S * RATE * 2


@pytest.mark.parametrize(
    ("body", "status", "code", "says"),
    [
        (b"nonsense", 400, "bad_tensors", "not JSON"),
        (b"[1]", 400, "bad_tensors", "not a JSON object"),
        (b'{"inputs": 3}', 400, "bad_tensors", "list of objects"),
        (listed({"name": "text", "shape": [2], "datatype": "BYTES", "data": ["a", "b"]}), 400, "bad_tensors", "shape"),
        (listed(tensor("text", TEXT), tensor("text", TEXT)), 400, "bad_tensors", "unique name"),
        (listed(tensor("text", 3)), 400, "bad_tensors", "one value of the datatype"),
        (listed(tensor("seed", "x", "INT64")), 400, "bad_tensors", "one value of the datatype"),
        (json.dumps(json.loads(SPOKEN) | {"outputs": 3}).encode(), 400, "bad_tensors", "list of objects"),
        (json.dumps(json.loads(SPOKEN) | {"outputs": [{"name": "mel"}]}).encode(), 400, "bad_tensors", "'mel'"),
        (json.dumps(json.loads(SPOKEN) | {"outputs": [{"name": "wav"}]}).encode(), 400, "bad_tensors", "binary_data"),
        (listed(tensor("champion_id", "ahri")), 422, "invalid_request", "input"),
        (listed(tensor("text", TEXT), tensor("champion_id", "nobody")), 404, "unknown_champion", ""),
        (listed(tensor("text", TEXT), tensor("champion_id", "ahri"), tensor("language", "d")), 400, "bad_setting", "de"),
        (listed(tensor("text", TEXT), tensor("champion_id", "ahri"), tensor("sped", 1, "FP32")), 400, "bad_setting", "sped"),
        (listed(tensor("text", TEXT), tensor("champion_id", "ahri"), tensor("settings", "[]")), 400, "bad_tensors", "obj"),
    ],
)  # fmt: skip
def test_what_cannot_be_spoken_is_a_problem_document(
    reception: Reception, body: bytes, status: int, code: str, says: str
) -> None:
    answer = post(reception, body)
    shown = answer.json()
    assert (answer.status_code, answer.headers["content-type"]) == (status, "application/problem+json")
    assert (shown["code"], says in shown["detail"]) == (code, True), shown


@pytest.mark.parametrize(
    ("cut", "grown", "says"),
    [(1, 0, "shorter than"), (0, 10**6, "shorter than json-header-size"), (0, -1, "not JSON")],
)
def test_a_binary_body_whose_sizes_do_not_fit_is_refused(reception: Reception, cut: int, grown: int, says: str) -> None:
    media_type, body = packed(champion_id=text("ahri"), text=text(TEXT))
    kind, _, size = media_type.partition("size=")
    answer = post(reception, body[: len(body) - cut], f"{kind}size={int(size) + grown}")
    assert (answer.status_code, says in answer.json()["detail"]) == (400, True), answer.text


def test_bytes_of_another_length_than_they_say_are_refused(reception: Reception) -> None:
    wrong = ("BYTES", struct.pack("<I", 99) + TEXT.encode())
    for tensors in ({"text": wrong}, {"text": ("BYTES", b"\x01")}, {"seed": ("INT64", b"\x01")}):
        media_type, body = packed(**tensors)
        assert "not one value" in post(reception, body, media_type).json()["detail"]


def test_another_sites_page_may_not_invoke(reception: Reception) -> None:
    answer = post(reception, listed(), origin="https://evil.example")
    assert (answer.status_code, answer.json()["code"]) == (403, "foreign_page")


def test_where_keys_are_set_invocations_need_one_too(tmp_path: Path) -> None:
    with reception_of(tmp_path, api_keys=f"game:{KEY}", api_requests_per_minute=1) as opened:
        body = listed(tensor("text", TEXT), tensor("champion_id", "ahri"))
        assert post(opened, body).json()["code"] == "key_needed"
        shown = {"authorization": f"Bearer {KEY}"}
        assert [post(opened, body, **shown).status_code for _ in range(2)] == [200, 429]


@pytest.mark.parametrize("frame", ["text", "binary"])
def test_sagemakers_stream_is_the_sockets_conversation_in_text_or_binary_frames(
    reception: Reception, frame: str
) -> None:
    asked = json.dumps({"text": TEXT, "voice": "ahri"})
    with connect(reception.url.replace("http", "ws") + "/invocations-bidirectional-stream") as socket:
        socket.send(asked if frame == "text" else asked.encode())
        sound = b"".join(iter(lambda: socket.recv(PATIENCE_S), b"__END__"))
        socket.send(b"\xff nonsense" if frame == "binary" else "nonsense")
        problem = json.loads(socket.recv(PATIENCE_S))
    assert (len(sound) / 2 / 24_000, problem["code"]) == (CLICK_S * len(TEXT), "bad_message")


@pytest.mark.parametrize(("path", "status"), [(INVOCATIONS, 503), ("/ping", 503), ("/health", 404)])
def test_a_studio_that_closes_takes_no_more_invocations(path: str, status: int) -> None:
    drain = Drain()
    drain.close()
    application = Starlette()
    application.add_middleware(DrainMiddleware, drain=drain)
    assert TestClient(application).post(path).status_code == status
