"""Pages of other sites in a real Chromium: one that STUDIO_CORS_ORIGINS names uses the API with a key, others do not."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from tests.studio.programs import LINE, Reception, reception_of

KEY = "0123456789abcdef"
ASK = """async ([url, key, line]) => {
  try {
    const headers = { "content-type": "application/json", authorization: `Bearer ${key}` };
    const answer = await fetch(url, { method: "POST", headers, body: JSON.stringify(line) });
    return [answer.status, answer.headers.get("x-request-id") !== null, (await answer.arrayBuffer()).byteLength];
  } catch (error) {
    return String(error);
  }
}"""


class Empty(SimpleHTTPRequestHandler):
    """Another site, with one empty page."""

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("content-length", "0")
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:
        """Nobody reads it."""


@contextmanager
def site() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Empty)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()


@pytest.fixture
def named() -> Iterator[str]:
    with site() as url:
        yield url


@pytest.fixture
def reception(tmp_path: Path, named: str) -> Iterator[Reception]:
    with reception_of(tmp_path, api_keys=f"game:{KEY}", cors_origins=(named,)) as opened:
        yield opened


def asked(browser: Browser, origin: str, reception: Reception, path: str = "/v1/audio/speech") -> object:
    """What a page of this origin gets when it asks the studio."""
    page = browser.new_page()
    page.goto(origin)
    answer = page.evaluate(ASK, [reception.url + path, KEY, LINE])
    page.close()
    return answer


def test_a_named_sites_page_speaks_with_a_key_and_reads_the_answers_headers(
    browser: Browser, reception: Reception, named: str
) -> None:
    status, has_id, length = asked(browser, named, reception)  # type: ignore[misc]
    assert (status, has_id, length > 1_000) == (200, True, True)


def test_another_sites_page_gets_nothing(browser: Browser, reception: Reception) -> None:
    with site() as other:
        assert asked(browser, other, reception) == "TypeError: Failed to fetch"
    assert not reception.metronome.requests


def test_a_named_sites_page_reaches_nothing_but_the_api(browser: Browser, reception: Reception, named: str) -> None:
    assert asked(browser, named, reception, "/studio/champions/ahri/package") == "TypeError: Failed to fetch"
