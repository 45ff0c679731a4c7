"""Prepare requests that arrived before their engine was loaded, on a separate thread."""

import logging
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from weakref import WeakSet

from engines.base import Engine
from engines.errors import EngineError, EngineFailed, NotReady
from engines.scheduling.ticket import Ticket

log = logging.getLogger(__name__)


class Preparation:
    """Prepares requests that the caller's thread could not prepare. The scheduler's thread calls this class."""

    def __init__(self, wake: Callable[[], None], fail: Callable[[Ticket, EngineError], None]) -> None:
        """Create the thread; it calls `wake` after each request, and `fail` for a request that cannot be spoken."""
        self._wake, self._fail = wake, fail
        self._begun: WeakSet[Ticket] = WeakSet()
        self._pool = ThreadPoolExecutor(1, "preparation")

    def is_done(self, ticket: Ticket, engine: Engine) -> bool:
        """Return True if the request is prepared; otherwise start its preparation."""
        if ticket.prepared is None and ticket not in self._begun:
            self._begun.add(ticket)
            self._pool.submit(self._prepare, ticket, engine)
        return ticket.prepared is not None

    def close(self) -> None:
        """Start no further preparation."""
        self._pool.shutdown(wait=False, cancel_futures=True)

    def _prepare(self, ticket: Ticket, engine: Engine) -> None:
        try:
            ticket.prepared = engine.prepare(ticket.request)
        except NotReady:  # the engine was unloaded meanwhile; the request is prepared when it is loaded again
            self._begun.discard(ticket)
        except EngineError as error:
            self._fail(ticket, error)
        except BaseException as error:  # also SystemExit: the request must end
            log.exception("reading a request for %s failed", ticket.request.engine)
            self._fail(ticket, EngineFailed(f"reading this text failed ({error}); change the wording"))
        self._wake()
