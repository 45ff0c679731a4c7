"""The child process of the ears: `python -m studio.ears.process SOURCE THREADS`. It answers the tasks that arrive at stdin."""

import os
import sys

from studio.ears.models import Models
from studio.ears.tasks import serve_pipes
from studio.memory import glibc_trim

NICENESS = 10


def main() -> None:
    """Answer every task with its result, or with a Failure."""
    if hasattr(os, "nice"):
        os.nice(NICENESS)
    # Models take hundreds of megabytes for a task. Freed memory goes back to the system, although the next task is then slower.
    serve_pipes(Models(sys.argv[1], int(sys.argv[2])), trim=glibc_trim())


if __name__ == "__main__":
    main()
