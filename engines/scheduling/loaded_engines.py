"""Call the loaded engines."""

from collections.abc import Callable
from typing import TypeVar

from engines.base import Engine
from engines.scheduling.worker import ThreadReplaced

Result = TypeVar("Result")


class LoadedEngines:
    """Loaded engines. Only the scheduler's thread calls the methods, except `clear` and `interrupt`."""

    def __init__(self, require_current: Callable[[], None], broken: Callable[[str, BaseException], None]) -> None:
        """Start without engines. `broken` is called with the name and the error of an engine that fails to drop a job."""
        self._require_current, self._broken = require_current, broken
        self.by_name: dict[str, Engine] = {}
        self.calling = ""  # name of the engine whose method runs; errors and hangs are counted for this engine

    def add(self, name: str, engine: Engine) -> None:
        """Add an engine."""
        self.by_name[name] = engine

    def remove(self, name: str) -> None:
        """Stop using an engine."""
        self.by_name.pop(name, None)

    def clear(self) -> None:
        """Remove all engines."""
        self.by_name.clear()
        self.calling = ""

    def call(self, name: str, method: Callable[..., Result], *arguments: object) -> Result:
        """Call a method of an engine, and set `calling` during the call and after an error. Raises ThreadReplaced."""
        self.calling = name
        try:
            result = method(*arguments)
        finally:
            self._require_current()
        self.calling = ""
        return result

    def drop(self, name: str, job_id: str) -> None:
        """Make an engine drop a job; if this fails, report the engine as broken."""
        engine = self.by_name.get(name)
        if engine is None:
            return
        try:
            self.call(name, engine.drop, job_id)
        except ThreadReplaced:
            raise
        except BaseException as error:
            self._broken(name, error)

    def interrupt(self, name: str, job_id: str) -> None:
        """Let an engine end its present step early if possible. Any thread may call this method."""
        if (engine := self.by_name.get(name)) is not None:
            engine.interrupt(job_id)

    def waiting(self) -> set[str]:
        """Return the ids of running requests that wait for the disk or the CPU and need no step now."""
        ids: set[str] = set()
        for name, engine in self.by_name.items():
            self.calling = name
            ids.update(engine.waiting)
        self.calling = ""
        return ids
