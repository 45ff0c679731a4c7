"""Whose studio it is: who sits at it or knows its login, and what guessing costs."""

import asyncio
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
    LOGIN_S,
    TRIES_FREE,
    LoginNeeded,
    NotOwner,
    Ownership,
    TooManyTries,
)
from studio.web.wrong_logins import KEPT_S, WAITS_MAX, LoginPace
from tests.waiting import outcome

LOGIN = "ann:s3cret-päss"
USER, PASSWORD = LOGIN.split(":")


class Clock:
    def __init__(self) -> None:
        self.now = 1_763_700_000.0

    def __call__(self) -> float:
        return self.now


def asker(
    client: str | None = "203.0.113.7",
    host: str = "studio.example",
    http_version: str = "1.1",
    forwarded_by_proxy: bool = False,
    **headers: str,
) -> HTTPConnection:
    """A request as a server hands it on; `_` stands for `-` in the headers' names."""
    sent = {"host": host} | {name.replace("_", "-"): value for name, value in headers.items()}
    raw = [(name.encode(), value.encode("latin-1")) for name, value in sent.items()]
    scope = {"type": "http", "headers": raw, "client": client and (client, 5000), "http_version": http_version}
    return HTTPConnection({**scope, "state": {"forwarded": forwarded_by_proxy}})


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


FORGED = (
    "forwarded",
    "via",
    "x-forwarded-for",
    "x-forwarded-host",
    "x-forwarded-proto",
    "x-real-ip",
    "cf-connecting-ip",
)


@pytest.mark.parametrize(
    "stranger",
    [
        asker("203.0.113.7", "localhost"),
        asker("127.0.0.1", "studio.example"),
        asker(None, "localhost"),
        asker("127.0.0.1", "localhost", authorization="Bearer key"),
        *(asker("127.0.0.1", "localhost", **{name: "127.0.0.1"}) for name in FORGED),
        asker("127.0.0.1", "localhost", origin="https://studio.example"),
        asker("127.0.0.1", "localhost", referer="https://studio.example/"),
        asker("127.0.0.1", "localhost", http_version="1.0"),  # nginx, unless told otherwise
        asker("127.0.0.1", "localhost", forwarded_by_proxy=True),  # whose headers are gone
    ],
)
def test_who_is_passed_on_to_a_loopback_studio_does_not_own_it(tmp_path: Path, stranger: HTTPConnection) -> None:
    with pytest.raises(NotOwner, match="STUDIO_LOGIN"):
        at_home(tmp_path, allowed_hosts="studio.example").require(stranger)


@pytest.mark.parametrize("behind", [{"trusted_proxies": "127.0.0.1"}, {"root_path": "/voices"}])
def test_no_caller_is_local_to_a_studio_behind_a_proxy(tmp_path: Path, behind: dict[str, str]) -> None:
    """A proxy on this machine may forward any request as if it came from this machine."""
    assert not at_home(tmp_path, **behind).holds(asker("127.0.0.1", "localhost"))


def test_a_browser_on_this_machine_owns_a_loopback_studio(tmp_path: Path) -> None:
    page = {"origin": "http://localhost:7860", "referer": "http://localhost:7860/"}
    assert at_home(tmp_path).holds(asker("127.0.0.1", "localhost:7860", **page))


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


def test_many_wrong_logins_get_another_status_than_a_few(tmp_path: Path) -> None:
    ownership = elsewhere(tmp_path)
    for number in range(TRIES_FREE):
        guess(ownership, password=f"wrong {number}")
    with pytest.raises(TooManyTries, match="4 failed logins"):
        ownership.log_in(asker(), USER, "wrong again")


def test_the_right_login_is_never_refused(tmp_path: Path) -> None:
    ownership = elsewhere(tmp_path)
    for number in range(60):
        assert not ownership.holds(asker(authorization=basic(f"ann:wrong {number}")))
    assert elsewhere(tmp_path).holds(asker(authorization=basic(LOGIN)))
    assert ownership.log_in(asker(), USER, PASSWORD)


