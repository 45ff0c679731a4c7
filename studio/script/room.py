"""When a render may use the device: whoever waits for a line goes first."""

from engines.scheduling.manager import Manager
from studio.script.script import SESSION_PREFIX


class Room:
    """Any number of threads may call it."""

    def __init__(self, manager: Manager) -> None:
        self._manager = manager

    def has_place(self, under_way: int) -> bool:
        """Whether another take may begin beside those under way.

        On a CPU one at a time, and nobody else; on a GPU all rows of a step but one, while nobody else waits.
        """
        others = self._others()
        if self._on_cpu():
            return not others and not under_way
        return under_way < self._rows() - 1 and "queued" not in others

    def is_wanted(self) -> bool:
        """Whether others wait for what a render holds. On a CPU their line is heard a step later, not a whole take."""
        return self._on_cpu() and bool(self._others())

    def _others(self) -> list[str]:
        return [each.status.state for each in self._manager.queue() if not each.session_id.startswith(SESSION_PREFIX)]

    def _on_cpu(self) -> bool:
        return all(status.info is None or status.info.device == "cpu" for status in self._manager.statuses())

    def _rows(self) -> int:
        return max((status.info.rows for status in self._manager.statuses() if status.info), default=2)
