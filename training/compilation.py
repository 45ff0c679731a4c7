"""Continue training without compilation if compiled code fails."""

import logging
from collections.abc import Callable
from typing import TypeVar

log = logging.getLogger(__name__)
Figures = TypeVar("Figures")


def compiled_or_not(step: Callable[[], Figures], compiled: bool, give_up: Callable[[], None]) -> Figures:
    """Return the figures of a step. If compiled code fails, call `give_up`, which ends compilation, and repeat the step."""
    try:
        return step()
    except Exception:
        if not compiled:
            raise
        log.exception("compiled training failed; going on without compilation")
        give_up()
        return step()
