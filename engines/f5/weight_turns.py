"""Which set of weights the network computes with: rows of one set move at a time."""

from collections.abc import Sequence

SLICE = 8  # steps of one set while others wait; changing sets costs about one


class WeightTurns:
    """Sets take turns, the one served longest ago first, so that none waits for ever."""

    def __init__(self) -> None:
        self._current, self._taken = "", 0
        self._served: dict[str, int] = {}
        self._turns = 0

    def next(self, wanting: Sequence[str]) -> str:
        """Of the sets that have something to compute, which one does the next step."""
        others = [key for key in wanting if key != self._current]
        if self._current in wanting and (self._taken < SLICE or not others):
            self._taken += 1
            return self._current
        self._turns += 1
        self._served = {key: turn for key, turn in self._served.items() if key in wanting}
        self._current, self._taken = min(others, key=lambda key: self._served.get(key, 0)), 1
        self._served[self._current] = self._turns
        return self._current
