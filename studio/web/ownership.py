"""Ownership: who may change the studio's content and use its credentials. Everybody else is a visitor.

The owner uses a studio that only this machine can reach, or sends the user and password of STUDIO_LOGIN: with each request
(HTTP basic, for programs), or once, for which the browser gets a cookie. This cookie is not the session cookie, because
somebody who planted a session cookie in the owner's browser would then be logged in too. The database stores the digest
of the cookie and a slow hash of the login, which open nothing, survive a restart, and become invalid if the login changes.

The right password is always accepted, however many wrong passwords came before: guessing must not lock the owner out. Each
further login from a place that sent many wrong logins is delayed (`LoginPace`).
"""

import base64
import binascii
import hashlib
import ipaddress
import secrets
import time
from collections.abc import Callable, Mapping
from functools import lru_cache
from urllib.parse import urlsplit

from sqlmodel import Field, Session, SQLModel, col, delete
from starlette.requests import HTTPConnection

from studio.database import open_database, transaction
from studio.errors import Forbidden, TooManyRequests, Unauthenticated
from studio.settings import LOOPBACK, Settings
from studio.web.cookies import cookie_of
from studio.web.proxies import is_forwarded
from studio.web.wrong_logins import TriesRow, WrongLogins

COOKIE = "studio_owner"
LOGIN_S = 30 * 86_400  # validity of a browser's login
CLOCK_AHEAD_S = 60.0  # a login from further in the future is invalid: the clock was wrong
TRIES_FREE = 3  # wrong logins in a row that get status 401; further ones get 429
SLOWLY = {"n": 2**14, "r": 8, "p": 1, "dklen": 32}  # parameters of scrypt: 16 MB and about 50 ms

LOG_IN = "only the owner can do this; log in with the user and password of STUDIO_LOGIN"
FROM_HERE = "only the owner can do this; to log in from another machine, set STUDIO_LOGIN=user:password"
WRONG = "wrong user or password; check STUDIO_LOGIN and try again"
NO_LOGIN = "this studio has no login; set STUDIO_LOGIN=user:password and restart the studio"


class NotOwner(Forbidden):
    """Only the owner may do this, and this caller cannot log in."""


class LoginNeeded(NotOwner, Unauthenticated):
    """Only the owner may do this; user and password are missing or wrong."""


class TooManyTries(NotOwner, TooManyRequests):
    """A wrong login after many others from the same place."""

    wait_s = 1

    def __init__(self, count: int) -> None:
        super().__init__(f"{WRONG} after {self.wait_s} s: {count} wrong logins came from your address")


class LoginRow(SQLModel, table=True):
    """A browser that belongs to the owner."""

    __tablename__ = "owner_login"

    cookie: str = Field(primary_key=True)  # SHA-256 of the cookie
    proof: str  # scrypt of STUDIO_LOGIN at the login
    since: float  # seconds since 1970, UTC


