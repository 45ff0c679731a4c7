"""Composition root: reads the settings, wires the services, and serves the page and the API."""

import asyncio
import gc
import logging
import os
import sys
import threading
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from importlib import import_module
from pathlib import Path
from types import FrameType

import uvicorn
from fastapi import FastAPI
from fastapi_offline import FastAPIOffline

from engines.types import SchedulerEvent
from studio.api import add_routes, speech_socket
from studio.api.programs import Programs
from studio.composition import compose
from studio.disk.data_folder import UnusableDataFolder, claimed
from studio.disk.housekeeping import UPLOAD_S, Housekeeping
from studio.memory import HeapTrimmer, limit_arenas
from studio.network_environment import repair_network_environment
from studio.references.session_clips import UPLOADS
from studio.script.deliveries import KEPT_S
from studio.settings import Settings, WrongSettings
from studio.studio import Studio
from studio.telemetry.logs import configure_logs
from studio.version import VERSION
from studio.web.cors import ApiCors
from studio.web.drain import Drain, DrainMiddleware
from studio.web.guard import Guard
from studio.web.listeners_only import ListenersOnly
from studio.web.protocols import Http, WebSockets
from studio.web.proxies import Proxies
from studio.web.request_ids import RequestIds
from studio.web.send_times import SendTimes
from studio.web.session import SessionMiddleware
from studio.web.sockets import NotListening, at_path, at_port, url_of

log = logging.getLogger("studio")

PORT_FIRST_S = 0.3
DRAIN_S = 300.0  # time limit for accepted requests after a SIGTERM
SOCKET = f"`/ws/tts` is a WebSocket, which this description has no room for:\n\n{speech_socket.__doc__}"
GRADIO_FOLDER = "GRADIO_TEMP_DIR"  # Gradio's folder of uploads; in the data folder, so that housekeeping can sweep it
MESSAGE_BYTES = 2**20  # limit of a WebSocket message
HANG_EXIT_CODE = 1  # exit code after a signal if requests failed because a step hung
LAST_LOOK_S = 2.0  # time for pages to fetch their last audio before the port closes


def import_early() -> None:
    """Import modules that the first clip report and Gradio's first event need, so that they do not slow down the first take."""
    for name in ("scipy.signal", "matplotlib.pyplot"):
        with suppress(ImportError):
            import_module(name)


def begin(studio: Studio) -> None:
    """Import the archives of `archives_dir`, then load the engines: when an engine is ready, the champions are there too."""
    if studio.settings.archives_dir:
        studio.champions.import_missing(studio.settings.archives_dir)
    studio.manager.start()
    studio.scripts.renderer.start()
    studio.listening_sessions.start()


def web(studio: Studio, drain: Drain) -> FastAPI:
    """Build the application: the API's routes, and the page unless `STUDIO_PAGE` is off."""
    champions = studio.champions
    uploads = {studio.settings.data_dir / UPLOADS: UPLOAD_S, Path(os.environ[GRADIO_FOLDER]): UPLOAD_S}

    heap = HeapTrimmer(studio.manager.queue)
    studio.manager.listen(heap.record)

    def check() -> None:
        heap.check()
        studio.disk.maintain()
        studio.visitors.enforce_total_limit()

    housekeeping = Housekeeping(
        [studio.scripts.projects, studio.history, studio.session_clips, champions],
        {**uploads, **champions.swept, studio.scripts.deliveries.folder: KEPT_S},
        hourly={studio.visitors.expire: studio.visitors.kept_s},
        check=check,
    )

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        # The port opens first, because imports in another thread would delay it by seconds.
        loop = asyncio.get_running_loop()
        loop.call_later(PORT_FIRST_S, threading.Thread(target=begin, args=(studio,), daemon=True).start)
        if studio.settings.page:
            loop.call_later(PORT_FIRST_S, threading.Thread(target=import_early, daemon=True).start)
        studio.telemetry.start()
        studio.idle_unload.start()
        housekeeping.start()
        yield
        housekeeping.close()
        studio.idle_unload.close()
        studio.scripts.renderer.close()
        studio.listening_sessions.close()
        studio.scripts.deliveries.jobs.close()
        studio.champions.jobs.close()
        studio.hearing.close()
        studio.ears.close()
        studio.report_processes.close()
        studio.telemetry.close()
        studio.history.close()

    application = FastAPIOffline(
        title="Champion Voice Studio", version=VERSION, description=SOCKET, lifespan=lifespan, redoc_url=None
    )
    programs = Programs(studio, drain)
    if studio.settings.page:
        with_assets(application)  # before the API, which answers unknown addresses under /studio
    add_routes(application, studio, programs)
    drain.count(lambda: len(studio.manager.queue()))
    mounted = with_page(application, studio, programs, drain) if studio.settings.page else application
    # Each middleware wraps those above it, so a request reaches the last one first.
    mounted.add_middleware(SessionMiddleware, framed=bool(studio.settings.frame_ancestors))
    if studio.settings.visitors == "listen":
        mounted.add_middleware(ListenersOnly, settings=studio.settings)
    mounted.add_middleware(Guard, settings=studio.settings)
    mounted.add_middleware(DrainMiddleware, drain=drain)
    mounted.add_middleware(ApiCors, origins=studio.settings.cors_origins)
    mounted.add_middleware(Proxies, settings=studio.settings)
    mounted.add_middleware(SendTimes)
    mounted.add_middleware(RequestIds, count=studio.telemetry.metrics.count_answer)
    return mounted


