"""Loading and warming of engines, done between the steps of requests."""

from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass

REST = 2.0  # stepping gets this many times the device time of the last item before the next item, while requests run
PATIENCE_S = 5.0  # device time that a request which nobody has heard yet gets before patient tasks go on


@dataclass(frozen=True, slots=True, eq=False)
class ControlTask:
    """An iterator whose items are short pieces of work, and who is told how it ended: None or the error."""

    items: Iterator[object]
    ended: Callable[[Exception | None], None]
    patient: bool = False  # begins when no other kind is left; patient tasks take turns, item by item


class ControlWork:
    """Control tasks, done in order and one item at a time on the scheduler's thread; then the patient ones."""

    def __init__(self, added: Callable[[], None], clock: Callable[[], float]) -> None:
        """`added` is called after each task that was queued."""
        self._added, self._clock = added, clock
        self._tasks: deque[ControlTask] = deque()
        self._patient: deque[ControlTask] = deque()
        self._rest_s = 0.0  # seconds of stepping until the next item is due

    def add(self, task: ControlTask) -> None:
        """Queue a task; from any thread."""
        (self._patient if task.patient else self._tasks).append(task)
        self._added()

    def due(self, unheard: bool) -> bool:
        """Whether requests that run, some of which may be `unheard`, have had their share of the device since the last item."""
        return self._rest_s <= (-PATIENCE_S if unheard and not self._tasks else 0)

    def stepped(self, seconds: float) -> None:
        """Count device time that went to requests."""
        self._rest_s -= seconds

    def advance(self) -> bool:
        """Do the next item; false if there is no task."""
        tasks = self._tasks or self._patient
        if not tasks:
            return False
        task = tasks.popleft()
        started = self._clock()
        try:
            next(task.items)
        except StopIteration:
            task.ended(None)
        except Exception as error:
            task.ended(error)
        else:
            tasks.append(task) if task.patient else tasks.appendleft(task)
        self._rest_s = REST * (self._clock() - started)
        return True
