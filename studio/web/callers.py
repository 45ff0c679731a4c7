"""Identify programs by API key or address, and apply their limits.

With STUDIO_API_KEYS, every request of a program needs `Authorization: Bearer KEY`. Limits apply to each key or, without
keys, to each address.
"""

import hashlib
import secrets
import time
from dataclasses import dataclass

from limits import RateLimitItemPerMinute
from limits.storage import MemoryStorage
from limits.strategies import MovingWindowRateLimiter
from starlette.requests import HTTPConnection

from studio.disk.clock import ClockWatch
from studio.errors import TooManyRequests, Unauthenticated
from studio.progress import plural
from studio.setting_values import read_keys
from studio.settings import Settings
from studio.web.ownership import source
from studio.web.session import session_id_of

MINUTE_S = 60.0
KEY_NEEDED = "an API key is missing or wrong; send Authorization: Bearer with a key of STUDIO_API_KEYS"


class KeyNeeded(Unauthenticated):
    """The API key is missing or wrong."""

    challenge = 'Bearer realm="Champion Voice Studio"'


class LimitReached(TooManyRequests):
    """The caller has reached a limit and must wait."""

    def __init__(self, message: str, wait_s: float) -> None:
        super().__init__(message)
        self.wait_s = max(1, round(wait_s))


@dataclass(frozen=True, slots=True)
class Caller:
    """A program, identified by its key or address."""

    name: str  # the name of the key, or the address

    @property
    def session_id(self) -> str:
        """Return the session in which its requests take turns.

        A program stores no cookie, so each request would get a new session.
        """
        return session_id_of(self.name)


class Callers:
    """Keys and limits of programs. Thread-safe."""

    def __init__(self, settings: Settings, clock: ClockWatch | None = None) -> None:
        self._names = {_digest(key): name for key, name in read_keys(settings.api_keys).items()}
        self._limiter = MovingWindowRateLimiter(MemoryStorage())
        self._clock = clock or ClockWatch()
        self._limits = {
            "requests": settings.api_requests_per_minute,
            "characters": settings.api_characters_per_minute,
        }

    def caller(self, connection: HTTPConnection) -> Caller:
        """Identify the sender of a request. Raises KeyNeeded."""
        if not self._names:
            return Caller(f"address {source(connection)}")
        scheme, _, given = connection.headers.get("authorization", "").partition(" ")
        digest = _digest(given.strip() if scheme.lower() == "bearer" else "")
        # Every key is compared in constant time, so that the response time reveals nothing about the keys.
        found = [name for known, name in self._names.items() if secrets.compare_digest(known, digest)]
        if not found:
            raise KeyNeeded(KEY_NEEDED)
        return Caller(f"key {found[0]}")

    def spend(self, caller: Caller, characters: int, requests: int = 1) -> None:
        """Count requests with this many characters in total. Raises LimitReached."""
        if not self._clock.undisturbed_s():  # the limiter uses the wall clock, so its counts may be in the future
            self._limiter.storage.reset()
        for what, amount in (("requests", requests), ("characters", characters)):
            allowed = self._limits[what]
            if not (allowed and amount):
                continue
            most = plural(allowed, what.removesuffix("s"))
            if amount > allowed:
                raise LimitReached(f"this request exceeds the limit of {most} per minute; split the request", 60)
            limit = RateLimitItemPerMinute(allowed)
            if not self._limiter.hit(limit, caller.name, what, cost=amount):
                resets_at = self._limiter.get_window_stats(limit, caller.name, what).reset_time
                wait_s = min(MINUTE_S, resets_at - time.time())
                raise LimitReached(f"the limit is {most} per minute; wait a moment", wait_s)


def _digest(key: str) -> bytes:
    """Return a digest of fixed length, so that comparisons reveal nothing about the length of a key."""
    return hashlib.sha256(key.encode()).digest()
