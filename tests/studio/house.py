"""A whole studio of real parts on the small metronome engine, and a real server for it on loopback."""

import asyncio
import socket
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import httpx
import numpy as np
import soundfile
import uvicorn
from fastapi import FastAPI

from engines.base import Checkpoint
from engines.registry import LANGUAGES, EngineOptions
from engines.scheduling.manager import Manager, Policy
from engines.types import Audio
from studio.api import add_routes
from studio.api.programs import Programs
from studio.champions.creation import TakeVoices
from studio.champions.factory import open_champions
from studio.disk.disk_space import DiskSpace
from studio.ears.ears import Ears
from studio.ears.vocabulary import TimedWord, TypedWord
from studio.hearing.service import TakeHearing
from studio.history import History, StoredTake
from studio.idle_unload import IdleUnload
from studio.listening import Listening
from studio.listening.sessions.sessions import ListeningSessions
from studio.named_voices import NamedVoices
from studio.passages import Passages
from studio.references.library import ClipStore
from studio.references.report_processes import ReportProcesses
from studio.references.session_clips import SessionClips
from studio.script.checks.expected_take import Checked
from studio.script.factory import open_scripts
from studio.script.renderer import CheckTake
from studio.script.rendering import PlannedTake
from studio.script.word_alignment import Align, WordAlignment
from studio.settings import Settings
from studio.speaking import SpeechService
from studio.studio import Studio
from studio.telemetry import Telemetry
from studio.telemetry.gauges import ProcessGauge
from studio.telemetry.recorder import Recorder
from studio.web.cors import ApiCors
from studio.web.drain import Drain
from studio.web.guard import Guard
from studio.web.listeners_only import ListenersOnly
from studio.web.proxies import Proxies
from studio.web.request_ids import RequestIds
from studio.web.send_times import SendTimes
from studio.web.session import SessionMiddleware
from studio.web.visitors import Visitors
from tests.engines.metronome import ENGINES, Metronome, spec_of

ENGINE = "tick"
SAMPLE_RATE = 24_000


def speechlike(seconds: float = 4.0, seed: int = 0) -> np.ndarray[tuple[int], np.dtype[np.float32]]:
    """Bursts of noise of a fifth of a second with gaps between them, which is what a detector of speech looks for."""
    at_s = np.arange(int(seconds * SAMPLE_RATE)) / SAMPLE_RATE
    noise = np.random.default_rng(seed).standard_normal(len(at_s))
    return (0.1 * noise * (at_s % 0.3 < 0.2)).astype(np.float32)


def write_clip(path: Path, seconds: float = 4.0, seed: int = 0) -> Path:
    soundfile.write(path, speechlike(seconds, seed), SAMPLE_RATE, subtype="FLOAT")
    return path


def samples_folder(folder: Path) -> Path:
    folder.mkdir(parents=True)
    write_clip(folder / "anna.wav")
    (folder / "anna.txt").write_text("one two three four five six", "utf-8")
    return folder


def passing(piece: PlannedTake, audio: Audio) -> Checked:
    """Checks that find nothing."""
    return Checked(checks=(), score=1.0)


def evenly(audio: Audio, words: Sequence[TypedWord], language: str) -> Sequence[TimedWord]:
    """Words found one after another, all of one length."""
    each_s = min(0.3, audio.duration_s / max(1, len(words)))
    return [TimedWord(word=word.typed, start_s=at * each_s, end_s=(at + 1) * each_s) for at, word in enumerate(words)]


def unaligned(audio: Audio, words: Sequence[TypedWord], language: str) -> Sequence[TimedWord]:
    """No words found, where they are not the subject."""
    return ()


def knows_every_language(language: str) -> str:
    """Return no reason, so that every language counts as known. For tests in which languages do not matter."""
    return ""


def ignore(take: StoredTake) -> None:
    """Leave new takes unheard, where hearing is not the subject."""


