"""Output of the commands: results go to stdout; progress and errors go to stderr."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from tqdm import tqdm

from engines.types import Progress
from studio.progress import ProgressReporter

DONE, FAILED, INTERRUPTED = 0, 1, 130  # exit statuses
BAR = "{desc} |{bar:30}| {percentage:3.0f} %"


def show(result: str) -> int:
    """Print a result. Return the exit status of success."""
    sys.stdout.write(f"{result}\n")
    return DONE


def fail(reason: str, status: int = FAILED) -> int:
    """Print an error. Return the exit status."""
    warn(reason)
    return status


def warn(message: str) -> None:
    """Print a message that is not a result."""
    sys.stderr.write(f"{message}\n")


@contextmanager
def progress_bar() -> Iterator[ProgressReporter]:
    """Show a bar until the block ends."""
    with tqdm(total=1.0, bar_format=BAR, file=sys.stderr) as bar:

        def report(progress: Progress) -> None:
            bar.set_description_str(progress.message, refresh=False)
            bar.update(progress.fraction - bar.n)

        yield report
