"""The page's named endpoint, `/speak`, as other programs use it."""

from pathlib import Path

import httpx
import soundfile
from gradio_client import Client

from tests.browser.serving import PATIENCE_S, Served
from tests.browser.visiting import SOME


def test_speak_tells_where_it_stands_and_ends_with_audio_and_take(studio: Served) -> None:
    *before, (status, audio, take) = list(speaking(Client(studio.url, verbose=False)))
    assert "running" in {one["state"] for one, _, _ in before} <= {"queued", "running", "done"}
    assert all(audio is None and take is None for _, audio, take in before)
    assert status["state"] == "done"
    assert take["order"]["seed"] == 3
    assert soundfile.info(Path(audio)).duration == take["duration_s"]


def test_the_sound_of_a_line_that_is_spoken_streams_before_its_end(studio: Served) -> None:
    with httpx.Client(base_url=studio.url, timeout=PATIENCE_S) as session:
        session.get("/").raise_for_status()
        cookies = "; ".join(f"{name}={value}" for name, value in session.cookies.items())
        reported = speaking(Client(studio.url, headers={"cookie": cookies}, verbose=False))
        id = next(status["id"] for status, _, _ in reported if status["state"] == "running" and status["sample_rate"])
        with session.stream("GET", f"/studio/live/{id}.pcm") as sound:
            pieces = sound.raise_for_status().iter_raw()
            first = next(pieces)
            meanwhile = session.get(f"/studio/live/{id}").json()["state"]
            rest = list(pieces)
        *_, (_, audio, _) = reported
    assert meanwhile == "running"
    assert len(first) + sum(map(len, rest)) == 2 * soundfile.info(Path(audio)).frames
    assert rest


def speaking(client: Client):  # type: ignore[no-untyped-def]
    """What `/speak` yields of a line of two sentences."""
    return iter(client.submit(text=SOME, seed=3, steps=2, api_name="/speak"))
