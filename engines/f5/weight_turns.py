"""Choose the weights of the next step; all rows of a step share one set."""

from collections.abc import Sequence

SLICE = 8  # steps of one set while others wait; a change costs about as much as one step


class WeightTurns:
    """A round robin over sets of weights; the set that waited longest is next."""

    def __init__(self) -> None:
        self._current, self._taken = "", 0
        self._served: dict[str, int] = {}
        self._turns = 0

    def next(self, wanting: Sequence[str]) -> str:
        """Return the set of the next step, chosen from those with rows to compute."""
        others = [key for key in wanting if key != self._current]
        if self._current in wanting and (self._taken < SLICE or not others):
            self._taken += 1
            return self._current
        self._turns += 1
        self._served = {key: turn for key, turn in self._served.items() if key in wanting}
        self._current, self._taken = min(others, key=lambda key: self._served.get(key, 0)), 1
        self._served[self._current] = self._turns
        return self._current
