"""Unload engines after an idle time that the owner chooses. The next request loads the engine again."""

import json
import logging
import threading
import time
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from engines.errors import NotReady
from engines.scheduling.manager import Manager
from engines.types import SchedulerEvent
from studio.disk.files import atomic_write
from studio.errors import NotStored

log = logging.getLogger(__name__)

FILE = "settings/idle_unload.json"  # in the data folder: seconds by engine
CHECK_S = 1.0
TIMES = TypeAdapter(dict[str, float])


@dataclass(frozen=True, slots=True)
class IdleState:
    """The idle unload of an engine."""

    after_s: float | None  # time without a request after which the engine is unloaded; None = never
    left_s: float | None  # time until the unload; None if never, or if the engine is in use or not ready
    asleep: bool  # the engine was unloaded because it was idle


class IdleUnload:
    """Unloads idle engines. Thread-safe."""

    def __init__(
        self,
        manager: Manager,
        data_dir: Path,
        queued: Callable[[], Collection[str]] = tuple,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Read the chosen times. Pass `record` to `manager.listen`; `clock` is the manager's.

        `queued` returns the engines of requests that wait before the scheduler.
        """
        self._manager, self._path, self._queued, self._clock = manager, data_dir / FILE, queued, clock
        self._after_s = _read(self._path)
        self._used_at: dict[str, float] = {}
        self._asleep: set[str] = set()
        self._lock = threading.Lock()
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="idle-unload", daemon=True)

    def start(self) -> None:
        """Start the checks."""
        self._thread.start()

    def close(self) -> None:
        """Stop the checks."""
        self._stop.set()
        if self._thread.is_alive():
            self._thread.join()

    def record(self, event: SchedulerEvent) -> None:
        """Note the use of an engine, in constant time. All events of requests and of loading count as use."""
        self._used_at[event.engine] = event.at
        if event.message != "unloaded":
            self._asleep.discard(event.engine)

    def choose(self, engine: str, after_s: float | None) -> None:
        """Unload the engine after this time without a request; None = never. Raises UnknownEngine, NotStored."""
        self._manager.status(engine)
        with self._lock:
            times = {name: seconds for name, seconds in self._after_s.items() if name != engine}
            if after_s is not None:
                times[engine] = after_s
            try:
                with atomic_write(self._path) as file:
                    file.write(json.dumps(times).encode())
            except OSError as error:
                raise NotStored(f"the time could not be saved ({error.strerror}); check the data folder") from error
            self._after_s = times

    def states(self) -> Mapping[str, IdleState]:
        """Return the state of each engine."""
        return {status.name: self._state(status.name) for status in self._manager.statuses()}

    def asleep(self, engine: str) -> bool:
        """Return True if the engine was unloaded because it was idle, and is still unloaded."""
        return engine in self._asleep and self._manager.status(engine).state == "unloaded"

    def check(self) -> None:
        """Unload the engines whose idle time has passed."""
        for name, state in self.states().items():
            if state.left_s == 0.0 and state.after_s is not None:
                self._asleep.add(name)
                try:
                    self._manager.unload(name, _reason(state.after_s))
                except NotReady:  # a request arrived
                    self._asleep.discard(name)

    def _state(self, name: str) -> IdleState:
        after_s = self._after_s.get(name)
        return IdleState(after_s, self._left_s(name, after_s), self.asleep(name))

    def _left_s(self, name: str, after_s: float | None) -> float | None:
        if after_s is None or self._manager.status(name).state != "ready":
            return None
        if name in self._queued() or self._manager.uses(name):
            self._used_at[name] = self._clock()
            return None
        return max(0.0, self._used_at.setdefault(name, self._clock()) + after_s - self._clock())

    def _run(self) -> None:
        while not self._stop.wait(CHECK_S):
            try:
                self.check()
            except Exception:
                log.exception("idle engines could not be unloaded; trying again in %.0f s", CHECK_S)


def _reason(after_s: float) -> str:
    return f"unloaded after {_words(after_s)} without a request; the next request loads it"


def _words(seconds: float) -> str:
    for unit, length in (("h", 3_600), ("min", 60)):
        if seconds >= length and seconds % length == 0:
            return f"{seconds / length:.0f} {unit}"
    return f"{seconds:.0f} s"


def _read(path: Path) -> dict[str, float]:
    """Return the stored times; empty if there are none or the file is damaged."""
    try:
        return TIMES.validate_json(path.read_bytes())
    except FileNotFoundError:
        return {}
    except (OSError, ValidationError) as error:
        log.warning("%s cannot be read (%s); no engine is unloaded when idle", path, error)
        return {}
