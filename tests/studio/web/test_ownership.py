"""Whose studio it is: who sits at it or knows its login, and what guessing costs."""

import base64
import threading
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from starlette.requests import HTTPConnection

from studio.settings import Settings
from studio.web.ownership import (
    COOKIE,
    FORWARDED,
    LOGIN_S,
    TRIES_FREE,
    TRIES_KEPT_S,
    TRIES_WAIT_S,
    LoginNeeded,
    NotOwner,
    Ownership,
    TooManyTries,
)

LOGIN = "ann:s3cret-päss"
USER, PASSWORD = LOGIN.split(":")


class Clock:
    def __init__(self) -> None:
        self.now = 1_763_700_000.0

    def __call__(self) -> float:
        return self.now


def asker(client: str | None = "203.0.113.7", host: str = "studio.example", **headers: str) -> HTTPConnection:
    """A request as a server hands it on; `_` stands for `-` in the headers' names."""
    sent = {"host": host} | {name.replace("_", "-"): value for name, value in headers.items()}
    raw = [(name.encode(), value.encode("latin-1")) for name, value in sent.items()]
    return HTTPConnection({"type": "http", "headers": raw, "client": client and (client, 5000)})


def basic(login: str) -> str:
    return f"Basic {base64.b64encode(login.encode()).decode()}"


def at_home(tmp_path: Path, **settings: Any) -> Ownership:
    return Ownership(Settings(data_dir=tmp_path, **settings))


def elsewhere(tmp_path: Path, clock: Clock | None = None, login: str = LOGIN) -> Ownership:
    return Ownership(Settings(data_dir=tmp_path, host="0.0.0.0", login=login), clock or Clock())


def guess(ownership: Ownership, source: str = "203.0.113.7", password: str = "wrong") -> None:
    with pytest.raises(LoginNeeded):
        ownership.log_in(asker(source), USER, password)


# On loopback.


@pytest.mark.parametrize("host", ["localhost:7860", "127.0.0.1", "[::1]:7860"])
def test_who_sits_at_a_loopback_studio_owns_it(tmp_path: Path, host: str) -> None:
    assert at_home(tmp_path).holds(asker("127.0.0.1", host))


@pytest.mark.parametrize(
    "stranger",
    [
        asker("203.0.113.7", "localhost"),
        asker("127.0.0.1", "studio.example"),
        asker(None, "localhost"),
        asker("127.0.0.1", "localhost", authorization="Bearer key"),
        *(asker("127.0.0.1", "localhost", **{name: "127.0.0.1"}) for name in FORWARDED),
    ],
)
def test_who_is_passed_on_to_a_loopback_studio_does_not_own_it(tmp_path: Path, stranger: HTTPConnection) -> None:
    with pytest.raises(NotOwner, match="STUDIO_LOGIN"):
        at_home(tmp_path, allowed_hosts="studio.example").require(stranger)


def test_nobody_owns_a_studio_that_listens_elsewhere_and_has_no_login(tmp_path: Path) -> None:
    with pytest.raises(NotOwner, match="set STUDIO_LOGIN"):
        elsewhere(tmp_path, login="").require(asker("127.0.0.1", "localhost", authorization=basic(":")))


def test_a_loopback_studio_with_a_login_asks_for_it(tmp_path: Path) -> None:
    ownership = at_home(tmp_path, login=LOGIN)
    assert not ownership.holds(asker("127.0.0.1", "localhost"))
    assert ownership.holds(asker("127.0.0.1", "localhost", authorization=basic(LOGIN)))


# The login itself.


@pytest.mark.parametrize(
    "authorization",
    [
        basic("ann:wrong"),
        basic(LOGIN + "x"),
        basic(LOGIN[:-1]),
        basic(""),
        "Basic",
        "Basic ???",
        "Basic é",
        f"Bearer {base64.b64encode(LOGIN.encode()).decode()}",
        LOGIN.encode().decode("latin-1"),
    ],
)
def test_what_is_not_the_login_is_refused(tmp_path: Path, authorization: str) -> None:
    with pytest.raises(LoginNeeded, match="STUDIO_LOGIN"):
        elsewhere(tmp_path).require(asker(authorization=authorization))


def test_a_browser_that_logged_in_stays_the_owners_after_a_restart(tmp_path: Path) -> None:
    cookie = elsewhere(tmp_path).log_in(asker(), USER, PASSWORD)
    assert elsewhere(tmp_path).holds(asker(cookie=f"{COOKIE}={cookie}"))
    assert not elsewhere(tmp_path).holds(asker(cookie=f"{COOKIE}={cookie[:-1]}x"))


def test_another_login_in_the_settings_ends_those_of_before(tmp_path: Path) -> None:
    cookie = elsewhere(tmp_path).log_in(asker(), USER, PASSWORD)
    assert not elsewhere(tmp_path, login="ann:another").holds(asker(cookie=f"{COOKIE}={cookie}"))
    assert not elsewhere(tmp_path, login="").holds(asker(cookie=f"{COOKIE}={cookie}"))


