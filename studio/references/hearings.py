"""What the recogniser heard in parts of clips: it listens to each part once."""

import threading
from collections import OrderedDict

from studio.references.window import Window

KEPT = 512  # parts


class Hearings:
    """Any number of threads may call it. Clips never change under their id."""

    def __init__(self) -> None:
        self._heard: OrderedDict[tuple[str, Window], str] = OrderedDict()
        self._lock = threading.Lock()

    def find(self, clip_id: str, window: Window) -> str:
        """Return the words that were heard in this part; "" if there are none, or nobody listened."""
        with self._lock:
            return self._heard.get((clip_id, window), "")

    def keep(self, clip_id: str, window: Window, words: str) -> None:
        """Store the words of a part."""
        with self._lock:
            self._heard[clip_id, window] = words
            while len(self._heard) > KEPT:
                self._heard.popitem(last=False)
