"""Transcripts of parts of clips; each part is transcribed once."""

import threading
from collections import OrderedDict

from studio.ears.vocabulary import Transcript
from studio.references.window import Window

KEPT = 512  # maximum number of parts


class Hearings:
    """A bounded cache. Thread-safe. Entries stay valid, because clips never change."""

    def __init__(self) -> None:
        self._heard: OrderedDict[tuple[str, Window], Transcript] = OrderedDict()
        self._lock = threading.Lock()

    def find(self, clip_id: str, window: Window) -> Transcript | None:
        """Return the transcript of a part; None if the part was not transcribed."""
        with self._lock:
            return self._heard.get((clip_id, window))

    def keep(self, clip_id: str, window: Window, transcript: Transcript) -> None:
        """Store the transcript of a part."""
        with self._lock:
            self._heard[clip_id, window] = transcript
            while len(self._heard) > KEPT:
                self._heard.popitem(last=False)
