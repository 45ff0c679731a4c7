"""The content policy in a real Chromium: Gradio's page works under it, and nothing of another origin loads."""

import os
import re
from collections.abc import Iterator
from pathlib import Path

import gradio as gr
import pytest
from fastapi import FastAPI
from playwright.sync_api import Browser, Page, expect

from studio.settings import Settings
from studio.web.session import SESSION_HEADER
from tests.studio.house import guard, served, write_clip

DRAWN = "element.querySelector('i').textContent = 'ran'"


def page_of(clip: Path) -> gr.Blocks:
    def who(request: gr.Request) -> tuple[str, str]:
        return request.headers[SESSION_HEADER], str(clip)

    with gr.Blocks() as page:
        gr.HTML("<i>idle</i> ${value}", value="x", js_on_load=DRAWN, elem_id="drawn")
        owner = gr.Textbox(label="Owner", elem_id="owner")
        sound = gr.Audio(label="Sound", type="filepath", elem_id="sound")
        gr.LinePlot(x="a", y="b")
        gr.Button("Ask").click(who, None, [owner, sound])
    return page


@pytest.fixture
def url(tmp_path: Path) -> Iterator[str]:
    os.environ["GRADIO_ANALYTICS_ENABLED"] = "False"
    clip = write_clip(tmp_path / "clip.wav")
    application: FastAPI = gr.mount_gradio_app(FastAPI(), page_of(clip), path="", allowed_paths=[str(tmp_path)])
    guard(application, Settings(data_dir=tmp_path))
    with served(application) as url:
        yield url


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    context = browser.new_context()
    yield context.new_page()
    context.close()


@pytest.mark.gate
def test_gradio_works_under_the_policy(url: str, page: Page) -> None:
    complaints: list[str] = []
    page.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.goto(url)
    page.get_by_role("button", name="Ask").click()
    # Playwright's own wait_for_function evaluates strings and would hide whether Gradio needs to.
    expect(page.locator("#owner textarea, #owner input")).to_have_value(re.compile("^[0-9a-f]{32}$"))
    expect(page.locator("#sound canvas, #sound audio").first).to_be_attached()
    expect(page.locator("#drawn i")).to_have_text("ran")
    assert complaints == []


def test_the_page_reaches_no_other_origin(url: str, page: Page) -> None:
    page.goto(url)
    tried = """async () => {
        const blocked = []
        document.addEventListener("securitypolicyviolation", event => blocked.push(event.effectiveDirective))
        await fetch("https://example.com/").catch(() => {})
        try { new WebSocket("wss://example.com/") } catch {}
        const image = new Image(); image.src = "https://example.com/x.png"
        const script = document.createElement("script"); script.src = "https://example.com/x.js"
        document.head.append(script)
        while (new Set(blocked).size < 3) await new Promise(done => setTimeout(done, 20))
        return blocked.sort()
    }"""
    assert set(page.evaluate(tried)) == {"connect-src", "img-src", "script-src-elem"}


def test_the_pages_own_websocket_is_allowed(url: str, page: Page) -> None:
    page.goto(url)
    tried = """async () => {
        const blocked = []
        document.addEventListener("securitypolicyviolation", event => blocked.push(event.blockedURI))
        const socket = new WebSocket(location.origin.replace("http", "ws") + "/ws")
        await new Promise(done => { socket.onerror = done; socket.onopen = done })
        return blocked
    }"""
    assert page.evaluate(tried) == []
