"""Decide when a render may use the device: other requests come first."""

from collections.abc import Mapping

from engines.scheduling.manager import Manager
from studio.script.format.script import SESSION_PREFIX

# Number of other requests that end while a take waits; without a limit, a busy studio never ends a render.
OTHERS_FIRST_MAX = 8


class RenderAdmission:
    """Watches the scheduler's queue. Used only on the renderer's thread."""

    def __init__(self, manager: Manager, prefix: str = SESSION_PREFIX) -> None:
        """Watch all requests except those of this renderer, whose session ids begin with `prefix`."""
        self._manager, self._prefix = manager, prefix
        self._seen: set[str] = set()  # ids of the other requests since the last take of a render was finished

    def can_begin(self, under_way: int) -> bool:
        """Return True if another take may begin; `under_way` takes have begun.

        On a CPU, one take runs at a time, without other requests or after OTHERS_FIRST_MAX of them ended. On a GPU, takes may
        use all rows of a step but one, as long as no other request waits.
        """
        others = self._others()
        if self._on_cpu():
            return not under_way and not self._has_priority(others)
        return under_way < self._rows() - 1 and "queued" not in others.values()

    def has_others(self) -> bool:
        """Return True if there are requests that do not come from this renderer."""
        return bool(self._others())

    def must_stop(self) -> bool:
        """Return True if running takes must stop for other requests. This is so only on a CPU, within one step."""
        return self._on_cpu() and self._has_priority(self._others())

    def finished(self) -> None:
        """Note that a take is finished. The next take again lets requests pass."""
        self._seen.clear()

    def _has_priority(self, others: Mapping[str, str]) -> bool:
        self._seen |= others.keys()
        return bool(others) and len(self._seen - others.keys()) < OTHERS_FIRST_MAX

    def _others(self) -> dict[str, str]:
        """Return the state of each request that does not come from this renderer, by ticket id."""
        queue = self._manager.queue()
        return {each.ticket_id: each.status.state for each in queue if not each.session_id.startswith(self._prefix)}

    def _on_cpu(self) -> bool:
        return all(status.info is None or status.info.device == "cpu" for status in self._manager.statuses())

    def _rows(self) -> int:
        return max((status.info.rows for status in self._manager.statuses() if status.info), default=2)
