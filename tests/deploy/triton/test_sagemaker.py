"""Archives behind Triton's multi-model front-end for SageMaker, run by `serve`."""

import io
import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import numpy as np
import pytest
import soundfile

from tests.deploy.triton.champions import exported
from tests.deploy.triton.sagemaker import BINARY, Platform, hash_of, wav_in
from tests.deploy.triton.serving import on_linux, served
from tests.deploy.triton.truth import Truth, kill
from tests.studio.archive.archives import files, pack_now, tuned
from tests.studio.champions.hearing import understood
from tests.waiting import until

LINE = "Our base is under attack."
SETTINGS = '{"model": "s1", "seed": 2}'

pytestmark = [on_linux, pytest.mark.long]


@pytest.fixture(scope="module")
def archives(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("exported")
    list(exported(folder, "ahri", "zed", "sona"))
    for name in ("again", "mute", "nameless", "text"):
        shutil.copyfile(folder / "ahri.tar.gz", folder / f"{name}.tar.gz")
    huge = tuned({"model.pt": os.urandom(120_000_000)})
    pack_now(files(folder / "huge", huge), folder / "huge.tar.gz")
    return folder


@pytest.fixture(scope="module")
def platform(tmp_path_factory: pytest.TempPathFactory, archives: Path) -> Iterator[Platform]:
    """Provide a platform: `ahri.tar.gz` is loaded, `sona.tar.gz` was unloaded, others are only unpacked."""
    with served(tmp_path_factory.mktemp("served"), SAGEMAKER_MULTI_MODEL="true") as stack:
        opened = Platform(stack)
        unpacked = {archive.name.partition(".")[0]: opened.unpack(archive) for archive in archives.glob("*.tar.gz")}
        (unpacked["mute"] / "reference.wav").unlink()
        (unpacked["nameless"] / "metadata.json").write_text('{"model_type": "base"}')
        (unpacked["text"] / "reference.wav").write_text("no sound")
        for archive in ("ahri.tar.gz", "sona.tar.gz"):
            assert opened.load(archive).status_code == 200
        assert opened.unload("sona.tar.gz").status_code == 200
        yield opened


def test_a_json_body_returns_samples_of_the_line(platform: Platform) -> None:
    answer = platform.say("ahri.tar.gz", text=LINE, champion_id="ahri", settings=SETTINGS)
    assert answer.status_code == 200, answer.text
    outputs = {output["name"]: output["data"] for output in answer.json()["outputs"]}
    file = io.BytesIO()
    soundfile.write(file, np.array(outputs["audio"], np.int16), outputs["sample_rate"][0], format="WAV")
    assert understood(file.getvalue()) == LINE


def test_a_binary_body_returns_a_wav_file_of_the_line(platform: Platform) -> None:
    sound = wav_in(platform.say_in_bytes("ahri.tar.gz", text=LINE, settings=SETTINGS))
    assert int.from_bytes(sound[40:44], "little") == len(sound) - 44  # a complete file, whose header has its length
    assert understood(sound) == LINE


def test_loaded_archives_are_listed(platform: Platform) -> None:
    """Triton lists models by hash, and gives the address of those without another name."""
    models, of_zed = platform.stack.public, hash_of("zed.tar.gz")
    body = {"model_name": of_zed, "url": f"/opt/ml/models/{of_zed}/model"}
    assert models.post("/models", json=body).status_code == 200
    listed = models.get("/models").json()["models"]
    assert (len(listed), [one for one in listed if one]) == (
        2,
        [{"modelName": of_zed, "modelUrl": f"/opt/ml/models/{of_zed}"}],
    )
    assert models.delete(f"/models/{of_zed}").status_code == 200


REFUSALS: dict[str, tuple[int, str, Callable[[Platform], httpx.Response]]] = {
    "loaded already": (409, "", lambda at: at.load("ahri.tar.gz")),
    "load what was not unpacked": (400, "", lambda at: at.load("nobody.tar.gz")),
    "load without a place": (400, "", lambda at: at.stack.public.post("/models", json={"model_name": "x"})),
    "load without a reference": (400, "lacks reference.wav", lambda at: at.load("mute.tar.gz")),
    "load without an id": (400, 'holds no \\"champion_id\\"', lambda at: at.load("nameless.tar.gz")),
    "load what is no sound": (400, "reference.wav", lambda at: at.load("text.tar.gz")),
    "load what the disk cannot hold": (507, "No space left on device", lambda at: at.load("huge.tar.gz")),
    "get what is not loaded": (404, "", lambda at: at.get("zed.tar.gz")),
    "unload what is not loaded": (404, "", lambda at: at.unload("zed.tar.gz")),
    "unload again": (404, "", lambda at: at.unload("sona.tar.gz")),
    "invoke what is not loaded": (404, "", lambda at: at.say("zed.tar.gz", text=LINE)),
    "invoke what was unloaded": (404, "", lambda at: at.say("sona.tar.gz", text=LINE)),
    "invoke by no JSON": (400, "", lambda at: at.invoke("ahri.tar.gz", b"Our base")),
    "more JSON than there is": (400, "", lambda at: at.invoke("ahri.tar.gz", b"{}", f"{BINARY}99")),
    "an input there is not": (400, "pitch", lambda at: at.say("ahri.tar.gz", text=LINE, pitch="high")),
    "no text": (400, "text", lambda at: at.say("ahri.tar.gz", champion_id="ahri")),
    "nothing to say": (400, "answered 400", lambda at: at.say("ahri.tar.gz", text=" ")),
    "another champion": (400, "speaks as ahri", lambda at: at.say("ahri.tar.gz", text=LINE, champion_id="zed")),
    "an invalid language": (400, "not valid", lambda at: at.say("ahri.tar.gz", text=LINE, language="f")),
    "settings of no names": (400, "must be a JSON object", lambda at: at.say("ahri.tar.gz", text=LINE, settings="[1]")),
    "a setting there is not": (400, "no 'pitch'", lambda at: at.say("ahri.tar.gz", text=LINE, settings='{"pitch": 1}')),
    "a setting too high": (400, "0.3 to 2.5", lambda at: at.say("ahri.tar.gz", text=LINE, settings='{"speed": 99}')),
    "an engine there is not": (
        400,
        "unknown engine",
        lambda at: at.say("ahri.tar.gz", text=LINE, settings='{"model": "x"}'),
    ),
}


@pytest.mark.parametrize("case", REFUSALS)
def test_a_failure_has_its_code_and_its_reason(platform: Platform, case: str) -> None:
    status, says, ask = REFUSALS[case]
    answer = ask(platform)
    assert (answer.status_code, says in answer.text) == (status, True), answer.text


def test_an_archive_is_in_the_studio_only_while_it_is_loaded(platform: Platform) -> None:
    for _ in range(2):
        assert platform.load("zed.tar.gz").status_code == 200
        assert platform.get("zed.tar.gz").status_code == 200
        assert "zed" in known(platform)
        assert understood(wav_in(platform.say_in_bytes("zed.tar.gz", text=LINE, settings=SETTINGS))) == LINE
        assert platform.unload("zed.tar.gz").status_code == 200
        assert "zed" not in known(platform)


def test_an_earlier_champion_of_the_studio_stays_after_unloading(platform: Platform, archives: Path) -> None:
    imported(platform, archives / "sona.tar.gz")
    assert platform.load("sona.tar.gz").status_code == 200
    assert platform.unload("sona.tar.gz").status_code == 200
    assert "sona" in known(platform)


def test_another_version_of_a_champion_does_not_replace_the_existing_one(platform: Platform, archives: Path) -> None:
    imported(platform, archives / "sona.tar.gz", as_id="zed")
    assert platform.load("zed.tar.gz").status_code == 200
    (own,) = [id for id in known(platform) if id.startswith("zed-")]
    assert understood(wav_in(platform.say_in_bytes("zed.tar.gz", text=LINE, settings=SETTINGS))) == LINE
    assert platform.unload("zed.tar.gz").status_code == 200
    assert (own in known(platform), "zed" in known(platform)) == (False, True)


def test_two_archives_of_one_champion_do_not_need_each_other(platform: Platform) -> None:
    assert platform.load("again.tar.gz").status_code == 200
    assert platform.unload("ahri.tar.gz").status_code == 200
    assert understood(wav_in(platform.say_in_bytes("again.tar.gz", text=LINE, settings=SETTINGS))) == LINE
    assert platform.load("ahri.tar.gz").status_code == 200
    assert platform.unload("again.tar.gz").status_code == 200


def test_a_killed_studio_restarts_by_itself_and_ping_reports_its_absence(platform: Platform) -> None:
    stack = platform.stack
    with Truth(stack) as truth:
        kill(stack)
        answer = platform.say("ahri.tar.gz", text=LINE)
        until(lambda: not stack.is_ready())
        until(stack.is_ready)
    assert (answer.status_code, "send the request again in a few seconds" in answer.text) == (400, True), answer.text
    assert truth.longest_lie_s < 1.0
    stack.wait_until_loaded()
    assert understood(wav_in(platform.say_in_bytes("ahri.tar.gz", text=LINE, settings=SETTINGS))) == LINE


def known(platform: Platform) -> set[str]:
    return {champion["id"] for champion in platform.stack.studio.get("/studio/champions").json()}


def imported(platform: Platform, archive: Path, **how: str) -> None:
    studio = platform.stack.studio
    job = studio.post("/studio/champions/import", params=how, content=archive.read_bytes()).json()
    until(lambda: studio.get(f"/studio/jobs/{job['id']}").json()["state"] == "done")
