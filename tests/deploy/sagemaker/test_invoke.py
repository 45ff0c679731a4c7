"""`invoke` and the Lambda call a real studio through a SageMaker runtime, with both kinds of bodies."""

import base64
import io
import json
import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
import soundfile

from deploy.sagemaker import proxy
from deploy.sagemaker.commands import main
from tests.browser.serving import ROOT
from tests.deploy.sagemaker.runtime import Answered, Asked, Runtime
from tests.deploy.sagemaker.test_proxy import SOUND, http, in_triton
from tests.studio.programs import CLICK_S, Reception, reception_of
from tests.waiting import PATIENCE_S

TEXT = "tick tock"


@pytest.fixture(scope="module")
def reception(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Reception]:
    with reception_of(tmp_path_factory.mktemp("container")) as opened:
        yield opened


@pytest.fixture
def studio(reception: Reception, runtime: Runtime) -> Reception:
    """Run a studio as the container of the endpoint."""

    def container(asked: Asked) -> Answered:
        headers = {"content-type": asked.media_type}
        answer = httpx.post(f"{reception.url}/invocations", content=asked.body, headers=headers, timeout=PATIENCE_S)
        return Answered(answer.status_code, answer.headers["content-type"], answer.content)

    runtime.container = container
    return reception


@pytest.mark.parametrize("form", [[], ["--binary"]])
def test_a_studio_behind_an_endpoint_speaks_a_line(studio: Reception, tmp_path: Path, form: list[str]) -> None:
    line = tmp_path / "line.wav"
    settings = json.dumps({"seed": 3, "speed": 0.5})
    options = ["-o", str(line), "--settings", settings, "--single", *form]
    assert main(["invoke", "champions", "ahri", TEXT, *options]) == 0
    assert soundfile.info(line).duration == CLICK_S * len(TEXT)
    request = list(studio.metronome.requests.values())[-1]
    assert (request.text, request.seed, request.settings) == (TEXT, 3, {"speed": 0.5})


def test_the_lambda_passes_on_a_studios_answers_and_refusals(
    studio: Reception, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KIND", "single")
    answers = [proxy.handler(http(json.dumps({"championId": id, "text": TEXT})), None) for id in ("ahri", "nobody")]
    sound = io.BytesIO(base64.b64decode(answers[0]["body"]))
    assert soundfile.info(sound).duration == CLICK_S * len(TEXT)
    assert (answers[1]["statusCode"], json.loads(answers[1]["body"])["code"]) == (404, "unknown_champion")


@pytest.mark.parametrize("form", [[], ["--binary"]])
def test_a_multi_model_endpoint_gets_the_champions_archive_as_target(
    runtime: Runtime, tmp_path: Path, form: list[str]
) -> None:
    runtime.container = lambda asked: in_triton(SOUND)
    line = tmp_path / "line.wav"
    assert main(["invoke", "champions", "ahri", TEXT, "-o", str(line), *form]) == 0
    assert (line.read_bytes(), runtime.asked[0].target_model) == (SOUND, "ahri.tar.gz")


def test_the_command_in_the_readme_writes_the_line(
    runtime: Runtime, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (command,) = re.findall(
        r"-m deploy\.sagemaker (invoke .*)", (ROOT / "deploy" / "sagemaker" / "README.md").read_text("utf-8")
    )
    runtime.container = lambda asked: in_triton(SOUND)
    assert main(shlex.split(command)) == 0
    assert Path("line.wav").read_bytes() == SOUND


def test_an_answer_without_audio_is_not_written(
    runtime: Runtime, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    runtime.container = lambda asked: Answered(200, "application/json", b"{}")
    assert main(["invoke", "champions", "ahri", TEXT, "-o", str(tmp_path / "line.wav")]) == 1
    assert ("instead of audio" in capsys.readouterr().err, list(tmp_path.iterdir())) == (True, [])
