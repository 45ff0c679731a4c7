"""Whose studio this is: who may change what it keeps and spend its credentials. Everybody else visits.

The owner sits at a studio that only this machine reaches, or gave STUDIO_LOGIN's user and password: with the request
itself (HTTP basic, which programs send), or once, for which the browser got a cookie. The cookie is not the session's:
whoever planted that one in the owner's browser would be logged in with it. The database knows a login by the cookie's
digest and a slow hash of what was given for it, so that it opens nothing, outlives a restart, and ends with the login.
"""

import base64
import binascii
import hashlib
import ipaddress
import logging
import secrets
import threading
import time
from collections.abc import Callable, Mapping
from functools import lru_cache
from urllib.parse import urlsplit

from sqlmodel import Field, Session, SQLModel, col, delete
from starlette.requests import HTTPConnection

from studio.database import open_database, transaction
from studio.errors import Forbidden, TooManyRequests, Unauthenticated
from studio.settings import LOOPBACK, Settings

log = logging.getLogger(__name__)

COOKIE = "studio_owner"
LOGIN_S = 30 * 86_400  # how long a browser stays the owner's
TRIES_FREE, TRIES_WAIT_S = 3, 30.0  # wrong ones in a row that cost no time; the longest wait for another
TRIES_KEPT_S = 3_600.0
SLOWLY = {"n": 2**14, "r": 8, "p": 1, "dklen": 32}  # of scrypt: 16 MB and some 50 ms
# What a proxy says it passes on for somebody else, whom this machine's own address does not make the owner.
FORWARDED = ("forwarded", "via", "x-forwarded-for", "x-forwarded-host", "x-real-ip")

LOG_IN = "this belongs to the studio's owner; log in with STUDIO_LOGIN's user and password"
FROM_HERE = "this belongs to the studio's owner; set STUDIO_LOGIN=user:password to do it from elsewhere"
WRONG = "this is not STUDIO_LOGIN's user and password; correct it and try again"
NO_LOGIN = "this studio knows no login; set STUDIO_LOGIN=user:password and start it anew"


class NotOwner(Forbidden):
    """Only the studio's owner may do this, and whoever asks cannot become the owner by asking."""


class LoginNeeded(NotOwner, Unauthenticated):
    """Only the studio's owner may do this; user and password are missing or wrong."""


class TooManyTries(NotOwner, TooManyRequests):
    """So many wrong logins came from there that the next one is not looked at yet."""

    def __init__(self, wait_s: float) -> None:
        self.wait_s = max(1, round(wait_s))
        super().__init__(f"too many wrong logins came from there; wait {self.wait_s} s, then try again")


class LoginRow(SQLModel, table=True):
    """A browser that is the owner's."""

    __tablename__ = "owner_login"

    cookie: str = Field(primary_key=True)  # its SHA-256
    proof: str  # scrypt of the STUDIO_LOGIN that was given for it
    since: float  # seconds since 1970, UTC


class TriesRow(SQLModel, table=True):
    """Wrong logins in a row, by where they came from."""

    __tablename__ = "wrong_login"

    source: str = Field(primary_key=True)
    count: int
    last_at: float  # seconds since 1970, UTC


