"""Loading and warming of engines, done between the steps of requests."""

from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass

REST = 2.0  # stepping gets this many times the device time of the last item before the next item, while requests run


@dataclass(frozen=True, slots=True, eq=False)
class ControlTask:
    """An iterator whose items are short pieces of work, and who is told how it ended: None or the error."""

    items: Iterator[object]
    ended: Callable[[Exception | None], None]


class ControlWork:
    """Control tasks, done one after another and one item at a time on the scheduler's thread."""

    def __init__(self, added: Callable[[], None], clock: Callable[[], float]) -> None:
        """`added` is called after each task that was queued."""
        self._added, self._clock = added, clock
        self._tasks: deque[ControlTask] = deque()
        self._rest_s = 0.0  # seconds of stepping until the next item is due

    def add(self, task: ControlTask) -> None:
        """Queue a task; from any thread."""
        self._tasks.append(task)
        self._added()

    @property
    def due(self) -> bool:
        """Whether requests that run have had their share of the device since the last item."""
        return self._rest_s <= 0

    def stepped(self, seconds: float) -> None:
        """Count device time that went to requests."""
        self._rest_s -= seconds

    def advance(self) -> bool:
        """Do the next item; false if there is no task."""
        if not self._tasks:
            return False
        task = self._tasks[0]
        started = self._clock()
        try:
            next(task.items)
        except StopIteration:
            self._end(task, None)
        except Exception as error:
            self._end(task, error)
        self._rest_s = REST * (self._clock() - started)
        return True

    def _end(self, task: ControlTask, error: Exception | None) -> None:
        self._tasks.popleft()
        task.ended(error)
