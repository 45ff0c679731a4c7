"""Answer pickled tasks. A task is a function whose arguments are the models and further values; pickle stores only its name."""

import pickle
from collections.abc import Callable
from dataclasses import dataclass
from typing import IO, Any

from studio.ears.models import Models
from studio.errors import StudioError
from studio.memory import glibc_trim


@dataclass(frozen=True, slots=True)
class Failure:
    """A task that raised an error."""

    message: str
    expected: bool  # True for a StudioError, whose message is written for the designer


def serve(models: Models, questions: IO[bytes], answers: IO[bytes]) -> None:
    """Answer tasks until the input ends. Return freed memory to the system after each answer."""
    trim = glibc_trim()
    while True:
        try:
            task, given = pickle.load(questions)
        except EOFError:
            return
        pickle.dump(answer(models, task, given), answers)
        answers.flush()
        trim()


def answer(models: Models, task: Callable[..., object], given: tuple[Any, ...]) -> object:
    """Return the result of a task, or a Failure."""
    try:
        return task(models, *given)
    except StudioError as error:
        return Failure(str(error), expected=True)
    except Exception as error:  # a library failed on unusual audio
        return Failure(f"{type(error).__name__}: {error}", expected=False)
