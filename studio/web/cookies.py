"""How browsers are to keep the studio's cookies, which no script reads."""


def cookie(name: str, value: str, lasts_s: int, *, secure: bool, framed: bool = False, strict: bool = False) -> str:
    """A Set-Cookie header. `framed`: other sites' pages show the studio, where browsers send no other cookies than these.

    They keep one for each such site apart (Partitioned), so that a page elsewhere cannot spend it.
    """
    site = f"SameSite={'Strict' if strict else 'Lax'}{'; Secure' if secure else ''}"
    if framed:
        site = "SameSite=None; Secure; Partitioned"
    return f"{name}={value}; Path=/; Max-Age={lasts_s}; HttpOnly; {site}"
