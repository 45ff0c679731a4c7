"""Answer pickled tasks in a child process. A task is a function; pickle stores only its name.

The pipes connect only the child process and the process that started it, so no other program can send pickles.
"""

import os
import pickle
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import IO

from studio.errors import StudioError


@dataclass(frozen=True, slots=True)
class Failure:
    """A task that raised an error."""

    message: str
    expected: bool  # True for a StudioError, whose message is written for the designer


def serve_pipes(*first: object, trim: Callable[[], object] = lambda: None) -> None:
    """Answer the tasks that arrive at stdin, until it ends. `first` are the first arguments of every task.

    `trim` is called after each answer.
    """
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # so that output of libraries is not read as an answer
    serve(first, sys.stdin.buffer, answers, trim)


def serve(
    first: tuple[object, ...], questions: IO[bytes], answers: IO[bytes], trim: Callable[[], object] = lambda: None
) -> None:
    """Answer tasks until the input ends."""
    while True:
        try:
            task, given = pickle.load(questions)
        except EOFError:
            return
        pickle.dump(answer(task, *first, *given), answers)
        answers.flush()
        trim()


def answer(task: Callable[..., object], *given: object) -> object:
    """Return the result of a task, or a Failure."""
    try:
        return task(*given)
    except StudioError as error:
        return Failure(str(error), expected=True)
    except Exception as error:  # a library failed on unusual audio
        return Failure(f"{type(error).__name__}: {error}", expected=False)
