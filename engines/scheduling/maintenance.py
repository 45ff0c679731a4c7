"""Maintenance of engines, such as loading and warming, between the steps of requests."""

from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass

REST = 2.0  # while requests run, the next item waits for this many times the device time of the last item
LOW_PRIORITY_SHARE_S = 5.0  # device time that a request without audio gets before a low-priority task continues


@dataclass(frozen=True, slots=True, eq=False)
class MaintenanceTask:
    """An iterator whose items are short pieces of work, and a callback that receives None or the error at its end."""

    items: Iterator[object]
    on_end: Callable[[BaseException | None], None]
    engine: str = ""  # its name; a hang of an item is counted for this engine
    low_priority: bool = False  # runs after all other tasks; low-priority tasks take turns, item by item


class MaintenanceQueue:
    """Maintenance tasks, run in order and one item at a time on the scheduler's thread, low-priority tasks last."""

    def __init__(
        self, added: Callable[[], None], require_current: Callable[[], None], clock: Callable[[], float]
    ) -> None:
        """Create an empty queue. `added` is called after each new task, and `require_current` after each item."""
        self._added, self._require_current, self._clock = added, require_current, clock
        self.running: MaintenanceTask | None = None  # the task whose item runs
        self._tasks: deque[MaintenanceTask] = deque()
        self._low_priority: deque[MaintenanceTask] = deque()
        self._rest_s = 0.0  # seconds of stepping until the next item is due

    def add(self, task: MaintenanceTask) -> None:
        """Queue a task. Any thread may call this method."""
        (self._low_priority if task.low_priority else self._tasks).append(task)
        self._added()

    def clear(self) -> None:
        """Remove all tasks, because a new thread starts."""
        self._tasks.clear()
        self._low_priority.clear()
        self.running, self._rest_s = None, 0.0

    def due(self, unheard: bool) -> bool:
        """Return True if the next item may run; before a low-priority item, `unheard` requests get more device time."""
        return self._rest_s <= (-LOW_PRIORITY_SHARE_S if unheard and not self._tasks else 0)

    def stepped(self, seconds: float) -> None:
        """Count device time that requests used."""
        self._rest_s -= seconds

    def advance(self) -> bool:
        """Run the next item; return False if there is no task."""
        tasks = self._tasks or self._low_priority
        if not tasks:
            return False
        self.running = task = tasks.popleft()
        started = self._clock()
        ended, error = run_item(task.items)
        self._require_current()
        if ended:
            task.on_end(error)
        elif task.low_priority:
            tasks.append(task)
        else:
            tasks.appendleft(task)
        self.running = None
        self._rest_s = REST * (self._clock() - started)
        return True


def run_item(items: Iterator[object]) -> tuple[bool, BaseException | None]:
    """Run the next item. Return True if the task has ended, and the error of the item."""
    try:
        next(items)
    except StopIteration:
        return True, None
    except BaseException as error:  # also SystemExit of a library; the task fails, and the scheduler continues
        return True, error
    return False, None
