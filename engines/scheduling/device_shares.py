"""Share the device's time among the engines."""

from collections.abc import Collection

PRIORITY_S = 1.0  # device time that an urgent engine may use more than the least used engine


class DeviceShares:
    """Chooses the engine that steps next: the one that has used the least device time.

    An urgent engine steps first, unless it has used `PRIORITY_S` more than the least used engine. When an engine gets work
    again, its time is raised to that of the least used engine, so idle time gives no priority. The scheduler's thread calls
    this class; `clear` is called for a new thread, while an old one may still hang in a step.
    """

    def __init__(self) -> None:
        self._used_s: dict[str, float] = {}
        self._able: Collection[str] = ()
        self._least_s = 0.0  # time of the least used engine at the last choice

    def add(self, name: str) -> None:
        """Add an engine."""
        self._used_s[name] = self._least_s

    def remove(self, name: str) -> None:
        """Remove an engine, if it is there."""
        self._used_s.pop(name, None)

    def clear(self) -> None:
        """Remove all engines."""
        self._used_s, self._able, self._least_s = {}, (), 0.0

    def charge(self, name: str, seconds: float) -> None:
        """Add device time to an engine."""
        self._used_s[name] += seconds

    def choose(self, able: Collection[str], urgent: Collection[str]) -> str | None:
        """Return the engine among `able`, which have work, that steps next; None if there is none."""
        names = [name for name in self._used_s if name in able]
        if not names:
            return None
        self._start(names)
        least = min(names, key=self._used_s.__getitem__)
        first = min((name for name in names if name in urgent), key=self._used_s.__getitem__, default=least)
        return first if self._used_s[first] - self._used_s[least] < PRIORITY_S else least

    def _start(self, names: Collection[str]) -> None:
        """Raise the time of engines that had no work before."""
        self._least_s = min((self._used_s[name] for name in names if name in self._able), default=self._least_s)
        for name in names:
            if name not in self._able:
                self._used_s[name] = max(self._used_s[name], self._least_s)
        self._able = names
