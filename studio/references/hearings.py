"""Texts that the recogniser heard in parts of clips; each part is transcribed once."""

import threading
from collections import OrderedDict

from studio.references.window import Window

KEPT = 512  # parts


class Hearings:
    """A bounded cache. Thread-safe. Entries stay valid, because clips never change."""

    def __init__(self) -> None:
        self._heard: OrderedDict[tuple[str, Window], str] = OrderedDict()
        self._lock = threading.Lock()

    def find(self, clip_id: str, window: Window) -> str:
        """Return the words of a part; "" if there are none, or if the part was not transcribed."""
        with self._lock:
            return self._heard.get((clip_id, window), "")

    def keep(self, clip_id: str, window: Window, words: str) -> None:
        """Store the words of a part."""
        with self._lock:
            self._heard[clip_id, window] = words
            while len(self._heard) > KEPT:
                self._heard.popitem(last=False)
