"""docs/backends.md agrees with the tables of backends."""

from bench import backends


def test_the_page_of_backends_is_current() -> None:
    assert backends.PAGE.read_text(encoding="utf-8") == backends.page(), "run python -m bench.backends"
