"""The status of each engine of the studio, loaded or not."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from engines.base import Checkpoint
from engines.errors import UnknownEngine
from engines.registry import Spec
from engines.types import EngineStatus

NAME_SHOWN = 40  # characters of an unknown engine's name in a message


class EngineStatuses:
    """The EngineStatus of each engine. Any thread may read it."""

    def __init__(self, engines: Mapping[str, tuple[Spec, Checkpoint]], changed: Callable[[EngineStatus], None]) -> None:
        """Create a status for each engine; `changed` is called with every status whose state has changed."""
        self._engines, self._changed = engines, changed
        self._statuses = {name: unloaded(name, *known) for name, known in engines.items()}

    def get(self, name: str) -> EngineStatus:
        """Return the status of an engine. Raises UnknownEngine."""
        if name not in self._statuses:
            raise UnknownEngine(
                f"there is no engine called {name[:NAME_SHOWN]!r} here; choose one of {', '.join(self._statuses)}"
            )
        return self._statuses[name]

    def all(self) -> list[EngineStatus]:
        """Return the status of every engine of the studio, in the given order."""
        return list(self._statuses.values())

    def update(self, name: str, **changes: Any) -> None:
        """Replace fields of a status."""
        self._put(replace(self._statuses[name], **changes))

    def reset(self, name: str) -> None:
        """Mark an engine as unloaded."""
        self._put(unloaded(name, *self._engines[name]))

    def _put(self, status: EngineStatus) -> None:
        before, self._statuses[status.name] = self._statuses[status.name], status
        if status.state != before.state:
            self._changed(status)


def unloaded(name: str, spec: Spec, checkpoint: Checkpoint) -> EngineStatus:
    """Return the status of an unloaded engine."""
    return EngineStatus(
        name=name,
        title=spec.title,
        good_at=spec.good_at,
        settings={setting.name: setting for setting in spec.settings},
        fine_tunes=spec.fine_tunes,
        converts=spec.converts,
        designs=spec.designs,
        reference_max_s=spec.reference_max_s,
        licence=spec.licence(checkpoint),
        likeness=spec.likeness(checkpoint),
        languages=spec.languages_of(checkpoint),
        state="unloaded",
        message="not loaded",
        progress=0.0,
        memory_bytes=0,
        memory_parts={},
        caches=(),
        info=None,
    )
