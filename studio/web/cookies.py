"""Write and read the studio's cookies, which scripts cannot read."""

from collections.abc import Mapping

from starlette.types import Scope


def cookie(name: str, value: str, lasts_s: int, *, scope: Scope, framed: bool = False, strict: bool = False) -> str:
    """Return the value of a Set-Cookie header that answers the request of this scope.

    Set `framed` if pages of other sites show the studio in a frame, where browsers send only cookies with SameSite=None. With
    Partitioned, browsers keep a separate cookie for each such site, which other sites cannot use.
    """
    secure = scope["scheme"] in ("https", "wss")
    path = scope.get("root_path") or "/"
    site = f"SameSite={'Strict' if strict else 'Lax'}{'; Secure' if secure else ''}"
    if framed:
        site = "SameSite=None; Secure; Partitioned"
    return f"{name}={value}; Path={path}; Max-Age={lasts_s}; HttpOnly; {site}"


def cookie_of(headers: Mapping[str, str], name: str) -> str:
    """Return the value of a cookie, or "".

    The first cookie of the name is used: browsers send the longest path first, and another studio may be at `/`.
    """
    pairs = (pair.strip().partition("=") for pair in headers.get("cookie", "").split(";"))
    return next((value.strip().strip('"') for key, _, value in pairs if key.strip() == name), "")
