"""Ownership: who may change the studio's content and use its credentials. Everybody else is a visitor.

The owner uses a studio that only this machine can reach, or sends the user and password of STUDIO_LOGIN. Programs send them
with each request (HTTP basic). A browser sends them once and gets a cookie. This cookie is not the session cookie: somebody
who planted a session cookie in the owner's browser would be logged in with it. The database stores the digest of the cookie
and a slow hash of the login. They give no access, outlive a restart, and become invalid if the login changes.

The right password is always accepted, after any number of wrong passwords: guesses must not lock the owner out. Further
logins from a place that has sent many wrong logins are delayed (`LoginPace`).
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

from studio.disk.database import open_database, transaction
from studio.errors import Forbidden, TooManyRequests, Unauthenticated
from studio.settings import LOOPBACK, Settings
from studio.web.cookies import cookie_of
from studio.web.proxies import is_forwarded
from studio.web.wrong_logins import TriesRow, WrongLogins

COOKIE = "studio_owner"
LOGIN_S = 30 * 86_400  # validity of a browser's login
CLOCK_AHEAD_S = 60.0  # a login from further in the future is invalid, because the clock was wrong
TRIES_FREE = 3  # wrong logins in a row that get status 401; later ones get 429
SLOWLY = {"n": 2**14, "r": 8, "p": 1, "dklen": 32}  # parameters of scrypt: 16 MB, about 50 ms

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
        super().__init__(f"wrong user or password ({count} failed logins); wait {self.wait_s} s, then try again")


class LoginRow(SQLModel, table=True):
    """A browser that belongs to the owner."""

    __tablename__ = "owner_login"

    cookie: str = Field(primary_key=True)  # SHA-256 of the cookie
    proof: str  # scrypt of STUDIO_LOGIN at the login
    since: float  # seconds since 1970, UTC


class Ownership:
    """Decides whether a request comes from the studio's owner. Thread-safe; processes share the state in the database."""

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

    def holds(self, connection: HTTPConnection) -> bool:
        """Return True if the request comes from the owner."""
        try:
            self.require(connection)
        except NotOwner:
            return False
        return True

    def require(self, connection: HTTPConnection) -> None:
        """Accept only the owner. Raises LoginNeeded, NotOwner or TooManyTries for everybody else."""
        scheme, _, credentials = connection.headers.get("authorization", "").partition(" ")
        # The guard accepts bearer tokens from pages of any site. So a request with a token gets no rights from the cookie or
        # from loopback access.
        bearer = scheme.lower() == "bearer"
        if not self._login:
            if bearer or not self._is_certainly_local(connection):
                raise NotOwner(FROM_HERE)
            return
        if not bearer and self._is_logged_in(cookie_of(connection.headers, COOKIE)):
            return
        if scheme.lower() != "basic" or not self._is_right(source(connection), _decoded(credentials)):
            raise LoginNeeded(LOG_IN)

    def log_in(self, connection: HTTPConnection, user: str, password: str) -> str:
        """Log a browser in as the owner, and return the value of its cookie.

        Raises LoginNeeded, NotOwner, TooManyTries, NotSaved.
        """
        if not self._login:
            raise NotOwner(NO_LOGIN)
        if not self._is_right(source(connection), f"{user}:{password}".encode()):
            raise LoginNeeded(WRONG)
        value = secrets.token_urlsafe(32)
        with transaction(self._database) as session:
            session.exec(delete(LoginRow).where(col(LoginRow.since) < self._now() - LOGIN_S))
            session.add(LoginRow(cookie=_digest(value), proof=self._proof(_digest(value)), since=self._now()))
        return value

    def log_out(self, connection: HTTPConnection) -> None:
        """Delete the browser's login, if it has one. Raises NotSaved."""
        with transaction(self._database) as session:
            session.exec(delete(LoginRow).where(col(LoginRow.cookie) == _digest(cookie_of(connection.headers, COOKIE))))

    def _is_certainly_local(self, connection: HTTPConnection) -> bool:
        """Return True if only a person on this machine can have sent the request.

        A proxy on this machine forwards requests of strangers, often to localhost and without a header that reveals it. So the
        result is False for a studio behind a proxy.
        """
        settings = self._settings
        behind_proxy = settings.root_path or settings.trusted_proxies
        if behind_proxy or not settings.on_loopback or is_proxied(connection):
            return False
        return host_name(connection.headers) in LOOPBACK and self._is_local_connection(connection)

    def _is_local_connection(self, connection: HTTPConnection) -> bool:
        """Return True if the connection comes from this machine. A Unix socket has no address; only this user can open it."""
        if connection.client is None:
            return self._settings.socket is not None
        return _is_loopback(connection.client.host)

    def _is_logged_in(self, value: str) -> bool:
        if not value:
            return False
        with Session(self._database) as session:
            row = session.get(LoginRow, _digest(value))
        if row is None or not -CLOCK_AHEAD_S <= self._now() - row.since < LOGIN_S:
            return False
        return secrets.compare_digest(row.proof, self._proof(row.cookie))

    def _is_right(self, source: str, given: bytes) -> bool:
        """Return True if `given` is STUDIO_LOGIN, else count a wrong login. Raises TooManyTries after many wrong logins."""
        # Digests have equal lengths, so that the response time reveals nothing about the length of the login.
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
    """Return the host name in a request, without the port; empty if it is missing or invalid."""
    return _host_of(f"//{headers.get('host', '')}")


def _host_of(address: str) -> str:
    try:
        return urlsplit(address).hostname or ""
    except ValueError:
        return ""


def is_proxied(connection: HTTPConnection) -> bool:
    """Return True if a proxy sent the request.

    The signs are a forwarding header, HTTP/1.0 (which nginx uses), or an Origin or Referer of another host.
    """
    state, headers = connection.scope.get("state", {}), connection.headers
    if state.get("forwarded") or any(map(is_forwarded, headers)) or connection.scope.get("http_version") == "1.0":
        return True
    pages = [headers[name] for name in ("origin", "referer") if name in headers]
    return any(_host_of(page) not in LOOPBACK for page in pages)


def _digest(value: str) -> str:
    return hashlib.sha256(value.encode()).hexdigest()


def _decoded(credentials: str) -> bytes:
    """Return the decoded user:password of HTTP basic; empty if the encoding is invalid."""
    try:
        return base64.b64decode(credentials, validate=True)
    except (binascii.Error, ValueError):
        return b""


def source(connection: HTTPConnection) -> str:
    """Return the place of a login: an IPv4 address, or the IPv6 network of one customer."""
    host = connection.client.host if connection.client else ""
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
