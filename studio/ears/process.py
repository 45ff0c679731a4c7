"""The child process of the ears: `python -m studio.ears.process SOURCE THREADS`. It reads pickled tasks from stdin.

The pipes connect only this process and the one that started it, so no other program can send pickles.
"""

import os
import sys

from studio.ears.models import Models
from studio.ears.tasks import serve

NICENESS = 10


def main() -> None:
    """Answer every task with its result, or with a Failure."""
    if hasattr(os, "nice"):
        os.nice(NICENESS)
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # so that output of libraries is not read as an answer
    serve(Models(sys.argv[1], int(sys.argv[2])), sys.stdin.buffer, answers)


if __name__ == "__main__":
    main()
