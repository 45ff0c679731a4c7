"""The page's named endpoint, `/speak`, as other programs use it."""

from pathlib import Path

import soundfile
from gradio_client import Client

from tests.browser.serving import Served


def test_speak_streams_where_it_stands_and_ends_with_audio_and_take(studio: Served) -> None:
    client = Client(studio.url, verbose=False)
    job = client.submit(text="A line for a program.", seed=3, steps=2, api_name="/speak")
    *before, (status, audio, take) = list(job)
    assert {one["state"] for one, _, _ in before} <= {"queued", "running", "done"}
    assert all(audio is None and take is None for _, audio, take in before)
    assert status["state"] == "done"
    assert take["order"]["seed"] == 3
    assert soundfile.info(Path(audio)).duration == take["duration_s"]
