"""The child process of the ears: `python -m studio.ears.process SOURCE THREADS`. It reads pickled tasks from stdin.

It serves only the process that started it, over their pipes, so no other program can send pickles.
"""

import os
import pickle
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import IO, Any

from studio.ears.models import Models
from studio.errors import StudioError

NICENESS = 10


@dataclass(frozen=True, slots=True)
class Failure:
    """A task that raised an error."""

    message: str
    expected: bool  # True for a StudioError, whose message is written for the designer


def main() -> None:
    """Answer every task with its result, or with a Failure."""
    if hasattr(os, "nice"):
        os.nice(NICENESS)
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # output of libraries must not be read as an answer
    serve(Models(sys.argv[1], int(sys.argv[2])), sys.stdin.buffer, answers)


def serve(models: Models, questions: IO[bytes], answers: IO[bytes]) -> None:
    """Answer questions until the input ends."""
    while True:
        try:
            task, given = pickle.load(questions)
        except EOFError:
            return
        pickle.dump(answer(models, task, given), answers)
        answers.flush()


def answer(models: Models, task: Callable[..., object], given: tuple[Any, ...]) -> object:
    """Return the result of a task, or a Failure."""
    try:
        return task(models, *given)
    except StudioError as error:
        return Failure(str(error), expected=True)
    except Exception as error:  # a library failed on unusual audio
        return Failure(f"{type(error).__name__}: {error}", expected=False)


if __name__ == "__main__":
    main()
