"""Which program asks, by its API key or its address, and how much it may ask for.

With STUDIO_API_KEYS every request of a program needs `Authorization: Bearer KEY`. The limits count each key by itself, or each
address where no key is asked for.
"""

import hashlib
import secrets
import time
from dataclasses import dataclass

from limits import RateLimitItemPerMinute
from limits.storage import MemoryStorage
from limits.strategies import MovingWindowRateLimiter
from starlette.requests import HTTPConnection

from studio.clock import ClockWatch
from studio.errors import TooManyRequests, Unauthenticated
from studio.settings import Settings, read_keys
from studio.web.ownership import source
from studio.web.session import session_id_of

MINUTE_S = 60.0
KEY_NEEDED = "an API key is missing or wrong; send Authorization: Bearer with a key of STUDIO_API_KEYS"


class KeyNeeded(Unauthenticated):
    """The API key is missing or wrong."""

    challenge = 'Bearer realm="Champion Voice Studio"'


class LimitReached(TooManyRequests):
    """This caller has asked for as much as it may for now."""

    def __init__(self, message: str, wait_s: float) -> None:
        super().__init__(message)
        self.wait_s = max(1, round(wait_s))


@dataclass(frozen=True, slots=True)
class Caller:
    name: str  # of the key, or the address

    @property
    def session_id(self) -> str:
        """Under which its requests take turns: a program keeps no cookie, and would be a new visitor each time."""
        return session_id_of(self.name)


class Callers:
    """Any thread may ask."""

    def __init__(self, settings: Settings, clock: ClockWatch | None = None) -> None:
        self._names = {_digest(key): name for key, name in read_keys(settings.api_keys).items()}
        self._limiter = MovingWindowRateLimiter(MemoryStorage())
        self._clock = clock or ClockWatch()
        self._limits = {
            "requests": settings.api_requests_per_minute,
            "characters": settings.api_characters_per_minute,
        }

    def caller(self, asker: HTTPConnection) -> Caller:
        """Raises KeyNeeded."""
        if not self._names:
            return Caller(f"address {source(asker)}")
        scheme, _, given = asker.headers.get("authorization", "").partition(" ")
        digest = _digest(given.strip() if scheme.lower() == "bearer" else "")
        # Every key is compared, each in constant time, so that the time tells neither whether nor which one is near.
        found = [name for known, name in self._names.items() if secrets.compare_digest(known, digest)]
        if not found:
            raise KeyNeeded(KEY_NEEDED)
        return Caller(f"key {found[0]}")

    def spend(self, caller: Caller, characters: int, requests: int = 1) -> None:
        """Count requests of so many characters together. Raises LimitReached."""
        if not self._clock.undisturbed_s():  # the limiter uses the wall clock; its counts may lie in the future
            self._limiter.storage.reset()
        for what, amount in (("requests", requests), ("characters", characters)):
            allowed = self._limits[what]
            if not (allowed and amount):
                continue
            if amount > allowed:
                raise LimitReached(
                    f"this request exceeds the limit of {allowed:,} {what} per minute; split the request", 60
                )
            limit = RateLimitItemPerMinute(allowed)
            if not self._limiter.hit(limit, caller.name, what, cost=amount):
                resets_at = self._limiter.get_window_stats(limit, caller.name, what).reset_time
                wait_s = min(MINUTE_S, resets_at - time.time())
                raise LimitReached(f"the limit is {allowed:,} {what} per minute; wait a moment", wait_s)


def _digest(key: str) -> bytes:
    """Of one length, so that comparing tells nothing of a key's."""
    return hashlib.sha256(key.encode()).digest()
