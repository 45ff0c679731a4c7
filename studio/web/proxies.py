"""Apply the headers of reverse proxies in front of the studio, and the path prefix that they strip.

X-Forwarded-For, -Proto, -Host and -Prefix are used if a proxy of STUDIO_TRUSTED_PROXIES sent them. From all other senders
they are removed, so that no later code reads a forged header.
"""

import logging
from ipaddress import IPv4Address, IPv6Address, ip_address

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from studio.setting_values import Network, is_root_path
from studio.settings import Settings

log = logging.getLogger(__name__)

# Headers that proxies add. The sender of such a request is behind the proxy, so the proxy's address gives no rights.
FORWARDED = frozenset(
    {
        "cf-connecting-ip",
        "fastly-client-ip",
        "forwarded",
        "true-client-ip",
        "via",
        "x-client-ip",
        "x-cluster-client-ip",
        "x-envoy-external-address",
        "x-gradio-server",
        "x-original-forwarded-for",
        "x-original-host",
        "x-original-url",
        "x-real-ip",
        "x-rewrite-url",
    }
)
PREFIX = "x-forwarded-"
SCHEMES = ("http", "https", "ws", "wss")
IGNORED = (
    "X-Forwarded headers from %s are ignored; if this is the address of your proxy, add it to STUDIO_TRUSTED_PROXIES"
)


class Proxies:
    """ASGI middleware in front of all others."""

    def __init__(self, app: ASGIApp, settings: Settings) -> None:
        self._app = app
        self._root_path = settings.root_path
        self._trusted = settings.trusted_proxies
        self._warned = False

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._app(self._seen(scope) if scope["type"] in ("http", "websocket") else scope, receive, send)

    def _seen(self, scope: Scope) -> Scope:
        """Return the scope as it would be without the proxy."""
        headers = Headers(scope=scope)
        forwarded = any(is_forwarded(name) for name in headers)
        kept = [(name, value) for name, value in scope["headers"] if not is_forwarded(name.decode("latin-1"))]
        seen = {**scope, "headers": kept, "state": {**scope.get("state", {}), "forwarded": forwarded}}
        root_path = self._root_path
        if self._is_trusted(_host(scope)):
            root_path = _root_path(headers) or root_path
            seen |= self._forwarded(headers, scope)
        elif forwarded:
            self._warn(_host(scope))
        seen["root_path"] = scope.get("root_path", "") + root_path
        for name in ("path", "raw_path"):
            if scope.get(name) is not None:
                front = root_path.encode() if isinstance(scope[name], bytes) else root_path
                seen[name] = front + scope[name]
        return seen

    def _forwarded(self, headers: Headers, scope: Scope) -> Scope:
        """Return the client, its scheme and the requested host, from the headers of a trusted proxy."""
        original: Scope = {}
        if client := self._client(headers.getlist("x-forwarded-for")):
            original["client"] = client
        scheme = _last(headers, "x-forwarded-proto").lower()
        if scheme in SCHEMES:
            secure = scheme in ("https", "wss")
            names = ("ws", "wss") if scope["type"] == "websocket" else ("http", "https")
            original["scheme"] = names[secure]
        if host := _last(headers, "x-forwarded-host"):
            others = [pair for pair in scope["headers"] if not is_forwarded(pair[0].decode("latin-1"))]
            original["headers"] = [pair for pair in others if pair[0] != b"host"] + [(b"host", host.encode("latin-1"))]
        return original

    def _client(self, sent: list[str]) -> tuple[str, int] | None:
        """Return the last address that does not belong to a trusted proxy. A client may have forged the addresses before it."""
        found = None
        for written in reversed(",".join(sent).split(",")):
            try:
                found = _read(written.strip())
            except ValueError:
                return found
            if not self._is_trusted(found[0]):
                return found
        return found

    def _is_trusted(self, host: str) -> bool:
        return is_within(host, self._trusted)

    def _warn(self, host: str) -> None:
        if not self._warned:
            self._warned = True
            log.warning(IGNORED, host or "the socket")


def is_forwarded(name: str) -> bool:
    """Return True if proxies add a header of this name (in lower case)."""
    return name in FORWARDED or name.startswith(PREFIX)


def is_within(host: str, networks: tuple[Network, ...]) -> bool:
    """Return True if one of the networks contains the address. An IPv4-mapped IPv6 address is treated as IPv4."""
    try:
        address = _unwrapped(host)
    except ValueError:
        return False
    return any(address in network for network in networks)


def route_path(scope: Scope) -> str:
    """Return the path without the prefix that a proxy strips, as in the routes."""
    return str(scope["path"]).removeprefix(scope.get("root_path", ""))


def _host(scope: Scope) -> str:
    """Return the address of the other end of the connection; empty for a Unix socket."""
    client = scope.get("client")
    return client[0] if client else ""


def _last(headers: Headers, name: str) -> str:
    """Return the value that the nearest proxy added; earlier values are from other proxies."""
    return ",".join(headers.getlist(name)).rpartition(",")[2].strip()


def _root_path(headers: Headers) -> str:
    path = _last(headers, "x-forwarded-prefix").rstrip("/")
    return path if is_root_path(path) else ""


def _read(written: str) -> tuple[str, int]:
    """Read an address with or without a port. Raises ValueError."""
    host, port = written, ""
    if written.startswith("["):
        host, _, port = written[1:].partition("]")
    elif written.count(":") == 1:
        host, _, port = written.partition(":")
    port = port.removeprefix(":")
    return str(_unwrapped(host)), int(port) if port.isdecimal() else 0


def _unwrapped(host: str) -> IPv4Address | IPv6Address:
    """Read an address; an IPv4-mapped IPv6 address becomes IPv4. Raises ValueError."""
    address = ip_address(host)
    return getattr(address, "ipv4_mapped", None) or address