def test_wrong_logins_count_whichever_way_they_come_and_after_a_restart(tmp_path: Path) -> None:
    for number in range(TRIES_FREE):
        assert not elsewhere(tmp_path).holds(asker(authorization=basic(f"ann:wrong {number}")))
    with pytest.raises(TooManyTries):
        elsewhere(tmp_path).log_in(asker(), USER, "wrong")
    with pytest.raises(TooManyTries):
        elsewhere(tmp_path).require(asker(authorization=basic("ann:also wrong")))


def test_the_same_wrong_login_again_is_not_another_guess(tmp_path: Path) -> None:
    """A program with an old password, or a proxy that forwards its own password, does not guess."""
    ownership = elsewhere(tmp_path)
    for _ in range(10 * TRIES_FREE):
        guess(ownership)


def test_the_right_login_forgets_the_wrong_ones_and_so_does_time(tmp_path: Path) -> None:
    clock = Clock()
    ownership = elsewhere(tmp_path, clock)
    for number in range(3):
        for further in range(TRIES_FREE):
            guess(ownership, password=f"wrong {number} {further}")
        assert ownership.holds(asker(authorization=basic(LOGIN)))
    for number in range(3):
        for further in range(TRIES_FREE):
            guess(ownership, password=f"late {number} {further}")
        clock.now += KEPT_S


@pytest.mark.parametrize("years", [-2, 2])
def test_a_clock_that_jumped_makes_nobody_wait(tmp_path: Path, years: int) -> None:
    clock = Clock()
    for number in range(TRIES_FREE):
        guess(elsewhere(tmp_path, clock), password=f"wrong {number}")
    clock.now += years * 31_536_000
    guess(elsewhere(tmp_path, clock), password="wrong after all")
    assert elsewhere(tmp_path, clock).wrong_logins.count("203.0.113.7") == 1


def test_a_login_from_the_future_is_invalid(tmp_path: Path) -> None:
    clock = Clock()
    clock.now += 3 * 31_536_000
    here = asker(cookie=f"{COOKIE}={elsewhere(tmp_path, clock).log_in(asker(), USER, PASSWORD)}")
    clock.now -= 3 * 31_536_000
    assert not elsewhere(tmp_path, clock).holds(here)


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
def test_wrong_logins_count_for_one_place(tmp_path: Path, one: str, other: str, same: bool) -> None:
    ownership = elsewhere(tmp_path)
    for number in range(TRIES_FREE):
        guess(ownership, one, f"wrong {number}")
    with pytest.raises(TooManyTries if same else LoginNeeded):
        ownership.log_in(asker(other), USER, "wrong")


def test_many_guesses_at_once_are_counted_one_after_another(tmp_path: Path) -> None:
    ownership, met = elsewhere(tmp_path), list[type[Exception]]()

    def try_one(number: int) -> None:
        try:
            ownership.log_in(asker(), USER, f"wrong {number}")
        except NotOwner as error:
            met.append(type(error))

    threads = [threading.Thread(target=try_one, args=(number,)) for number in range(30)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert Counter(met) == {LoginNeeded: TRIES_FREE, TooManyTries: 30 - TRIES_FREE}


# The delay of answers to guesses.


def test_only_the_place_that_guesses_waits_for_each_further_login(monkeypatch: pytest.MonkeyPatch) -> None:
    waits: list[float] = []

    async def note(wait_s: float) -> None:
        waits.append(wait_s)

    async def ask() -> None:
        pace = LoginPace(clock=lambda: 100.0)
        for _ in range(2 * WAITS_MAX):
            await pace.turn("1.1.1.1")
        await pace.turn("2.2.2.2")

    monkeypatch.setattr(asyncio, "sleep", note)
    outcome(ask())
    assert waits == [*map(float, range(WAITS_MAX)), *[float(WAITS_MAX)] * WAITS_MAX, 0.0]
