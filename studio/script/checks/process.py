"""The process in which takes are checked: `python -m studio.script.checks.process`, one pickled take after another.

It serves the process that started it, over their own pipes, so what is pickled comes from nobody else.
"""

import os
import pickle
import sys
from typing import IO

from studio.script.checks.examination import Examination

NICENESS = 10


def main() -> None:
    """Answer every (expected, audio) with what was found, or with the sentence of an unforeseen error."""
    if hasattr(os, "nice"):
        os.nice(NICENESS)
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # what libraries print must not be read as an answer
    serve(sys.stdin.buffer, answers)


def serve(questions: IO[bytes], answers: IO[bytes]) -> None:
    """Until nothing more comes."""
    examination = Examination()
    while True:
        try:
            expected, audio = pickle.load(questions)
        except EOFError:
            return
        try:
            answer: object = examination.check(expected, audio)
        except Exception as error:  # libraries' errors on odd sounds; the take is kept and says so
            answer = f"{type(error).__name__}: {error}"
        pickle.dump(answer, answers)
        answers.flush()


if __name__ == "__main__":
    main()
