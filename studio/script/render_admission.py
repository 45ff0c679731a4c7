"""Decides when a render may use the device: other requests come first."""

from engines.scheduling.manager import Manager
from studio.script.script import SESSION_PREFIX


class RenderAdmission:
    """Watches the scheduler's queue. Thread-safe."""

    def __init__(self, manager: Manager) -> None:
        self._manager = manager

    def can_begin(self, under_way: int) -> bool:
        """Return True if another take may begin in addition to those under way.

        On a CPU one take runs at a time, and only without other requests. On a GPU all rows of a step but one are used,
        while no other request waits.
        """
        others = self._others()
        if self._on_cpu():
            return not others and not under_way
        return under_way < self._rows() - 1 and "queued" not in others

    def is_wanted(self) -> bool:
        """Return True if other requests need the device that a render uses. On a CPU a render gives way within a step."""
        return self._on_cpu() and bool(self._others())

    def _others(self) -> list[str]:
        return [each.status.state for each in self._manager.queue() if not each.session_id.startswith(SESSION_PREFIX)]

    def _on_cpu(self) -> bool:
        return all(status.info is None or status.info.device == "cpu" for status in self._manager.statuses())

    def _rows(self) -> int:
        return max((status.info.rows for status in self._manager.statuses() if status.info), default=2)
