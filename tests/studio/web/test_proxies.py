"""Reverse proxies: which forwarded headers count, and how routes see a prefix."""

from typing import Any

import pytest
from fastapi import FastAPI
from starlette.testclient import TestClient
from starlette.types import Receive, Scope, Send

from studio.settings import Settings, WrongSettings
from studio.web.cookies import cookie, cookie_of
from studio.web.proxies import Proxies, route_path
from tests.waiting import outcome

PROXY, STRANGER = "10.0.0.5", "203.0.113.7"


def seen(
    client: str | None = PROXY, settings: dict[str, Any] | None = None, kind: str = "http", **headers: str
) -> Scope:
    """Return the scope after the middleware; `_` stands for `-` in names of headers."""
    caught: list[Scope] = []

    async def application(scope: Scope, receive: Receive, send: Send) -> None:
        caught.append(scope)

    async def nothing(*_: object) -> Any:
        """Neither sends nor receives."""

    sent = {"host": "localhost:7860"} | headers
    raw = [(name.replace("_", "-").encode(), value.encode("latin-1")) for name, value in sent.items()]
    scope = {"type": kind, "scheme": "ws" if kind == "websocket" else "http", "path": "/studio/me", "root_path": ""}
    scope |= {"raw_path": b"/studio/me", "headers": raw, "client": client and (client, 5000)}
    chosen = Settings(**({"trusted_proxies": "10.0.0.0/8"} if settings is None else settings))
    outcome(Proxies(application, chosen)(scope, nothing, nothing))
    return caught[0]


def header(scope: Scope, name: str) -> str:
    return dict(scope["headers"]).get(name.encode(), b"").decode()


@pytest.mark.parametrize(
    ("chain", "client"),
    [
        (STRANGER, STRANGER),
        (f"1.2.3.4, {STRANGER}", STRANGER),  # the client wrote the first one
        (f"{STRANGER}, 10.9.9.9", STRANGER),  # two proxies
        (f"{STRANGER}:4711", STRANGER),
        ("[2001:db8::1]:4711", "2001:db8::1"),
        ("2001:db8::1", "2001:db8::1"),
        (f"::ffff:{STRANGER}", STRANGER),
        (f"{STRANGER}, nonsense", PROXY),
        ("nonsense", PROXY),
        ("", PROXY),
        ("10.1.1.1, 10.2.2.2", "10.1.1.1"),
    ],
)
def test_a_trusted_proxy_reports_the_client(chain: str, client: str) -> None:
    assert seen(x_forwarded_for=chain)["client"][0] == client


@pytest.mark.parametrize("client", [STRANGER, "127.0.0.1", "::1", None])
def test_only_a_trusted_proxy_reports_the_client(client: str | None) -> None:
    answer = {"x_forwarded_for": "1.2.3.4", "x_forwarded_proto": "https", "x_forwarded_host": "evil.example"}
    scope = seen(client, x_forwarded_prefix="/evil", **answer)
    assert (scope["client"] and scope["client"][0], scope["scheme"], scope["path"]) == (client, "http", "/studio/me")
    assert header(scope, "host") == "localhost:7860"
    assert scope["root_path"] == ""


def test_no_proxy_is_trusted_unless_the_settings_name_it() -> None:
    assert seen("127.0.0.1", {}, x_forwarded_for="1.2.3.4")["client"][0] == "127.0.0.1"


@pytest.mark.parametrize("client", [PROXY, STRANGER])
def test_later_code_sees_no_forwarded_header(client: str) -> None:
    names = ("x_forwarded_for", "x_forwarded_proto", "x_forwarded_port", "forwarded", "x_real_ip", "x_gradio_server")
    scope = seen(client, **dict.fromkeys(names, "1.2.3.4"))
    assert [name for name, _ in scope["headers"]] == [b"host"]
    assert scope["state"]["forwarded"]


@pytest.mark.parametrize(
    ("kind", "proto", "scheme"),
    [
        ("http", "https", "https"),
        ("websocket", "https", "wss"),
        ("websocket", "wss", "wss"),
        ("http", "http, https", "https"),
        ("http", "gopher", "http"),
        ("websocket", "http", "ws"),
    ],
)
def test_a_trusted_proxy_reports_the_scheme(kind: str, proto: str, scheme: str) -> None:
    assert seen(kind=kind, x_forwarded_proto=proto)["scheme"] == scheme


def test_a_trusted_proxy_reports_the_host() -> None:
    assert header(seen(x_forwarded_host="studio.example:8443"), "host") == "studio.example:8443"


@pytest.mark.parametrize(
    ("setting", "sent", "root_path"),
    [
        ("", "/voices", "/voices"),
        ("", "/voices/", "/voices"),
        ("/voices", "", "/voices"),
        ("/voices", "/other/voices", "/other/voices"),
        ("", "//evil.example", ""),
        ("", "/a/../b", ""),
        ("", "/a b", ""),
        ("", "/", ""),
        ("", '/"><script>', ""),
    ],
)
def test_the_prefix_stands_in_front_of_every_path(setting: str, sent: str, root_path: str) -> None:
    headers = {"x_forwarded_prefix": sent} if sent else {}
    scope = seen(settings={"trusted_proxies": PROXY, "root_path": setting}, **headers)
    assert (scope["root_path"], scope["path"]) == (root_path, f"{root_path}/studio/me")
    assert scope["raw_path"] == f"{root_path}/studio/me".encode()
    assert route_path(scope) == "/studio/me"


def test_the_setting_works_without_a_header_of_the_proxy() -> None:
    assert seen(STRANGER, {"root_path": "/voices/"})["path"] == "/voices/studio/me"


@pytest.mark.parametrize("written", ["voices", "/vo ices", "/a/../b", "/voices?x", "https://studio.example/voices"])
def test_a_prefix_that_is_not_a_path_is_refused(monkeypatch: pytest.MonkeyPatch, written: str) -> None:
    monkeypatch.setenv("STUDIO_ROOT_PATH", written)
    with pytest.raises(WrongSettings, match="STUDIO_ROOT_PATH: write it as /name"):
        Settings.load()


@pytest.mark.parametrize("written", ["proxy.example", "10.0.0.5/8", "*", "0.0.0.0/0", "::/0"])
def test_proxies_are_named_by_addresses_and_networks(monkeypatch: pytest.MonkeyPatch, written: str) -> None:
    monkeypatch.setenv("STUDIO_TRUSTED_PROXIES", written)
    with pytest.raises(WrongSettings, match="STUDIO_TRUSTED_PROXIES"):
        Settings.load()


def test_a_cookie_is_limited_to_the_prefix() -> None:
    assert "; Path=/voices;" in cookie("name", "value", 60, scope=seen(settings={"root_path": "/voices"}))
    assert "; Path=/;" in cookie("name", "value", 60, scope=seen())


def test_each_of_two_studios_on_one_host_reads_its_own_cookie() -> None:
    """Browsers send the cookie of the longer path first."""
    headers = {"cookie": "other=1; name=voices; name=root"}
    assert (cookie_of(headers, "name"), cookie_of(headers, "missing"), cookie_of({}, "name")) == ("voices", "", "")


def test_redirects_and_the_description_name_the_prefix() -> None:
    application = FastAPI()
    application.get("/thing")(lambda: None)
    application.add_middleware(Proxies, settings=Settings(root_path="/voices"))
    client = TestClient(application, follow_redirects=False)
    assert client.get("/thing/").headers["location"] == "http://testserver/voices/thing"
    assert client.get("/openapi.json").json()["servers"] == [{"url": "/voices"}]
    assert "/voices/openapi.json" in client.get("/docs").text
