"""Load, warm up, unload and reload the engines of a studio, between the steps of requests."""

import logging
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import Future
from typing import Any, TypeVar

from engines.base import Checkpoint, Engine
from engines.errors import EngineError, NotReady
from engines.registry import EngineOptions, Spec
from engines.scheduling.retries import Retries
from engines.scheduling.scheduler import Scheduler
from engines.scheduling.statuses import EngineStatuses
from engines.types import SchedulerEvent

log = logging.getLogger(__name__)

Item = TypeVar("Item")
NOTHING_LOADED: Mapping[str, Any] = {"info": None, "memory_bytes": 0, "memory_parts": {}, "caches": ()}


class EngineLoader:
    """Loads and unloads engines. Public methods queue the work, and the scheduler's thread does the work."""

    def __init__(
        self,
        engines: Mapping[str, tuple[Spec, Checkpoint]],
        device: EngineOptions,
        memory_budget_bytes: int,
        scheduler: Scheduler,
        notify: Callable[[SchedulerEvent], None],
    ) -> None:
        """Create the loader. `notify` gets an event of kind "engine" after every change of an engine's state."""
        self._known, self._device, self._budget_bytes = engines, device, memory_budget_bytes
        self._scheduler, self._notify = scheduler, notify
        self.statuses = EngineStatuses(engines, lambda status: self._report(status.name, status.state))
        self.engines: dict[str, Engine] = {}
        self._used_at: dict[str, float] = {}
        self._retries = Retries(scheduler.clock)
        self._queued_unloads: set[str] = set()
        self._reloads: set[str] = set()  # engines that are loaded again after their queued unload
        self._lock = threading.Lock()

    # Any thread may call the methods below.

    def note_use(self, name: str, at: float) -> None:
        """Note the time of the last request to an engine. Idle engines are unloaded in this order."""
        self._used_at[name] = at

    def load(self, name: str) -> None:
        """Queue the loading of an engine and return at once. If the engine is loaded, only cancel its queued unload."""
        with self._lock:
            self._queued_unloads.discard(name)
            if self.statuses.get(name).state in ("loading", "warming", "ready"):
                return
            self._say(name, "waiting to load", state="loading", progress=0.0)
        self._scheduler.run(self._loading(name), lambda error: self._loaded(name, error), engine=name)

    def unload(self, name: str, reason: str = "", *, then_load: bool = False) -> None:
        """Unload an engine to free its memory; `then_load` loads it again. `reason` becomes the message of the status.

        Raises NotReady while a request uses the engine.
        """
        if self._scheduler.uses(name):
            verb = "reload" if then_load else "unload"
            raise NotReady(f"{self.statuses.get(name).title} has requests; {verb} it when they are done")
        with self._lock:
            self._queued_unloads.add(name)
            (self._reloads.add if then_load else self._reloads.discard)(name)
        self._retries.forget(name)
        self._scheduler.run(self._unloading(name, reason), lambda error: self._unloaded(name), engine=name)

    def clear_cache(self, name: str, cache: str) -> "Future[None]":
        """Queue the clearing of a cache of a loaded engine. The future raises NotReady, or an error of the engine."""
        cleared: Future[None] = Future()

        def clear() -> Iterator[object]:
            engine = self.engines.get(name)
            if engine is None:
                raise NotReady(f"{self.statuses.get(name).title} is not loaded; its caches are empty")
            engine.clear(cache)
            self.refresh(name)
            yield None

        def end(error: BaseException | None) -> None:
            cleared.set_result(None) if error is None else cleared.set_exception(error)

        self._scheduler.run(clear(), end, engine=name)
        return cleared

    def load_due(self) -> None:
        """Load the failed engines whose next attempt is due."""
        for name in self._retries.due():
            self.load(name)

    def can_speak(self) -> bool:
        """Return True if an engine is loaded; the engine may still be warming up."""
        return any(status.state in ("warming", "ready") for status in self.statuses.all())

    def is_warm(self, name: str) -> bool:
        """Return True if this engine is loaded and warm."""
        return any(status.name == name and status.state == "ready" for status in self.statuses.all())

    def on_gpu(self) -> bool:
        """Return True if a loaded engine uses a GPU."""
        return any(status.info is not None and status.info.device != "cpu" for status in self.statuses.all())

    def fail_all(self, reason: str) -> dict[str, Engine | None]:
        """Mark all loading and loaded engines as failed, and return them by name; None if still loading."""
        used = [status.name for status in self.statuses.all() if status.state in ("loading", "warming", "ready")]
        failed = {name: self.engines.get(name) for name in used}
        self.engines.clear()
        for name in used:
            self._retries.note_failure(name, reason)
            self.statuses.update(name, state="failed", message=reason, progress=0.0, **NOTHING_LOADED)
        return failed

    def free_engines(self, engines: Iterable[Engine]) -> None:
        """Queue the freeing of engines that `fail_all` returned. Call this before `load`."""
        self._scheduler.run(_free_each(engines), lambda error: None)

    def close(self) -> None:
        """Free every engine, after the scheduler's thread has ended."""
        while self.engines:
            free_engine(self.engines.popitem()[1])

    # On the scheduler's thread.

    def reload(self, name: str, error: BaseException) -> None:
        """Discard an engine that failed while speaking, and load the engine again."""
        self._retries.note_failure(name, f"the engine failed while speaking ({error})")
        self._discard(name)
        self._report(name, "failed")
        self.statuses.reset(name)  # not "failed", so that further requests wait for the engine
        self.load(name)

    def refresh(self, name: str) -> None:
        """Update memory and backends of a loaded engine."""
        engine = self.engines.get(name)
        if engine is not None:
            self.statuses.update(name, **_facts(engine))

    def _loading(self, name: str) -> Iterator[object]:
        self._make_room(name)
        self._say(name, "importing its libraries", progress=0.02)
        yield None
        spec, checkpoint = self._known[name]
        engine = spec.make(self._device)
        for progress in self._checked_items(engine.load(checkpoint)):
            self._say(name, progress.message, state="loading", progress=progress.fraction)
            yield None
        self.engines[name] = engine
        self._scheduler.attach(name, engine, spec.settings)
        self._say(name, "warming up", state="warming", progress=0.0, **_facts(engine))

    def _checked_items(self, items: Iterable[Item]) -> Iterator[Item]:
        """Yield the items. Raises ThreadReplaced if this thread was replaced during an item."""
        for item in items:
            self._scheduler.require_current()
            yield item
        self._scheduler.require_current()

    def _loaded(self, name: str, error: BaseException | None) -> None:
        """Queue the warm-up of the loaded engine."""
        if error is not None:
            return self._failed(name, error)
        engine = self.engines[name]
        self._scheduler.run(
            self._warming(name, engine),
            lambda error: self._warmed(name, engine, error),
            engine=name,
            low_priority=True,
        )

    def _warming(self, name: str, engine: Engine) -> Iterator[object]:
        warming = self._checked_items(engine.warm())
        while self.engines.get(name) is engine and (warmed := next(warming, None)):  # a failed engine stops its warm-up
            self._say(name, warmed.message, progress=warmed.fraction)
            self.refresh(name)
            yield None

    def _warmed(self, name: str, engine: Engine, error: BaseException | None) -> None:
        if self.engines.get(name) is not engine:
            return  # the engine was unloaded, or failed and is loading again
        if error is not None:
            self._retries.note_failure(name, f"the warm-up failed ({error})")
            return self._failed(name, error)
        note = engine.info.note
        if note:
            self._report(name, note)
        self._retries.forget(name)
        self.refresh(name)
        self.statuses.update(name, state="ready", message=note or "ready", progress=1.0)

    def _failed(self, name: str, error: BaseException) -> None:
        log.error("loading engine %s failed", name, exc_info=error)
        self._discard(name)
        reason = str(error) if isinstance(error, EngineError) else f"loading failed ({error})"
        reason += self._retries.plan_attempt(name)
        self.statuses.update(name, state="failed", message=reason, progress=0.0, **NOTHING_LOADED)
        failure = NotReady(f"{self.statuses.get(name).title} is not available: {reason}")
        for ticket in self._scheduler.tickets():
            if ticket.request.engine == name:
                self._scheduler.fail(ticket, failure)

    def _unloaded(self, name: str) -> None:
        with self._lock:
            again = name in self._reloads
            self._reloads.discard(name)
        if again:
            self.load(name)

    def _unloading(self, name: str, reason: str) -> Iterator[object]:
        self._free(name, reason)
        yield None

    def _free(self, name: str, reason: str = "") -> None:
        """Unload an engine if its unload is still queued and no request uses the engine."""
        with self._lock:
            if name not in self._queued_unloads or self._scheduler.uses(name):
                return
            self._queued_unloads.discard(name)
            self.statuses.reset(name)  # a later request loads the engine again
            if reason:
                self.statuses.update(name, message=reason)
        self._discard(name)

    def _discard(self, name: str) -> None:
        self._scheduler.detach(name)
        engine = self.engines.pop(name, None)
        if engine is not None:
            free_engine(engine)
        self._scheduler.require_current()

    def _make_room(self, name: str) -> None:
        """Unload idle engines, least recently used first, while the memory budget is exceeded."""
        idle = sorted(
            (other for other in self.engines if other != name and not self._scheduler.uses(other)),
            key=lambda other: self._used_at.get(other, 0.0),
        )
        while self._budget_bytes and idle and self._used_bytes() >= self._budget_bytes:
            oldest = idle.pop(0)
            log.info("unloading %s to stay within the memory budget", oldest)
            self._queued_unloads.add(oldest)
            self._free(oldest)

    def _used_bytes(self) -> int:
        return sum(engine.memory_bytes for engine in self.engines.values())

    def _say(self, name: str, message: str, **changes: object) -> None:
        """Update the status of an engine. After a failure, the message contains the cause until the engine is ready."""
        self.statuses.update(name, message=message + self._retries.cause_suffix(name), **changes)

    def _report(self, name: str, message: str) -> None:
        self._notify(SchedulerEvent(self._scheduler.clock(), "engine", name, "", {}, message))


def _facts(engine: Engine) -> dict[str, Any]:
    """Return the fields of a status that a loaded engine knows."""
    return {
        "info": engine.info,
        "memory_bytes": engine.memory_bytes,
        "memory_parts": engine.memory_parts,
        "caches": tuple(engine.caches),
    }


def free_engine(engine: Engine) -> None:
    """Free the memory of an engine."""
    try:
        engine.close()
    except Exception:  # for example, on a failed device; the scheduler and the other engines continue
        log.exception("freeing the memory of an engine failed")


def _free_each(engines: Iterable[Engine]) -> Iterator[object]:
    for engine in engines:
        free_engine(engine)
        yield None