def test_a_login_ends_by_logging_out(tmp_path: Path) -> None:
    ownership = elsewhere(tmp_path)
    here, there = (asker(cookie=f"{COOKIE}={ownership.log_in(asker(), USER, PASSWORD)}") for _ in range(2))
    ownership.log_out(here)
    assert (ownership.holds(here), ownership.holds(there)) == (False, True)


def test_a_login_ends_after_a_month(tmp_path: Path) -> None:
    clock = Clock()
    ownership = elsewhere(tmp_path, clock)
    here = asker(cookie=f"{COOKIE}={ownership.log_in(asker(), USER, PASSWORD)}")
    clock.now += LOGIN_S - 1
    assert ownership.holds(here)
    clock.now += 1
    assert not ownership.holds(here)


def test_a_login_from_the_future_ends_too(tmp_path: Path) -> None:
    clock = Clock()
    ownership = elsewhere(tmp_path, clock)
    cookie = ownership.log_in(asker(), USER, PASSWORD)
    clock.now -= 3_600.0  # a correction ends no login
    assert ownership.holds(asker(cookie=f"{COOKIE}={cookie}"))
    clock.now -= LOGIN_S
    assert not ownership.holds(asker(cookie=f"{COOKIE}={cookie}"))


def test_a_bearer_is_no_owner_even_with_the_owners_cookie(tmp_path: Path) -> None:
    ownership = elsewhere(tmp_path)
    cookie = f"{COOKIE}={ownership.log_in(asker(), USER, PASSWORD)}"
    assert not ownership.holds(asker(cookie=cookie, authorization="Bearer key"))


def test_a_proxys_own_password_does_not_hinder_the_cookie(tmp_path: Path) -> None:
    ownership = elsewhere(tmp_path)
    cookie = f"{COOKIE}={ownership.log_in(asker(), USER, PASSWORD)}"
    assert ownership.holds(asker(cookie=cookie, authorization=basic("proxy:password")))


def test_nothing_that_opens_the_studio_is_on_the_disk(tmp_path: Path) -> None:
    cookie = elsewhere(tmp_path).log_in(asker(), USER, PASSWORD)
    kept = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    assert b"owner_login" in kept
    for secret in (cookie, PASSWORD, LOGIN):
        assert secret.encode() not in kept


# Guessing.


def test_each_wrong_login_costs_more_time(tmp_path: Path) -> None:
    clock, waits = Clock(), []
    ownership = elsewhere(tmp_path, clock)
    for _ in range(TRIES_FREE):
        guess(ownership)
    for _ in range(8):
        with pytest.raises(TooManyTries) as refused:
            ownership.log_in(asker(), USER, PASSWORD)  # the right one is not looked at either
        waits.append(refused.value.wait_s)
        clock.now += refused.value.wait_s
        guess(ownership)
    assert waits == [1, 2, 4, 8, 16, 30, 30, 30]
    clock.now += TRIES_WAIT_S
    assert ownership.log_in(asker(), USER, PASSWORD)


def test_wrong_logins_count_whichever_way_they_come_and_after_a_restart(tmp_path: Path) -> None:
    for _ in range(TRIES_FREE):
        assert not elsewhere(tmp_path).holds(asker(authorization=basic("ann:wrong")))
    with pytest.raises(TooManyTries, match="wait 1 s"):
        elsewhere(tmp_path).log_in(asker(), USER, PASSWORD)
    with pytest.raises(TooManyTries):
        elsewhere(tmp_path).require(asker(authorization=basic(LOGIN)))


def test_the_right_login_forgets_the_wrong_ones_and_so_does_time(tmp_path: Path) -> None:
    clock = Clock()
    ownership = elsewhere(tmp_path, clock)
    for _ in range(3):
        for _ in range(TRIES_FREE - 1):
            guess(ownership)
        assert ownership.holds(asker(authorization=basic(LOGIN)))
    for _ in range(3):
        for _ in range(TRIES_FREE):
            guess(ownership)
        clock.now += TRIES_KEPT_S


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("203.0.113.7", "203.0.113.8", False),
        ("2001:db8::1", "2001:db8::ffff:1", True),  # one customer's network
        ("2001:db8::1", "2001:db8:0:1::1", False),
        ("::ffff:203.0.113.7", "::ffff:203.0.113.8", False),
        ("::ffff:203.0.113.7", "203.0.113.7", True),
    ],
)
def test_wrong_logins_slow_those_of_one_place(tmp_path: Path, one: str, other: str, same: bool) -> None:
    ownership = elsewhere(tmp_path)
    for _ in range(TRIES_FREE):
        guess(ownership, one)
    if same:
        with pytest.raises(TooManyTries):
            ownership.log_in(asker(other), USER, PASSWORD)
    else:
        assert ownership.log_in(asker(other), USER, PASSWORD)


def test_many_guesses_at_once_are_looked_at_one_after_another(tmp_path: Path) -> None:
    ownership, met = elsewhere(tmp_path), list[type[Exception]]()

    def try_one() -> None:
        try:
            ownership.log_in(asker(), USER, "wrong")
        except NotOwner as error:
            met.append(type(error))

    threads = [threading.Thread(target=try_one) for _ in range(30)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert Counter(met) == {LoginNeeded: TRIES_FREE, TooManyTries: 30 - TRIES_FREE}
