"""What a program asks for at `/v1/audio/speech` is spoken by the studio as it is started, and understood."""

import io
import json
import threading
from contextlib import closing
from http.client import HTTPConnection
from pathlib import Path

import httpx
import pytest
import soundfile

from studio.champions.library import Library
from tests.browser.serving import PATIENCE_S, Served, now, serving, until, wait_until_idle
from tests.studio.champions.hearing import understood
from tests.studio.conftest import keep_amber

SPEECH = "/v1/audio/speech"
LINE = "Lock every window in the house."
LONG = " ".join([LINE] * 20)


def wait_until_it_speaks(studio: Served) -> None:
    until(lambda: now(studio)["running"])


@pytest.mark.parametrize("engine", ["f5", "s1"])
def test_each_engine_says_the_line_at_its_own_rate(speaking_studio: Served, engine: str) -> None:
    form = {"input": LINE, "voice": "ahri", "model": engine, "seed": 1}
    answer = httpx.post(speaking_studio.url + SPEECH, json=form, timeout=PATIENCE_S)
    assert (answer.status_code, answer.headers["x-checkpoint"]) == (200, "embedded"), answer.text
    (rate,) = [one["info"]["sample_rate"] for one in speaking_studio.get("/studio/engines") if one["name"] == engine]
    assert soundfile.info(io.BytesIO(answer.content)).samplerate == rate
    assert understood(answer.content) == LINE


def test_a_fine_tuned_champion_speaks_with_its_own_weights(speaking_studio: Served) -> None:
    form = {"input": LINE, "voice": "yasuo", "seed": 1}
    answer = httpx.post(speaking_studio.url + SPEECH, json=form, timeout=PATIENCE_S)
    assert answer.status_code == 200, answer.text
    assert answer.headers["x-checkpoint"].startswith("Yasuo (")
    assert understood(answer.content) == LINE


@pytest.mark.parametrize("engine", ["f5", "s1"])
def test_a_program_that_hangs_up_frees_the_device(speaking_studio: Served, engine: str) -> None:
    form = json.dumps({"input": LONG, "voice": "ahri", "model": engine})
    with closing(HTTPConnection(speaking_studio.url.removeprefix("http://"))) as leaver:
        leaver.request("POST", SPEECH, form, {"content-type": "application/json"})
        wait_until_it_speaks(speaking_studio)
    wait_until_idle(speaking_studio)  # long before it would be said


@pytest.mark.long
def test_what_was_accepted_is_spoken_to_its_end_before_the_studio_leaves(tmp_path: Path) -> None:
    keep_amber(Library(tmp_path), "ahri")
    answers: list[httpx.Response] = []
    with serving(tmp_path, STUDIO_ENGINES="f5") as studio:

        def ask() -> None:
            form = {"input": f"{LINE} {LINE}", "voice": "ahri", "seed": 1}
            answers.append(httpx.post(studio.url + SPEECH, json=form, timeout=PATIENCE_S))

        asking = threading.Thread(target=ask)
        asking.start()
        wait_until_it_speaks(studio)
        studio.process.terminate()
        late = httpx.Response(404)
        while late.status_code != 503:  # until the signal has arrived
            late = httpx.post(studio.url + SPEECH, json={"input": "Yes.", "voice": "nobody"}, timeout=PATIENCE_S)
        asking.join(PATIENCE_S)
        assert studio.process.wait(PATIENCE_S) == 0
    assert (late.status_code, "shutting down" in late.json()["detail"]) == (503, True)
    assert answers[0].status_code == 200
    assert soundfile.info(io.BytesIO(answers[0].content)).duration > 3.0