class Ownership:
    """Checks ownership. Thread-safe; several processes share the state in the database."""

    def __init__(self, settings: Settings, now: Callable[[], float] = time.time) -> None:
        """Open the logins; `now` returns seconds since 1970."""
        self._settings = settings
        self._login = settings.login.get_secret_value()
        self._now = now
        self._database = open_database(settings.data_dir, LoginRow, TriesRow)
        self._proof = lru_cache(64)(self._slowly)
        self.wrong_logins = WrongLogins(self._database, now)

    @property
    def has_login(self) -> bool:
        return bool(self._login)

    def holds(self, asker: HTTPConnection) -> bool:
        """Return True if the request comes from the owner."""
        try:
            self.require(asker)
        except NotOwner:
            return False
        return True

    def require(self, asker: HTTPConnection) -> None:
        """Accept only the owner. Raises LoginNeeded, NotOwner or TooManyTries for everybody else."""
        scheme, _, credentials = asker.headers.get("authorization", "").partition(" ")
        # The guard accepts bearer tokens from pages of any site, so the cookie and loopback access do not apply to them.
        bearer = scheme.lower() == "bearer"
        if not self._login:
            if bearer or not self._is_at_home(asker):
                raise NotOwner(FROM_HERE)
            return
        if not bearer and self._is_logged_in(cookie_of(asker.headers, COOKIE)):
            return
        if scheme.lower() != "basic" or not self._is_right(source(asker), _decoded(credentials)):
            raise LoginNeeded(LOG_IN)

    def log_in(self, asker: HTTPConnection, user: str, password: str) -> str:
        """Return the value of a cookie that makes a browser the owner's.

        Raises LoginNeeded, NotOwner, TooManyTries, NotSaved.
        """
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
            session.exec(delete(LoginRow).where(col(LoginRow.cookie) == _digest(cookie_of(asker.headers, COOKIE))))

    def _is_at_home(self, asker: HTTPConnection) -> bool:
        """Return True if only a person on this machine can have sent the request.

        A proxy on this machine forwards requests of strangers, often to localhost and without a header that says so.
        Therefore the answer is False for a studio behind a proxy.
        """
        settings = self._settings
        behind_proxy = settings.root_path or settings.trusted_proxies
        if behind_proxy or not settings.on_loopback or is_proxied(asker):
            return False
        return host_name(asker.headers) in LOOPBACK and self._is_near(asker)

    def _is_near(self, asker: HTTPConnection) -> bool:
        """Return True if the connection comes from this machine. The Unix socket has no address; only this user can open it."""
        if asker.client is None:
            return self._settings.socket is not None
        return _is_loopback(asker.client.host)

    def _is_logged_in(self, value: str) -> bool:
        if not value:
            return False
        with Session(self._database) as session:
            row = session.get(LoginRow, _digest(value))
        if row is None or not -CLOCK_AHEAD_S <= self._now() - row.since < LOGIN_S:
            return False
        return secrets.compare_digest(row.proof, self._proof(row.cookie))

    def _is_right(self, source: str, given: bytes) -> bool:
        """Return True if this is STUDIO_LOGIN, and count wrong logins. Raises TooManyTries for a wrong one after many."""
        # Digests have the same length, so that the duration reveals nothing about the login's length.
        digest, known = hashlib.sha256(given).digest(), hashlib.sha256(self._login.encode()).digest()
        if secrets.compare_digest(digest, known):
            self.wrong_logins.forget(source)
            return True
        if (count := self.wrong_logins.add(source, given)) > TRIES_FREE:
            raise TooManyTries(count)
        return False

    def _slowly(self, cookie: str) -> str:
        """Hash the login with a cookie's digest as salt."""
        return hashlib.scrypt(self._login.encode(), salt=bytes.fromhex(cookie), **SLOWLY).hex()


def host_name(headers: Mapping[str, str]) -> str:
    """Return the host that a request names, without port; empty if it is missing or invalid."""
    return _host_of(f"//{headers.get('host', '')}")


def _host_of(address: str) -> str:
    try:
        return urlsplit(address).hostname or ""
    except ValueError:
        return ""


def is_proxied(asker: HTTPConnection) -> bool:
    """Return True if a proxy sent the request: by a header, HTTP/1.0 (as from nginx), or a page of another host."""
    state, headers = asker.scope.get("state", {}), asker.headers
    if state.get("forwarded") or any(map(is_forwarded, headers)) or asker.scope.get("http_version") == "1.0":
        return True
    pages = [headers[name] for name in ("origin", "referer") if name in headers]
    return any(_host_of(page) not in LOOPBACK for page in pages)


def _digest(value: str) -> str:
    return hashlib.sha256(value.encode()).hexdigest()


def _decoded(credentials: str) -> bytes:
    """Decode user:password of HTTP basic; empty if it is invalid."""
    try:
        return base64.b64decode(credentials, validate=True)
    except (binascii.Error, ValueError):
        return b""


def source(asker: HTTPConnection) -> str:
    """Return the place of a login: an IPv4 address, or the IPv6 network of one customer."""
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
