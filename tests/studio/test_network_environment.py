"""Malformed proxy and certificate variables stop no HTTP client; valid variables stay."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from urllib.request import getproxies

import certifi
import httpx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from studio.network_environment import CERTIFICATES, EXCEPTIONS, PROXIES, repair_network_environment
from tests.browser.serving import ROOT, serving

OURS = {*PROXIES, EXCEPTIONS, *(name.lower() for name in CERTIFICATES)}
PROXY = "http://proxy.example:3128"
BROKEN = {
    "ALL_PROXY": "socks5://127.0.0.1:9",
    "HTTPS_PROXY": "ftp://proxy.example",
    "NO_PROXY": "localhost,[::1]",
    "no_proxy": "localhost,::1/128",
    "SSL_CERT_FILE": "/nowhere/ca.pem",
}


@pytest.fixture(autouse=True)
def environment() -> Iterator[None]:
    """Unset the variables, and restore them afterwards."""
    before = dict(os.environ)
    for name in before:
        if name.lower() in OURS:
            del os.environ[name]
    yield
    os.environ.clear()
    os.environ.update(before)


def repaired(**variables: str) -> str:
    """Repair these variables, make HTTP clients with them, and return the faults."""
    os.environ.update(variables)
    faults = repair_network_environment()
    httpx.Client().close()
    return "\n".join(faults)


@pytest.mark.parametrize("name", ["HTTP_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"])
@pytest.mark.parametrize(
    ("value", "reason"),
    [
        ("foo:bar:baz", "not the address of a proxy"),
        ("http://[::1", "not the address of a proxy"),
        ("::1:3128", "not the address of a proxy"),
        ("http://proxy:port", "not the address of a proxy"),
        ("http://proxy:99999", "port is not between"),
        ("http://", "lacks a host"),
        ("ftp://proxy", 'scheme "ftp" is not supported'),
        ("socks://127.0.0.1:1080/", 'scheme "socks" is not supported'),
        ("socks4://127.0.0.1:1080", 'scheme "socks4" is not supported'),
        ("direct://", 'scheme "direct" is not supported'),
        ('"http://proxy:3128"', "not supported"),
    ],
)
def test_a_proxy_that_no_client_can_use_is_ignored_with_a_sentence(name: str, value: str, reason: str) -> None:
    fault = repaired(**{name: value})
    assert fault.startswith(f"{name} is ignored: ") and reason in fault and "\n" not in fault
    assert name not in os.environ


@pytest.mark.parametrize("value", ["socks5://127.0.0.1:1080", "socks5h://u:p@proxy:1080"])
def test_a_socks_proxy_is_ignored_only_where_its_package_is_missing(
    value: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("studio.network_environment.find_spec", lambda _: None)
    assert "socksio" in repaired(ALL_PROXY=value)
    monkeypatch.setattr("studio.network_environment.find_spec", lambda _: True)
    os.environ["ALL_PROXY"] = value
    assert repair_network_environment() == [] and os.environ["ALL_PROXY"] == value


@pytest.mark.parametrize(
    "value",
    [
        PROXY,
        "proxy.example:3128",
        "http://ann:s%40cret@proxy.example",
        "https://proxy.example",
        "http://[::1]:3128",
        "",
    ],
)
def test_a_proxy_that_clients_can_use_stays(value: str) -> None:
    assert repaired(HTTPS_PROXY=value) == ""
    assert os.environ["HTTPS_PROXY"] == value


def test_a_password_of_a_proxy_is_not_written_anywhere() -> None:
    assert "secret" not in repaired(HTTPS_PROXY="ftp://ann:secret@proxy", HTTP_PROXY="http://ann:secret@proxy:x")


@pytest.mark.parametrize("name", ["NO_PROXY", "no_proxy"])
@pytest.mark.parametrize(
    ("value", "read"),
    [
        ("localhost,[::1]", "localhost,::1"),
        ("localhost,::1/128", "localhost,::1"),
        ("[fd00::5]:8080", "fd00::5"),
        ("fd00::/8,intranet", "intranet"),
        ("intranet:port,intranet", "intranet"),
    ],
)
def test_entries_of_no_proxy_that_clients_cannot_read_are_corrected_or_left_out(
    name: str, value: str, read: str
) -> None:
    fault = repaired(**{name: value})
    assert fault.startswith(f"{name} is corrected: ") and "\n" not in fault
    assert os.environ[name] == read


@pytest.mark.parametrize("value", ["*", "localhost, .example.com, 10.0.0.0/8", "::1", "intranet:8080", ""])
def test_entries_of_no_proxy_that_clients_can_read_stay(value: str) -> None:
    assert repaired(NO_PROXY=value) == ""
    assert os.environ["NO_PROXY"].split(",") == value.replace(" ", "").split(",")


def test_loopback_needs_no_proxy_and_other_hosts_keep_theirs() -> None:
    repaired(HTTPS_PROXY=PROXY, NO_PROXY="intranet")
    assert os.environ["no_proxy"] == os.environ["NO_PROXY"] == "intranet,localhost,127.0.0.1,::1"
    assert getproxies()["https"] == PROXY


@pytest.mark.parametrize("name", CERTIFICATES)
def test_certificates_that_do_not_exist_are_ignored_with_a_sentence(name: str) -> None:
    assert repaired(**{name: "/nowhere"}) == (
        f"{name} is ignored: /nowhere does not exist. Correct the path or unset {name}."
    )


def test_a_file_without_certificates_is_ignored(tmp_path: Path) -> None:
    (tmp_path / "ca.pem").write_text("no certificate")
    assert "is not a file of PEM certificates" in repaired(SSL_CERT_FILE=str(tmp_path / "ca.pem"))
    assert "is not a folder" in repaired(SSL_CERT_DIR=str(tmp_path / "ca.pem"))


def test_certificates_that_can_be_read_stay(tmp_path: Path) -> None:
    assert repaired(SSL_CERT_FILE=certifi.where(), SSL_CERT_DIR=str(tmp_path), REQUESTS_CA_BUNDLE="") == ""
    assert os.environ["SSL_CERT_FILE"] == certifi.where()


SIGNS = st.text(st.sampled_from("a1:/[]@.%*,; -socksthp\\?#é"), max_size=24)


@settings(max_examples=150, deadline=None)
@given(proxy=SIGNS, exceptions=SIGNS)
def test_no_value_stops_a_client(proxy: str, exceptions: str) -> None:
    values = {"ALL_PROXY": proxy, "NO_PROXY": exceptions}
    repair_network_environment(values)
    with pytest.MonkeyPatch.context() as patch:
        for name, value in values.items():
            patch.setenv(name, value)
        httpx.Client(verify=False).close()


@pytest.mark.long
def test_the_studio_starts_with_broken_variables_and_names_each(tmp_path: Path) -> None:
    os.environ.update(BROKEN)
    with serving(tmp_path, ready_path="/health", fresh=True, STUDIO_ENGINES="f5") as served:
        log = served.log.read_text("utf-8")
    assert [name in log for name in BROKEN] == [True] * len(BROKEN)
    assert "Traceback" not in log


@pytest.mark.long
def test_a_command_starts_with_broken_variables_and_names_each(tmp_path: Path) -> None:
    environment = {**os.environ, **BROKEN, "STUDIO_DATA_DIR": str(tmp_path)}
    command = [sys.executable, "-m", "studio.champions", "list"]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, check=False, text=True)
    assert (done.returncode, [name in done.stderr for name in BROKEN]) == (0, [True] * len(BROKEN)), done.stderr
