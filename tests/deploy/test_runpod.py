"""RunPod's jobs, given to a real studio on its Unix socket."""

import asyncio
import base64
import io
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import httpx
import pytest
import soundfile
import uvicorn

from deploy.runpod.speaking import GONE, Output, Worker
from studio.champions.library import Library
from studio.settings import Settings
from studio.web.sockets import at_path
from tests.engines.metronome import RATE, Metronome
from tests.studio.champions.voices import keep
from tests.studio.house import ENGINE, ready, studio_of, web
from tests.studio.programs import CLICK_S
from tests.waiting import PATIENCE_S, outcome

TEXT = "tick tock"


@pytest.fixture(scope="module")
def metronome() -> Metronome:
    return Metronome(click_s=CLICK_S)


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory, metronome: Metronome) -> Iterator[Path]:
    """Provide the socket of a studio that has the champion `ahri`."""
    folder = tmp_path_factory.mktemp("worker")
    path = folder / "studio.sock"
    settings = Settings(data_dir=folder / "data", engines=(ENGINE,), socket=path)
    with studio_of(folder, metronome, settings=settings) as studio:
        keep(Library(settings.data_dir), engine=ENGINE, settings={})
        server = uvicorn.Server(uvicorn.Config(web(studio), log_level="warning", timeout_graceful_shutdown=1))
        thread = threading.Thread(target=lambda: asyncio.run(server.serve([at_path(path)])))
        thread.start()
        with httpx.Client(
            transport=httpx.HTTPTransport(uds=str(path), retries=100), base_url="http://localhost"
        ) as one:
            ready(one)
        yield path
        server.should_exit = True
        thread.join()


@asynccontextmanager
async def worker(path: Path) -> AsyncIterator[Worker]:
    transport = httpx.AsyncHTTPTransport(uds=str(path))
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost", timeout=PATIENCE_S) as studio:
        yield Worker(studio)


def outputs_of(path: Path, stream: bool = False, **given: object) -> list[Output]:
    """Return RunPod's output of a job with this input."""

    async def outputs() -> list[Output]:
        async with worker(path) as one:
            job = {"id": "job-1", "input": given}
            return [part async for part in one.stream(job)] if stream else [await one.speak(job)]

    return outcome(outputs())


def sound(outputs: list[Output]) -> bytes:
    return b"".join(base64.b64decode(output["audio"]) for output in outputs)


@pytest.mark.parametrize("name", ["championId", "voice"])
def test_a_job_returns_a_whole_wav_file_with_engine_and_seed(path: Path, name: str) -> None:
    (output,) = outputs_of(path, text=TEXT, **{name: "ahri"}, seed=7, language="en-US")
    assert (output["format"], output["engine"], output["seed"]) == ("wav", ENGINE, "7")
    wav = sound([output])
    assert int.from_bytes(wav[4:8], "little") == len(wav) - 8
    assert int.from_bytes(wav[40:44], "little") == len(wav) - 44
    samples, rate = soundfile.read(io.BytesIO(wav))
    assert (rate, len(samples)) == (RATE, round(len(TEXT) * CLICK_S * RATE))


def test_a_stream_returns_the_line_while_it_is_generated(path: Path, metronome: Metronome) -> None:
    made, go = len(metronome.steps) + len(TEXT) // 2, threading.Event()
    metronome.gate = lambda: len(metronome.steps) < made or go.wait(PATIENCE_S)

    async def outputs() -> list[Output]:
        async with worker(path) as one:
            parts = one.stream({"input": {"voice": "ahri", "text": TEXT, "response_format": "wav"}})
            first = await anext(parts)
            go.set()
            return [first, *[part async for part in parts]]

    parts = outcome(outputs())
    assert {part["format"] for part in parts} == {"wav"}
    assert len(sound(parts)) == 44 + 2 * round(len(TEXT) * CLICK_S * RATE)


@pytest.mark.parametrize("stream", [False, True])
def test_a_refusal_of_the_studio_fails_the_job_with_its_message(path: Path, stream: bool) -> None:
    (output,) = outputs_of(path, stream, championId="nobody", text=TEXT)
    assert output.keys() == {"error"} and "champion nobody not found" in output["error"]
    (output,) = outputs_of(path, stream, championId="ahri", text=TEXT, language="f")
    assert "language" in output["error"]


@pytest.mark.parametrize("stream", [False, True])
def test_a_job_without_a_studio_fails_with_a_message(tmp_path: Path, stream: bool) -> None:
    assert outputs_of(tmp_path / "none", stream, voice="ahri", text=TEXT) == [{"error": GONE}]
