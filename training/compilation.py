"""Training goes on uncompiled where compiled code fails."""

import logging
from collections.abc import Callable
from typing import TypeVar

log = logging.getLogger(__name__)
Figures = TypeVar("Figures")


def compiled_or_not(step: Callable[[], Figures], compiled: bool, give_up: Callable[[], None]) -> Figures:
    """A step's figures; where compiled code fails, `give_up` undoes the compiling and the step is made once more."""
    try:
        return step()
    except Exception:
        if not compiled:
            raise
        log.exception("compiled training failed; going on without compilation")
        give_up()
        return step()
