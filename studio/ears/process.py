"""The child process of the ears: `python -m studio.ears.process SOURCE THREADS`. It answers the tasks that arrive at stdin."""

import os
import sys

from studio.ears.models import Models
from studio.ears.tasks import serve_pipes

NICENESS = 10


def main() -> None:
    """Answer every task with its result, or with a Failure."""
    if hasattr(os, "nice"):
        os.nice(NICENESS)
    serve_pipes(Models(sys.argv[1], int(sys.argv[2])))


if __name__ == "__main__":
    main()
