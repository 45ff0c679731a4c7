"""What is thrown away without anybody asking: what was deleted a day ago, and files of work that broke off."""

import logging
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Protocol

from studio.history.history import UNDO_S

log = logging.getLogger(__name__)

UPLOAD_S = 86_400.0  # a page may still show an upload this old
ROUND_S = 3_600.0


class Bin(Protocol):
    """Where deleted things wait to be brought back."""

    def purge(self, older_than_s: float) -> int: ...


class Housekeeping:
    """One quiet thread; `swept` are folders of what was left behind, and after how many seconds it may go."""

    def __init__(self, bins: Sequence[Bin], swept: Mapping[Path, float]) -> None:
        self._bins = bins
        self._swept = swept
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="housekeeping", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def close(self) -> None:
        self._stop.set()
        if self._thread.is_alive():
            self._thread.join()

    def tidy(self) -> None:
        for deleted in self._bins:
            deleted.purge(UNDO_S)
        for folder, after_s in self._swept.items():
            sweep(folder, after_s)

    def _run(self) -> None:
        while True:
            try:
                self.tidy()
            except Exception:
                log.exception("housekeeping failed; trying again in an hour")
            if self._stop.wait(ROUND_S):
                return


def sweep(folder: Path, older_than_s: float, now: Callable[[], float] = time.time) -> int:
    """Remove files not touched for this long, and folders that became empty; returns how many files went."""
    removed = 0
    for path in sorted(folder.rglob("*"), reverse=True):  # files before the folder they are in
        try:
            if path.is_dir() and not path.is_symlink():
                if not any(path.iterdir()):
                    path.rmdir()
            elif now() - path.lstat().st_mtime > older_than_s:
                path.unlink()
                removed += 1
        except OSError as error:  # in use, or swept by another process
            log.info("%s could not be swept: %s", path, error)
    return removed
