"""An uploaded clip speaks a character without being a champion."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from studio.studio import Studio
from tests.studio.house import served, web
from tests.waiting import until

ROOT = "/studio/projects"
SAMPLES = Path(__file__).parents[3] / "assets" / "voices" / "references"


@pytest.fixture
def client(studio: Studio) -> Iterator[httpx.Client]:
    with served(web(studio)) as address, httpx.Client(base_url=address) as client:
        yield client


def cast_of(clip: str, transcript: str) -> dict[str, Any]:
    part = {"clip_id": clip, "start_s": 0.0, "end_s": 3.0, "transcript": transcript}
    return {"cast": {"Ahri": {"": [{"voice": "clip: mine.flac", "clip": part}]}}}


def test_a_cast_clip_speaks_also_after_its_owner_deleted_it(client: httpx.Client) -> None:
    data = sorted(SAMPLES.glob("*.flac"))[0].read_bytes()
    clip = client.post("/studio/clips", files={"file": ("mine.flac", data)}).json()["id"]
    project = client.post(ROOT, json={"name": "Act"}).json()["id"]
    sheet = {"text": "id\tcharacter\ttext\nA\tAhri\tOne.\nB\tAhri\tTwo.", "name": "act.tsv"}
    id = client.post(f"{ROOT}/{project}/sheets/paste", json=sheet).json()["id"]
    path = f"{ROOT}/{project}/sheets/{id}"

    refused = client.patch(f"{ROOT}/{project}", json=cast_of(clip, " "))
    assert (refused.status_code, "needs its transcript" in refused.json()["detail"]) == (400, True)
    assert client.patch(f"{ROOT}/{project}", json=cast_of("0" * 64, "Words.")).status_code == 404
    kept = client.patch(f"{ROOT}/{project}", json=cast_of(clip, "These are the words.")).json()
    assert kept["cast"] == {
        "Ahri": {"": [{"engine": "", "settings": {}, **cast_of(clip, "These are the words.")["cast"]["Ahri"][""][0]}]}
    }

    def statuses() -> list[str]:
        return [line["status"] for line in client.get(path).json()["lines"]]

    line = client.get(path).json()["lines"][0]["key"]
    assert client.post(f"{ROOT}/{project}/render", json={"sheet": id, "lines": [line]}).is_success
    until(lambda: statuses() == ["made", "none"])
    assert client.delete(f"/studio/clips/{clip}").is_success
    assert client.post(f"{ROOT}/{project}/render", json={"sheet": id}).is_success
    until(lambda: statuses() == ["made", "made"])
    until(lambda: client.get(f"{ROOT}/{project}/render").json()["state"] == "done")
    assert client.patch(f"{ROOT}/{project}", json=cast_of(clip, "These are other words.")).is_success
    assert statuses() == ["stale", "stale"]