def with_assets(application: FastAPI) -> None:
    """Serve the page's scripts and styles."""
    from studio.ui.pages.page import mount_assets  # imports gradio

    mount_assets(application)


def with_page(application: FastAPI, studio: Studio, programs: Programs, drain: Drain) -> FastAPI:
    """Mount the Gradio page at the application's root."""
    from studio.ui.pages.page import build, mount_page  # takes seconds, and is not needed without a page

    page = build(studio, programs)
    drain.count(lambda: len(page._queue) + len(studio.manager.queue()))
    return mount_page(application, page)


def freeze(event: SchedulerEvent) -> None:
    """Exclude current objects from garbage collection after an engine was loaded or unloaded: a full collection is slow."""
    if event.kind == "engine" and event.message in ("ready", "unloaded"):
        gc.unfreeze()
        gc.collect()
        gc.freeze()


class Server(uvicorn.Server):
    """A server that, after a signal, finishes accepted requests and exits with code 0. A second signal ends it at once."""

    def __init__(self, config: uvicorn.Config, finish: Callable[[], None]) -> None:
        super().__init__(config)
        self._finish = finish
        self._leaving = False

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        if self._leaving:
            os._exit(128 + sig)  # no log line before, because writing to a blocked pipe may hang
        self._leaving = True
        threading.Thread(target=self._leave, name="drain").start()

    def _leave(self) -> None:
        self._finish()
        self.should_exit = True


def main() -> None:
    limit_arenas()
    configure_logs()
    repair_network_environment()
    try:
        settings = Settings.load()
        configure_logs(settings.log_format)
        own = claimed(settings.data_dir)
        studio, drain = compose(settings), Drain()
        served = at_path(settings.socket) if settings.socket else at_port(settings.host, settings.port)
    except (WrongSettings, NotListening, UnusableDataFolder) as error:
        log.error("%s", error)
        sys.exit(2)
    os.environ.setdefault("GRADIO_ANALYTICS_ENABLED", "False")
    os.environ.setdefault(GRADIO_FOLDER, str(settings.data_dir / "gradio"))
    studio.manager.listen(freeze)

    def finish() -> None:
        log.info("finishing accepted requests; new ones are refused")
        drain.close()
        studio.manager.announce_close()
        studio.scripts.renderer.close()  # unfinished lines are rendered after the next start
        drain.wait(DRAIN_S)
        studio.manager.close(DRAIN_S)
        if settings.page:
            time.sleep(LAST_LOOK_S)

    where = settings.socket or url_of(settings.host, served.getsockname()[1])
    config = uvicorn.Config(
        web(studio, drain),
        http=Http,
        ws=WebSockets,
        log_level="warning",
        log_config=None,  # uvicorn's log lines go to the studio's log
        timeout_graceful_shutdown=2,
        server_header=False,
        proxy_headers=False,  # the class Proxies decides which headers are trusted
        ws_max_size=MESSAGE_BYTES,
        ws_per_message_deflate=False,  # compressing audio saves little and costs CPU time
    )
    log.info("open %s", where)
    with own:
        asyncio.run(Server(config, finish).serve([served]))
    if studio.manager.hangs:  # a normal exit would wait for the hanging thread
        log.warning("a call of an engine still hangs; the process ends without waiting")
        logging.shutdown()
        os._exit(HANG_EXIT_CODE if studio.manager.failure else 0)


if __name__ == "__main__":
    main()
