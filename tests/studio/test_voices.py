"""A clip becomes a champion over HTTP, and a program speaks once with a clip that is not kept."""

import base64
from collections.abc import Iterator
from pathlib import Path

import httpx
import numpy as np
import pytest
import soundfile

from tests.studio.house import ENGINE, SAMPLE_RATE, speechlike, write_clip
from tests.studio.programs import Reception, reception_of

SHIPPED = Path(__file__).parents[2] / "assets" / "voices" / "references"
SAID = "one two three, four five six."


@pytest.fixture(scope="module")
def reception(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Reception]:
    with reception_of(tmp_path_factory.mktemp("voices")) as opened:
        yield opened


@pytest.fixture
def clip(tmp_path: Path) -> bytes:
    return write_clip(tmp_path / "clip.wav").read_bytes()


def keep(program: httpx.Client, sound: bytes, **fields: str) -> httpx.Response:
    form = {"transcript": SAID, "name": "Zed (calm)"} | fields
    return program.post("/v1/voices", files={"file": ("zed.wav", sound)}, data=form)


def test_a_clip_and_its_transcript_become_a_champion_that_speaks(reception: Reception, clip: bytes) -> None:
    answer = keep(reception.program, clip)
    assert answer.status_code == 201, answer.text
    assert answer.json() == {
        "id": "zed-calm",
        "object": "voice",
        "name": "Zed (calm)",
        "kind": "champion",
        "model": ENGINE,
        "transcript": SAID,
        "transcript_source": "given",
    }
    assert "zed-calm" in [voice["id"] for voice in reception.program.get("/v1/voices").json()["data"]]
    assert reception.ask(voice="zed-calm").status_code == 200
    heard = list(reception.metronome.requests.values())[-1].reference
    assert (heard.transcript, heard.audio.duration_s) == (SAID, 4.0)


def test_without_a_name_it_has_the_files_and_an_id_of_its_own(reception: Reception, clip: bytes) -> None:
    assert [keep(reception.program, clip, name="").json()["id"] for _ in range(2)] == ["zed", "zed-2"]


def test_an_id_that_is_taken_is_refused(reception: Reception, clip: bytes) -> None:
    answer = keep(reception.program, clip, id="ahri")
    assert (answer.status_code, answer.json()["code"]) == (409, "champion_conflict")


@pytest.mark.parametrize(
    ("fields", "status", "says"),
    [
        ({"transcript": " "}, 400, "type exactly the words"),
        ({"id": "No Spaces"}, 400, "1 to 64 characters"),
        ({"model": "tts-1"}, 404, "unknown engine"),
        ({"pitch": "2"}, 422, "pitch"),
    ],
)
def test_what_cannot_become_a_champion_is_refused_in_words(
    reception: Reception, clip: bytes, fields: dict[str, str], status: int, says: str
) -> None:
    before = reception.program.get("/v1/voices").text
    answer = keep(reception.program, clip, **fields)
    assert (answer.status_code, says in answer.json()["detail"]) == (status, True), answer.text
    assert reception.program.get("/v1/voices").text == before


def test_sound_that_no_engine_can_use_is_refused_in_words(reception: Reception, tmp_path: Path) -> None:
    for name, samples in {"silent": np.zeros(3 * SAMPLE_RATE), "long": speechlike(12)}.items():
        soundfile.write(tmp_path / name, samples, SAMPLE_RATE, format="WAV")
    silent, long = ((tmp_path / name).read_bytes() for name in ("silent", "long"))
    for says, sound in {"No voice found": silent, "uses at most 10 s": long, "not audio": b"text"}.items():
        answer = keep(reception.program, sound, transcript=f"{SAID} " * 3)
        assert (answer.status_code, says in answer.json()["detail"]) == (400, True), answer.text


def test_only_the_owner_keeps_voices(tmp_path: Path, clip: bytes) -> None:
    with reception_of(tmp_path, login="ann:s3cret-pass") as opened:
        assert keep(opened.program, clip).status_code == 401
        opened.program.auth = ("ann", "s3cret-pass")
        assert keep(opened.program, clip).status_code == 201


def test_a_program_speaks_once_with_a_clip_of_its_own_and_nothing_is_kept(reception: Reception, clip: bytes) -> None:
    before = sorted(reception.studio.settings.data_dir.rglob("*.wav"))
    sent = {"reference_audio": base64.b64encode(clip).decode(), "reference_text": SAID}
    assert reception.ask(voice="", **sent).status_code == 200
    assert list(reception.metronome.requests.values())[-1].reference.transcript == SAID
    assert sorted(reception.studio.settings.data_dir.rglob("*.wav")) == before


@pytest.mark.parametrize(
    ("fields", "says"),
    [
        ({"voice": ""}, 'send either "voice", or "reference_audio"'),
        ({"reference_audio": "UklGRg=="}, 'send either "voice"'),
        ({"voice": "", "reference_audio": "ä", "reference_text": SAID}, "not base64"),
        ({"voice": "", "reference_audio": "dGV4dA==", "reference_text": SAID}, "not audio"),
    ],
)
def test_a_voice_that_is_missing_doubled_or_broken_is_refused(
    reception: Reception, fields: dict[str, str], says: str
) -> None:
    answer = reception.ask(**fields)
    assert (answer.status_code, says in answer.json()["detail"]) == (400, True), answer.text


def test_a_clip_without_a_transcript_is_transcribed(reception: Reception) -> None:
    edgar = (SHIPPED / "edgar.flac").read_bytes()
    answer = keep(reception.program, edgar, transcript="", name="Edgar")
    said = "All systems are ready, Captain. We can leave the harbor as soon as you give the order."
    assert (answer.status_code, answer.json()["transcript_source"]) == (201, "recognised"), answer.text
    assert answer.json()["transcript"] == said
    assert reception.ask(voice=answer.json()["id"]).status_code == 200
    assert list(reception.metronome.requests.values())[-1].reference.transcript == said


def test_a_clip_without_a_voice_or_a_transcript_is_refused(reception: Reception, tmp_path: Path) -> None:
    soundfile.write(tmp_path / "silent.wav", np.zeros(3 * SAMPLE_RATE), SAMPLE_RATE)
    answer = keep(reception.program, (tmp_path / "silent.wav").read_bytes(), transcript="")
    assert (answer.status_code, "No voice found" in answer.json()["detail"]) == (400, True)


def test_a_clip_needs_a_transcript_if_the_ears_are_off(tmp_path: Path, clip: bytes) -> None:
    with reception_of(tmp_path, ears=False) as opened:
        assert keep(opened.program, clip).status_code == 201
        answer = keep(opened.program, clip, transcript="")
    assert (answer.status_code, answer.json()["code"]) == (503, "ears_off")


def test_the_description_says_that_a_voice_is_sent_as_multipart(reception: Reception) -> None:
    route = reception.program.get("/openapi.json").json()["paths"]["/v1/voices"]["post"]
    assert set(route["requestBody"]["content"]) == {"multipart/form-data"}
