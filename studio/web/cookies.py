"""How browsers are to keep the studio's cookies, which no script reads."""

from collections.abc import Mapping

from starlette.types import Scope


def cookie(name: str, value: str, lasts_s: int, *, scope: Scope, framed: bool = False, strict: bool = False) -> str:
    """A Set-Cookie header, in answer to the request of this scope.

    `framed`: other sites' pages show the studio, where browsers send no other cookies than these. They keep one for each
    such site apart (Partitioned), so that a page elsewhere cannot spend it.
    """
    secure = scope["scheme"] in ("https", "wss")
    path = scope.get("root_path") or "/"
    site = f"SameSite={'Strict' if strict else 'Lax'}{'; Secure' if secure else ''}"
    if framed:
        site = "SameSite=None; Secure; Partitioned"
    return f"{name}={value}; Path={path}; Max-Age={lasts_s}; HttpOnly; {site}"


def cookie_of(headers: Mapping[str, str], name: str) -> str:
    """The value of a cookie, or empty. Browsers send that of the longest path first: another studio may be at `/`."""
    pairs = (pair.strip().partition("=") for pair in headers.get("cookie", "").split(";"))
    return next((value.strip().strip('"') for key, _, value in pairs if key.strip() == name), "")