@contextmanager
def studio_of(
    folder: Path,
    metronome: Metronome,
    policy: Policy | None = None,
    settings: Settings | None = None,
    check_take: CheckTake = passing,
    align: Align = unaligned,
    *,
    hears: bool = False,
    now: Callable[[], float] = time.time,
    languages: str = "en",
) -> Iterator[Studio]:
    """A running studio; its data outlives it in `folder`. It hears new takes only if `hears`, which starts a process.

    `now` is the clock of listening sessions; `languages` are those of the checkpoint.
    """
    ENGINES[ENGINE] = metronome
    settings = settings or Settings(data_dir=folder / "data")
    samples = folder / "samples"
    manager = Manager(
        {ENGINE: Checkpoint("brass", {LANGUAGES: languages})}, EngineOptions(), policy or Policy(), specs=spec_of
    )
    clips = ClipStore(settings.data_dir, samples if samples.is_dir() else samples_folder(samples))
    session_clips, history = SessionClips(clips, settings.data_dir), History(settings.data_dir)
    telemetry = Telemetry(
        manager,
        ProcessGauge(),
        disk=DiskSpace(settings.data_dir).reading,
        recorder=Recorder(lambda engine: manager.status(engine).info, settings.data_dir),
    )
    manager.listen(telemetry.record)
    idle_unload = IdleUnload(manager, settings.data_dir, telemetry.queued_engines)
    manager.listen(idle_unload.record)
    telemetry.show_idle(idle_unload.states)
    listening = Listening(history, settings.data_dir)
    champions = open_champions(settings)
    ears = Ears(on=settings.ears)
    report_processes = ReportProcesses(0)
    hearing = TakeHearing(ears, history, busy=manager.queue, directions=settings.stage_directions)
    named_voices = NamedVoices(manager, champions, session_clips, (ENGINE,), settings.aliases)
    speaking = SpeechService(
        manager,
        session_clips,
        history,
        champions,
        passages=Passages(manager, lambda voice, engine: named_voices.order("", voice, engine, {})),
        directions=settings.stage_directions,
        kept=hearing.add if hears else ignore,
        recorder=telemetry.recorder,
    )
    scripts = open_scripts(
        settings, manager, speaking, history, named_voices, check_take, WordAlignment(align, knows_every_language)
    )
    studio = Studio(
        settings=settings,
        manager=manager,
        speaking=speaking,
        clips=clips,
        session_clips=session_clips,
        history=history,
        ears=ears,
        report_processes=report_processes,
        hearing=hearing,
        listening=listening,
        listening_sessions=ListeningSessions(
            settings.data_dir, manager, history, speaking, ears if hears else Ears(on=False), now
        ),
        champions=champions,
        named_voices=named_voices,
        scripts=scripts,
        visitors=Visitors(settings, history, session_clips),
        disk=DiskSpace(settings.data_dir, [scripts.projects, history, session_clips, champions]),
        take_voices=TakeVoices(
            history,
            session_clips,
            listening,
            lambda engine: manager.status(engine).licence,
            directions=settings.stage_directions,
        ),
        telemetry=telemetry,
        idle_unload=idle_unload,
    )
    manager.start()
    studio.scripts.renderer.start()
    studio.listening_sessions.start()
    telemetry.start()
    try:
        yield studio
    finally:
        studio.scripts.renderer.close()
        studio.listening_sessions.close()
        hearing.close()
        ears.close()
        report_processes.close()
        manager.close(0.0)
        telemetry.close()
        history.close()


def web(studio: Studio, drain: Drain | None = None) -> FastAPI:
    application = FastAPI()
    add_routes(application, studio, Programs(studio, drain or Drain()))
    guard(application, studio.settings)
    application.add_middleware(SendTimes)
    application.add_middleware(RequestIds, count=studio.telemetry.metrics.count_answer)
    return application


def guard(application: FastAPI, settings: Settings) -> None:
    """The middleware in front of the routes, as app.py adds it."""
    application.add_middleware(SessionMiddleware, framed=bool(settings.frame_ancestors))
    if settings.visitors == "listen":
        application.add_middleware(ListenersOnly, settings=settings)
    application.add_middleware(Guard, settings=settings)
    application.add_middleware(ApiCors, origins=settings.cors_origins)
    application.add_middleware(Proxies, settings=settings)


class FastStopServer(uvicorn.Server):
    """A server that ends within 10 ms if it has no connections; uvicorn's takes 200 ms."""

    async def main_loop(self) -> None:
        await self.on_tick(0)
        while not self.should_exit:
            await asyncio.sleep(0.01)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        if self.server_state.connections:
            await super().shutdown(sockets)
            return
        for server in self.servers:
            server.close()
        await self.lifespan.shutdown()


@contextmanager
def served(application: FastAPI) -> Iterator[str]:
    """The address of a real server on loopback."""
    config = uvicorn.Config(application, port=0, log_level="warning", timeout_graceful_shutdown=1, proxy_headers=False)
    server = FastStopServer(config)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.005)
    try:
        port = server.servers[0].sockets[0].getsockname()[1]
        yield f"http://127.0.0.1:{port}"
    finally:
        server.should_exit = True
        thread.join(5.0)


def ready(client: httpx.Client, timeout_s: float = 300.0) -> None:
    due = time.monotonic() + timeout_s
    while client.get("/ready").status_code != 200:
        assert time.monotonic() < due, client.get("/ready").text
        time.sleep(0.01)
