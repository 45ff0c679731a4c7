"""A Unix socket to serve on: for programs of this machine, and of this user alone."""

import os
import socket
from pathlib import Path


class NotListening(Exception):
    """The socket cannot be there; the message says what to do."""


def listen(path: Path) -> socket.socket:
    """A bound socket that only this user may open. Raises NotListening.

    One that a killed studio left is replaced; one that somebody answers is not.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.is_socket() and not _is_answered(path):
            path.unlink()
        return _bound(path)
    except OSError as error:
        raise NotListening(f"cannot listen at {path}: {error.strerror or error}; name another STUDIO_SOCKET") from error


def _bound(path: Path) -> socket.socket:
    listening = socket.socket(socket.AF_UNIX)
    before = os.umask(0o177)
    try:
        listening.bind(str(path))
    except OSError:
        listening.close()
        raise
    finally:
        os.umask(before)
    return listening


def _is_answered(path: Path) -> bool:
    with socket.socket(socket.AF_UNIX) as probe:
        try:
            probe.connect(str(path))
        except ConnectionRefusedError:
            return False
    return True
