"""The page behind a real nginx with TLS under /voices: the page requests no address outside that prefix."""

import shutil
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest
from gradio_client import Client
from mcp import ClientSession
from mcp.client.streamable_http import streamable_http_client
from playwright.sync_api import Browser, expect

from tests.browser.nginx import Nginx, proxied
from tests.browser.serving import Served, serving
from tests.browser.test_script import QUICK, THREE, bring, statuses
from tests.browser.visiting import Visitor, visiting
from tests.waiting import PATIENCE_S, outcome

LOGIN = {"user": "ann", "password": "s3cret-pass"}
SPOKEN = """(path) => new Promise((resolve, reject) => {
  const socket = new WebSocket(new URL(path, location.href));
  let bytes = 0;
  socket.binaryType = "arraybuffer";
  socket.onopen = () => socket.send(JSON.stringify({ text: "Over there.", voice: "amber", model: "f5", steps: 2 }));
  socket.onmessage = ({ data }) => {
    if (typeof data === "string") reject(new Error(data));
    else if (new TextDecoder().decode(data) === "__END__") resolve(bytes);
    else bytes += data.byteLength;
  };
  socket.onerror = () => reject(new Error("the socket failed"));
})"""

pytestmark = pytest.mark.skipif(shutil.which("nginx") is None, reason="needs nginx (Makefile installs it on Linux)")


@pytest.fixture(scope="module")
def nginx(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Served, Nginx]]:
    folder = tmp_path_factory.mktemp("nginx")
    login = ":".join(LOGIN.values())
    with (
        serving(folder / "data", STUDIO_LOGIN=login, STUDIO_TRUSTED_PROXIES="127.0.0.1") as studio,
        proxied(studio.url, folder) as proxy,
    ):
        yield Served(proxy.url, studio.process, studio.log), proxy


@pytest.fixture
def visitor(browser: Browser, nginx: tuple[Served, Nginx]) -> Iterator[Visitor]:
    """The owner, behind the proxy."""
    with visiting(browser, nginx[0], ignore_https_errors=True) as visitor:
        origin = urlsplit(visitor.url)
        headers = {"origin": f"{origin.scheme}://{origin.netloc}"}
        assert visitor.page.request.post(f"{visitor.url}/studio/login", data=LOGIN, headers=headers).ok
        yield visitor


def test_everything_works_under_a_prefix(visitor: Visitor, voice: Path) -> None:
    speak_and_upload(visitor, voice)
    compare(visitor)
    render(visitor)
    visitor.open("#monitor")
    expect(visitor.page.locator("#page-monitor")).to_contain_text("F5-TTS")
    assert visitor.page.evaluate(SPOKEN, "/voices/ws/tts") > 10_000
    visitor.page.goto(f"{visitor.url}/docs")
    expect(visitor.page.get_by_text("/v1/audio/speech", exact=True).first).to_be_visible()
    assert [url for url in visitor.requested if not url.startswith((f"{visitor.url}/", "blob:", "data:"))] == []
    assert {cookie["path"] for cookie in visitor.page.context.cookies()} == {"/voices"}
    assert all(cookie["secure"] for cookie in visitor.page.context.cookies())


def speak_and_upload(visitor: Visitor, voice: Path) -> None:
    visitor.open()
    visitor.hurry()
    for number, words in enumerate(("Hello from behind the proxy.", "And once more."), start=1):
        visitor.write(words)
        visitor.speak()
        visitor.wait_for_takes(number)
    visitor.hear_out()
    visitor.upload(voice)
    expect(visitor.page.locator("#voice-panel")).to_contain_text("Transcript of the selected part")
    expect(visitor.page.locator("#transcript textarea")).not_to_have_value("")  # the studio transcribes by itself
    href = visitor.page.evaluate("document.querySelector('link[rel=manifest]').href")
    assert visitor.page.request.get(href).ok


def compare(visitor: Visitor) -> None:
    first, second = (take["id"] for take in visitor.takes()[:2])
    visitor.page.evaluate(
        "([a, b]) => fetch('studio/trials', {method: 'POST', headers: {'content-type': 'application/json'}, "
        "body: JSON.stringify({take_a: a, take_b: b})})",
        [first, second],
    )
    visitor.open("#compare")
    expect(visitor.page.get_by_role("region", name="Blind comparison")).to_be_visible()


def render(visitor: Visitor) -> None:
    bring(visitor, THREE, {"Ahri": {"": [QUICK]}, "Bo": {"": [QUICK]}})
    visitor.page.get_by_role("button", name="Render 3 lines").click()
    expect(visitor.page.get_by_role("button", name="All rendered")).to_be_visible()
    assert statuses(visitor) == ["made"] * 3


def test_gradios_client_and_agents_get_addresses_under_the_prefix(nginx: tuple[Served, Nginx]) -> None:
    url = nginx[0].url
    with httpx.Client(verify=False) as client:
        answer = Client(f"{url}/", ssl_verify=False, verbose=False).predict(text="Hello.", api_name="/speak")
        assert Path(answer[1]).read_bytes()[:4] == b"RIFF"
        spoken = outcome(spoken_by_an_agent(url))
        assert spoken.startswith(f"{url}/gradio_api/file=")
        assert client.get(spoken).content[:4] == b"RIFF"


async def spoken_by_an_agent(url: str) -> str:
    """Return the address of a line that the tool speaks."""
    async with (
        httpx.AsyncClient(verify=False, timeout=PATIENCE_S) as client,
        streamable_http_client(f"{url}/gradio_api/mcp/", http_client=client) as (reading, writing, _),
        ClientSession(reading, writing) as session,
    ):
        await session.initialize()
        result = await session.call_tool("speak_line", {"text": "Hello.", "voice": "amber"})
        return str(getattr(result.content[0], "text", ""))
