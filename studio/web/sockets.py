"""Sockets on which the studio serves: an address and port, or a Unix socket for programs of the same user on this machine."""

import errno
import ipaddress
import os
import socket
from pathlib import Path
from typing import Any


class NotListening(Exception):
    """The socket cannot be opened; the message says what to do."""


def at_port(host: str, port: int) -> socket.socket:
    """Return a socket bound to this address; port 0 means any free port. Raises NotListening."""
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
        family, kind, protocol, _, address = found[0]
        # With the protocol, asyncio sends small packets at once (TCP_NODELAY). Without, they wait 40 ms for the client.
        return _bound(socket.socket(family, kind, protocol), address)
    except (OSError, UnicodeError) as error:  # a UnicodeError comes from a name with an empty or very long part
        raise NotListening(f"cannot serve at {host}, port {port}: {_reason(error)}") from error


def url_of(host: str, port: int) -> str:
    """Return an address that a browser on this machine can open for a studio bound to `host`."""
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return f"http://{host}:{port}"
    if isinstance(address, ipaddress.IPv6Address):
        return f"http://[{'::1' if address.is_unspecified else address}]:{port}"
    return f"http://{'127.0.0.1' if address.is_unspecified else address}:{port}"


def _reason(error: OSError | UnicodeError) -> str:
    if isinstance(error, OSError) and error.errno == errno.EADDRINUSE:
        return "the port is in use; stop the other program, or choose another STUDIO_PORT"
    if isinstance(error, OSError) and error.errno == errno.EACCES:
        return "this user cannot open the port; choose a STUDIO_PORT above 1023"
    if isinstance(error, (socket.gaierror, UnicodeError)):
        return "the host name does not resolve; correct STUDIO_HOST"
    return f"{error.strerror}; correct STUDIO_HOST and STUDIO_PORT"


def at_path(path: Path) -> socket.socket:
    """Return a bound Unix socket that only this user can open. Raises NotListening.

    A socket that a killed studio left is replaced. A socket that a process serves is not replaced.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.is_socket() and not _is_answered(path):
            path.unlink()
        before = os.umask(0o177)
        try:
            return _bound(socket.socket(socket.AF_UNIX), str(path))
        finally:
            os.umask(before)
    except OSError as error:
        raise NotListening(
            f"cannot listen at {path}: {error.strerror or error}; choose another STUDIO_SOCKET"
        ) from error


def _bound(opened: socket.socket, address: Any) -> socket.socket:
    try:
        # The previous studio may have closed the port just now.
        opened.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        opened.bind(address)
    except OSError:
        opened.close()
        raise
    return opened


def _is_answered(path: Path) -> bool:
    with socket.socket(socket.AF_UNIX) as probe:
        try:
            probe.connect(str(path))
        except ConnectionRefusedError:
            return False
    return True
