"""How long requests take: learned from finished ones, asked for ETAs."""

from collections.abc import Sequence

from engines.ticket import Ticket

LEARNING = 0.3  # weight of the newest take
SURE_PROGRESS = 0.2  # from here on a request's own progress tells more than the average


class Pace:
    """Device seconds per character of text, by engine and steps."""

    def __init__(self) -> None:
        self._per_character: dict[tuple[str, int | None], float] = {}

    def learn(self, ticket: Ticket) -> None:
        """Take in a finished request."""
        key = (ticket.request.engine, ticket.request.steps)
        new = ticket.compute_s / max(1, len(ticket.request.text))
        old = self._per_character.get(key, new)
        self._per_character[key] = old + LEARNING * (new - old)

    def until_done(self, running: Sequence[Ticket], waiting: Sequence[Ticket]) -> float | None:
        """Seconds until the last of `waiting` is done; None if nothing like it was timed."""
        parts = [self._left(ticket) for ticket in (*running, *waiting)]
        known = [part for part in parts if part is not None]
        return sum(known) if len(known) == len(parts) else None

    def remaining(self, ticket: Ticket, sharing: int) -> float | None:
        """Seconds until a running request is done when `sharing` requests share the device."""
        left = self._left(ticket)
        return None if left is None else left * max(1, sharing)

    def _left(self, ticket: Ticket) -> float | None:
        """Device seconds this request still needs."""
        if ticket.progress >= SURE_PROGRESS:
            return ticket.compute_s * (1 - ticket.progress) / ticket.progress
        rate = self._per_character.get((ticket.request.engine, ticket.request.steps))
        return None if rate is None else rate * len(ticket.request.text) * (1 - ticket.progress)
