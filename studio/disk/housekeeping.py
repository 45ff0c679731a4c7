"""Remove items that were deleted a day ago, and leftover files of interrupted work."""

import logging
import os
import shutil
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from studio.disk.clock import ClockWatch, running_s
from studio.disk.disk_space import Bin
from studio.disk.files import PARTIAL, STAGING

log = logging.getLogger(__name__)

UNDO_S = 86_400.0  # a deleted item can be restored for at least this long
UPLOAD_S = 86_400.0  # a page may still show an upload this old
CHECK_S = 5.0  # between checks of the clock and of the disk space
GRACE_S = 600.0  # from the start to the first round: the clock may have been set while the studio was off
ROUND_S = 3_600.0
NONE: Mapping[Callable[[], object], float] = {}
LEFTOVERS = (f".*.????????{PARTIAL}", f"{STAGING}*")  # names of files and folders that a killed process leaves


class Housekeeping:
    """A background thread that removes old files. `swept` maps folders to the age in seconds at which files are removed."""

    def __init__(
        self,
        bins: Sequence[Bin],
        swept: Mapping[Path, float],
        hourly: Mapping[Callable[[], object], float] = NONE,
        check: Callable[[], object] = lambda: None,
        clock: ClockWatch | None = None,
    ) -> None:
        """Call `check` every few seconds, and each function of `hourly` once an hour.

        A function is not called if the clock was set in the last seconds; its value in `hourly` is their number.
        """
        self._bins, self._swept, self._hourly, self._check = bins, swept, hourly, check
        self._clock = clock or ClockWatch()
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="housekeeping", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def close(self) -> None:
        self._stop.set()
        if self._thread.is_alive():
            self._thread.join()

    def tidy(self) -> None:
        """Remove everything that is older than its limit. Skip limits that are longer ago than the clock was set."""
        undisturbed_s = self._clock.undisturbed_s()
        if undisturbed_s >= UNDO_S:
            for deleted in self._bins:
                deleted.purge(UNDO_S)
        for function, after_s in self._hourly.items():
            if undisturbed_s >= after_s:
                function()
        for folder, after_s in self._swept.items():
            if undisturbed_s >= after_s:
                sweep(folder, after_s)

    def _run(self) -> None:
        due_s = running_s() + GRACE_S
        self._attempt(self._check)
        while not self._stop.wait(CHECK_S):
            self._clock.undisturbed_s()
            self._attempt(self._check)
            if running_s() >= due_s:
                due_s = running_s() + ROUND_S
                self._attempt(self.tidy)

    def _attempt(self, work: Callable[[], object]) -> None:
        try:
            work()
        except Exception:
            log.exception("housekeeping failed; trying again later")


def sweep(folder: Path, older_than_s: float, now: Callable[[], float] = time.time) -> int:
    """Remove files not modified for this long, and folders that become empty. Return the number of removed files.

    A file from the future was modified before the clock was set back; its age begins now.
    """
    removed = 0
    for path in sorted(folder.rglob("*"), reverse=True):  # files before the folder they are in
        try:
            if path.is_dir() and not path.is_symlink():
                if not any(path.iterdir()):
                    path.rmdir()
                continue
            age_s = now() - path.lstat().st_mtime
            if age_s > older_than_s:
                path.unlink()
                removed += 1
            elif age_s < -older_than_s:
                os.utime(path, (now(), now()), follow_symlinks=False)
        except OSError as error:  # in use, or swept by another process
            log.info("%s could not be removed: %s", path, error)
    return removed


def sweep_leftovers(data_dir: Path) -> int:
    """Remove unfinished files and folders of killed processes, and return their number. Call it before work begins."""
    found = [path for pattern in LEFTOVERS for path in data_dir.rglob(pattern)]
    for path in found:
        try:
            shutil.rmtree(path) if path.is_dir() else path.unlink()
        except OSError as error:
            log.info("%s could not be removed: %s", path, error)
    return len(found)