class Ownership:
    """Any number of threads and processes may ask; what they know lies in the database."""

    def __init__(self, settings: Settings, now: Callable[[], float] = time.time) -> None:
        """`now` gives seconds since 1970."""
        self._settings = settings
        self._login = settings.login.get_secret_value()
        self._now = now
        self._database = open_database(settings.data_dir, LoginRow, TriesRow)
        self._proof = lru_cache(64)(self._slowly)
        self._trying = threading.Lock()  # many at once would be looked at before the first is counted

    @property
    def has_login(self) -> bool:
        return bool(self._login)

    def holds(self, asker: HTTPConnection) -> bool:
        """Whether the owner asks."""
        try:
            self.require(asker)
        except NotOwner:
            return False
        return True

    def require(self, asker: HTTPConnection) -> None:
        """Raises LoginNeeded, NotOwner or TooManyTries for everybody but the owner."""
        scheme, _, credentials = asker.headers.get("authorization", "").partition(" ")
        # The guard lets bearers through from any site's page, so they have no part in the cookie or the loopback.
        bearer = scheme.lower() == "bearer"
        if not self._login:
            if bearer or not self._is_at_home(asker):
                raise NotOwner(FROM_HERE)
            return
        if not bearer and self._is_logged_in(asker.cookies.get(COOKIE, "")):
            return
        if scheme.lower() != "basic" or not self._is_right(source(asker), _decoded(credentials)):
            raise LoginNeeded(LOG_IN)

    def log_in(self, asker: HTTPConnection, user: str, password: str) -> str:
        """The value of a cookie that makes a browser the owner's. Raises LoginNeeded, NotOwner, TooManyTries, NotSaved."""
        if not self._login:
            raise NotOwner(NO_LOGIN)
        if not self._is_right(source(asker), f"{user}:{password}".encode()):
            raise LoginNeeded(WRONG)
        value = secrets.token_urlsafe(32)
        with transaction(self._database) as session:
            session.exec(delete(LoginRow).where(col(LoginRow.since) < self._now() - LOGIN_S))
            session.add(LoginRow(cookie=_digest(value), proof=self._proof(_digest(value)), since=self._now()))
        return value

    def log_out(self, asker: HTTPConnection) -> None:
        """Forget the browser's login, if it has one. Raises NotSaved."""
        with transaction(self._database) as session:
            session.exec(delete(LoginRow).where(col(LoginRow.cookie) == _digest(asker.cookies.get(COOKIE, ""))))

    def _is_at_home(self, asker: HTTPConnection) -> bool:
        """The Host header is looked at because a proxy on this machine passes on what strangers ask."""
        here = self._settings.on_loopback and host_name(asker.headers) in LOOPBACK
        passed_on = any(name in asker.headers for name in FORWARDED)
        return here and not passed_on and self._is_near(asker)

    def _is_near(self, asker: HTTPConnection) -> bool:
        """Whether the connection comes from this machine. One through the socket has no address; only this user may open it."""
        if asker.client is None:
            return self._settings.socket is not None
        return _is_loopback(asker.client.host)

    def _is_logged_in(self, value: str) -> bool:
        if not value:
            return False
        with Session(self._database) as session:
            row = session.get(LoginRow, _digest(value))
        # A login from the future was made before the clock was set back.
        fresh = row is not None and abs(self._now() - row.since) < LOGIN_S
        return fresh and row is not None and secrets.compare_digest(row.proof, self._proof(row.cookie))

    def _is_right(self, source: str, given: bytes) -> bool:
        """Whether this is STUDIO_LOGIN; a wrong one is counted. Raises TooManyTries."""
        with self._trying:
            with Session(self._database) as session:
                tries = session.get(TriesRow, source)
            count = tries.count if tries and self._now() - tries.last_at < TRIES_KEPT_S else 0
            if tries and (wait_s := tries.last_at + _wait_s(count) - self._now()) > 0:
                raise TooManyTries(wait_s)
            # Digests have one length, so that the time tells nothing of the login's.
            known = hashlib.sha256(self._login.encode()).digest()
            right = secrets.compare_digest(hashlib.sha256(given).digest(), known)
            if not right or count:
                self._count(source, 0 if right else count + 1)
            return right

    def _count(self, source: str, count: int) -> None:
        with transaction(self._database) as session:
            old = (col(TriesRow.last_at) < self._now() - TRIES_KEPT_S) | (col(TriesRow.source) == source)
            session.exec(delete(TriesRow).where(old))
            if count:
                log.warning("wrong login from %s, number %d in a row", source or "an unknown address", count)
                session.add(TriesRow(source=source, count=count, last_at=self._now()))

    def _slowly(self, cookie: str) -> str:
        """The login hashed with a cookie's digest as its salt."""
        return hashlib.scrypt(self._login.encode(), salt=bytes.fromhex(cookie), **SLOWLY).hex()


def host_name(headers: Mapping[str, str]) -> str:
    """The host a request names, without its port; empty where it names none that can be read."""
    try:
        return urlsplit(f"//{headers.get('host', '')}").hostname or ""
    except ValueError:
        return ""


def _wait_s(wrong: int) -> float:
    """From the last of so many wrong logins in a row to the next that is looked at."""
    return 0.0 if wrong < TRIES_FREE else min(TRIES_WAIT_S, 2.0 ** (wrong - TRIES_FREE))


def _digest(value: str) -> str:
    return hashlib.sha256(value.encode()).hexdigest()


def _decoded(credentials: str) -> bytes:
    """user:password of HTTP basic; empty if it is something else."""
    try:
        return base64.b64decode(credentials, validate=True)
    except (binascii.Error, ValueError):
        return b""


def source(asker: HTTPConnection) -> str:
    """Where logins come from: an address, for IPv6 the network that one customer has."""
    host = asker.client.host if asker.client else ""
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return host
    if isinstance(address, ipaddress.IPv4Address):
        return str(address)
    return str(address.ipv4_mapped or ipaddress.ip_network((int(address), 64), strict=False))


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
