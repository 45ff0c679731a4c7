"""Invitation links: a secret opens one listening session, until the link expires or is revoked."""

import hashlib
import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from studio.listening.sessions.rows import InvitationRow, SessionTables
from studio.listening.sessions.session import InvalidInvitation

DAY_S = 86_400.0


@dataclass(frozen=True, slots=True)
class NewInvitation:
    """An invitation with its secret, which is not stored and is shown once."""

    row: InvitationRow
    secret: str


class Invitations:
    """The links of all sessions. Thread-safe."""

    def __init__(self, tables: SessionTables, now: Callable[[], float]) -> None:
        self._tables, self._now = tables, now

    def create(self, listening_id: str, note: str = "", days: float | None = None) -> NewInvitation:
        """Return a new link that is valid for `days`; None is without limit. Raises NotSaved."""
        secret, now = secrets.token_urlsafe(16), self._now()
        row = InvitationRow(
            id=digest(secret),
            listening_id=listening_id,
            note=note,
            created_at=now,
            expires_at=None if days is None else now + days * DAY_S,
        )
        self._tables.invitations.add(row)
        return NewInvitation(row, secret)

    def of(self, listening_id: str) -> Sequence[InvitationRow]:
        """Return the links of a session, oldest first."""
        return sorted(self._tables.invitations.where(listening_id=listening_id), key=lambda row: row.created_at)

    def revoke(self, listening_id: str, id: str) -> None:
        """Make a link invalid. Votes stay. Raises InvalidInvitation, NotSaved."""
        row = self._tables.invitations.get(id)
        if row is None or row.listening_id != listening_id:
            raise InvalidInvitation("this link does not exist; reload the page")
        if row.revoked_at is None:
            self._tables.invitations.change(id, revoked_at=self._now())

    def open(self, secret: str) -> InvitationRow:
        """Return the link with this secret. Raises InvalidInvitation if it is unknown, expired or revoked."""
        row = self._tables.invitations.get(digest(secret))
        if row is None:
            raise InvalidInvitation("this link is not known; ask for a new link")
        if row.revoked_at is not None:
            raise InvalidInvitation("this link was withdrawn; ask for a new link")
        if row.expires_at is not None and self._now() >= row.expires_at:
            raise InvalidInvitation("this link has expired; ask for a new link")
        return row


def digest(secret: str) -> str:
    """Return what is stored of a secret."""
    return hashlib.sha256(secret.encode()).hexdigest()[:32]
