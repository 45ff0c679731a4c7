"""The process that checks takes: `python -m studio.script.checks.process`. It reads pickled takes from stdin.

It serves only the process that started it, over their pipes, so no other program can send pickles.
"""

import os
import pickle
import sys
from typing import IO

from studio.script.checks.examination import Examination

NICENESS = 10


def main() -> None:
    """Answer every (expected, audio) with the checks, or with the message of an unexpected error."""
    if hasattr(os, "nice"):
        os.nice(NICENESS)
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # output of libraries must not be read as an answer
    serve(sys.stdin.buffer, answers)


def serve(questions: IO[bytes], answers: IO[bytes]) -> None:
    """Answer questions until the input ends."""
    examination = Examination()
    while True:
        try:
            expected, audio = pickle.load(questions)
        except EOFError:
            return
        try:
            answer: object = examination.check(expected, audio)
        except Exception as error:  # a library failed on unusual audio; the take is stored with a note
            answer = f"{type(error).__name__}: {error}"
        pickle.dump(answer, answers)
        answers.flush()


if __name__ == "__main__":
    main()
