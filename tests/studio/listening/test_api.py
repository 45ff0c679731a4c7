"""Trials over a real server: what two browsers are given, and what they are refused."""

import io
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import pyloudnorm
import pytest
import soundfile

from studio.studio import Studio
from studio.web.session import COOKIE, session_id_of
from tests.engines.metronome import Metronome
from tests.studio.house import served, studio_of, web
from tests.studio.listening.takes import keep, sound


@dataclass
class Visit:
    studio: Studio
    ann: httpx.Client
    bob: httpx.Client

    def takes(self) -> tuple[str, str]:
        """Two of ann's, of two arms and two rates, the second four times as loud."""
        self.ann.get("/health")
        session_id, history = session_id_of(self.ann.cookies[COOKIE]), self.studio.history
        one = keep(history, session_id, engine="sycamore", checkpoint="chestnut", seed=31337)
        louder = sound(rate=44_100, gain=4.0, seed=2)
        other = keep(history, session_id, engine="hornbeam", checkpoint="samara", seed=27182, audio=louder)
        return one.id, other.id

    def open(self) -> dict[str, Any]:
        one, other = self.takes()
        return answered(self.ann.post("/studio/trials", json={"take_a": one, "take_b": other}))["trial"]


def answered(answer: httpx.Response) -> Any:
    assert answer.status_code == 200, answer.text
    return answer.json()


BALLOT = {"choice": "a", "heard_a_s": 2.0, "heard_b_s": 2.0}


@pytest.fixture
def visit(tmp_path: Path) -> Iterator[Visit]:
    with (
        studio_of(tmp_path, Metronome()) as studio,
        served(web(studio)) as url,
        httpx.Client(base_url=url, timeout=300.0) as ann,
        httpx.Client(base_url=url, timeout=300.0) as bob,
    ):
        yield Visit(studio, ann, bob)


def test_neither_bytes_nor_headers_name_a_side(visit: Visit) -> None:
    names = [*visit.takes(), "sycamore", "hornbeam", "chestnut", "samara", "31337", "27182", "seed", "engine"]
    said = [visit.ann.post("/studio/trials/next"), visit.ann.get("/studio/trials")]
    trial = said[0].json()["trial"]
    said += [visit.ann.get(trial[side]["sound"]) for side in ("a", "b")]
    for answer in said:
        assert answer.status_code == 200
        whole = repr((str(answer.url), answer.headers.raw, answer.content)).lower()
        assert not [name for name in names if name.lower() in whole]
    headers = [dict(one.headers) for one in said[2:]]
    own = [(one.pop("date"), one.pop("x-request-id")) for one in headers]
    assert headers[0] == headers[1]
    assert own[0][1] != own[1][1]


def test_the_sounds_have_one_rate_and_one_format(visit: Visit) -> None:
    trial = visit.open()
    files = [soundfile.info(io.BytesIO(visit.ann.get(trial[side]["sound"]).content)) for side in ("a", "b")]
    assert {(file.samplerate, file.channels, file.format, file.subtype) for file in files} == {
        (trial["sample_rate"], 1, "WAV", "PCM_24")
    }
    assert trial["sample_rate"] == 44_100


def test_the_served_sounds_are_equally_loud_and_clip_nowhere(visit: Visit) -> None:
    trial = visit.open()
    sounds = [soundfile.read(io.BytesIO(visit.ann.get(trial[side]["sound"]).content))[0] for side in ("a", "b")]
    meter = pyloudnorm.Meter(trial["sample_rate"])
    one, other = (meter.integrated_loudness(sound) for sound in sounds)
    assert abs(one - other) <= 0.1
    assert max(np.abs(sound).max() for sound in sounds) < 1.0


def test_a_vote_is_refused_until_both_sides_were_fetched(visit: Visit) -> None:
    trial = visit.open()
    answer = visit.ann.post(f"/studio/trials/{trial['id']}/vote", json=BALLOT)
    assert answer.status_code == 409
    assert "listen to both sides" in answer.json()["detail"]


def test_another_browser_is_told_nothing_of_a_trial(visit: Visit) -> None:
    trial = visit.open()
    path = f"/studio/trials/{trial['id']}"
    asked = [
        visit.bob.get(trial["a"]["sound"]),
        visit.bob.post(path + "/vote", json=BALLOT),
        visit.bob.post(path + "/undo"),
        visit.bob.post(path + "/reveal"),
        visit.bob.delete(path),
    ]
    assert [answer.status_code for answer in asked] == [404] * 5
    assert visit.bob.get("/studio/trials").json() == {"trial": None, "place": None, "pairs": 0, "tally": []}


@pytest.mark.parametrize(
    "ballot", [{}, {**BALLOT, "choice": "f5"}, {**BALLOT, "heard_a_s": -1}, {**BALLOT, "heard_b_s": "long"}]
)
def test_a_ballot_that_makes_no_sense_is_refused_in_words(visit: Visit, ballot: dict[str, object]) -> None:
    answer = visit.ann.post(f"/studio/trials/{visit.open()['id']}/vote", json=ballot)
    assert answer.status_code == 422
    assert "correct it" in answer.json()["detail"]


def test_without_pairs_the_refusal_says_how_to_get_one(visit: Visit) -> None:
    answer = visit.ann.post("/studio/trials/next")
    assert answer.status_code == 404
    assert "speak one line" in answer.json()["detail"]


def test_leaving_a_trial_that_has_a_vote_is_refused(visit: Visit) -> None:
    trial = visit.open()
    for side in ("a", "b"):
        visit.ann.get(trial[side]["sound"])
    time.sleep(2.1)  # the server believes no more heard than there was time for
    answered(visit.ann.post(f"/studio/trials/{trial['id']}/vote", json=BALLOT))
    answer = visit.ann.delete(f"/studio/trials/{trial['id']}")
    assert answer.status_code == 409
    assert "already has a vote" in answer.json()["detail"]


def test_a_trial_that_is_left_is_gone(visit: Visit) -> None:
    trial = visit.open()
    assert answered(visit.ann.delete(f"/studio/trials/{trial['id']}"))["trial"] is None
    assert visit.ann.get(trial["a"]["sound"]).status_code == 404
