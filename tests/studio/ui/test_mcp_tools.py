"""The studio through the official client of the Model Context Protocol: its tools, their sound, and who may use which."""

import base64
import io
import json
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import httpx
import pytest
import soundfile
from mcp import ClientSession
from mcp.client.streamable_http import streamable_http_client
from mcp.types import CallToolResult, ListToolsResult, TextContent

from studio.api.programs import Programs
from studio.champions.library import Library
from studio.settings import Settings
from studio.studio import Studio
from studio.web.drain import Drain, DrainMiddleware
from tests.engines.metronome import Metronome
from tests.studio.champions.voices import keep
from tests.studio.house import ENGINE, ready, served, studio_of, web
from tests.waiting import PATIENCE_S, outcome

LOGIN = "ann:s3cret-pass"
KEY = "0123456789abcdef"
Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class Agent:
    """A program that speaks the protocol."""

    studio: Studio
    url: str
    drain: Drain

    def tools(self) -> ListToolsResult:
        return self._run(lambda session: session.list_tools())

    def call(self, tool: str, authorization: str = "", **arguments: object) -> CallToolResult:
        return self._run(lambda session: session.call_tool(tool, arguments), authorization)

    def _run(self, act: Callable[[ClientSession], Awaitable[Result]], authorization: str = "") -> Result:
        headers = {"authorization": authorization} if authorization else {}

        async def run() -> Result:
            async with (
                httpx.AsyncClient(headers=headers, timeout=PATIENCE_S) as client,
                streamable_http_client(f"{self.url}/gradio_api/mcp/", http_client=client) as (reading, writing, _),
                ClientSession(reading, writing) as session,
            ):
                await session.initialize()
                return await act(session)

        return outcome(run())


@contextmanager
def agent_of(folder: Path, **settings: Any) -> Iterator[Agent]:
    from studio.ui.pages.page import build, mount_page  # takes seconds, which collecting other tests need not

    chosen, drain = Settings(data_dir=folder / "data", engines=(ENGINE,), **settings), Drain()
    with studio_of(folder, Metronome(click_s=0.1), settings=chosen) as studio:
        application = mount_page(web(studio, drain), build(studio, Programs(studio, drain)))
        application.add_middleware(DrainMiddleware, drain=drain)
        with served(application) as url, httpx.Client(base_url=url) as client:
            ready(client)
            keep(Library(studio.settings.data_dir), engine=ENGINE, settings={"seed": 7})
            yield Agent(studio, url, drain)


@pytest.fixture(scope="module")
def agent(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Agent]:
    with agent_of(tmp_path_factory.mktemp("mcp")) as opened:
        yield opened


@pytest.fixture(scope="module")
def elsewhere(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Agent]:
    """A studio with a login and a key."""
    with agent_of(tmp_path_factory.mktemp("mcp"), login=LOGIN, api_keys=f"game:{KEY}") as opened:
        yield opened


def texts(result: CallToolResult) -> list[str]:
    return [content.text for content in result.content if isinstance(content, TextContent)]


def fetched(agent: Agent, result: CallToolResult) -> bytes:
    assert not result.isError, texts(result)
    url = texts(result)[0]
    assert url.startswith(agent.url)
    return httpx.get(url).raise_for_status().content


def test_its_tools_are_described_and_typed(agent: Agent) -> None:
    tools = {tool.name: tool for tool in agent.tools().tools}
    assert tools.keys() == {"list_voices", "speak_line", "package_champion"}
    speak = tools["speak_line"].inputSchema
    assert speak["required"] == ["text", "voice"]
    assert all(described["description"] for described in speak["properties"].values())
    assert speak["properties"]["text"]["type"] == "string"
    assert "seed" in speak["properties"]["settings"]["description"]
    assert "owner" in (tools["package_champion"].description or "")


def test_a_studio_that_shuts_down_refuses_new_lines_and_still_answers_its_clients(tmp_path: Path) -> None:
    """A client whose line is finished asks for the tools to check the answer; without them, it would lose the line."""
    with agent_of(tmp_path) as agent:
        agent.drain.close()
        refused = agent.call("speak_line", text="Late.", voice="ahri")
        assert refused.isError and "shutting down" in " ".join(texts(refused))
        assert "speak_line" in {tool.name for tool in agent.tools().tools}


def test_the_voices_it_lists_are_the_ones_it_speaks_with(agent: Agent) -> None:
    (listed,) = texts(agent.call("list_voices"))
    assert "ahri" in [voice["id"] for voice in json.loads(listed)]
    sound = fetched(agent, agent.call("speak_line", text="tick", voice="ahri"))
    assert soundfile.info(io.BytesIO(sound)).duration == pytest.approx(0.4)


def test_the_record_of_a_line_has_the_door_mcp(agent: Agent) -> None:
    assert not agent.call("speak_line", text="tick", voice="ahri").isError
    assert agent.call("speak_line", text="tick", voice="nobody").isError
    *_, spoken, refused = agent.studio.telemetry.recorder.recent()
    assert (spoken.door, spoken.outcome, spoken.champion) == ("mcp", "done", "ahri")
    assert (refused.door, refused.outcome, refused.error) == ("mcp", "refused", "unknown_champion")
    assert spoken.request_id != refused.request_id


def test_it_says_what_made_the_line(agent: Agent) -> None:
    result = agent.call("speak_line", text="tick", voice="ahri", settings={"seed": 11})
    assert json.loads(texts(result)[1])["seed"] == 11


@pytest.mark.parametrize(
    ("sent", "says"),
    [({"voice": "nobody"}, "not found"), ({"voice": "ahri", "model": "tts-1"}, "unknown engine"),
     ({"voice": "ahri", "settings": {"seed": -1}}, '"seed" must be')],
)  # fmt: skip
def test_a_refusal_is_said_in_the_studios_words(agent: Agent, sent: dict[str, object], says: str) -> None:
    result = agent.call("speak_line", text="tick", **sent)
    assert (result.isError, says in texts(result)[0]) == (True, True), texts(result)


def test_the_owner_packages_a_champion(agent: Agent) -> None:
    assert fetched(agent, agent.call("package_champion", champion="ahri"))[:2] == b"\x1f\x8b"


def test_speaking_needs_a_key_and_packaging_the_login(elsewhere: Agent) -> None:
    bearer, basic = f"Bearer {KEY}", f"Basic {base64.b64encode(LOGIN.encode()).decode()}"
    line = {"text": "tick", "voice": "ahri"}
    assert "an API key is missing or wrong" in texts(elsewhere.call("speak_line", **line))[0]
    assert not elsewhere.call("speak_line", bearer, **line).isError
    for stranger in ("", bearer):
        assert "only the owner can do this" in texts(elsewhere.call("package_champion", stranger, champion="ahri"))[0]
    assert not elsewhere.call("package_champion", basic, champion="ahri").isError


def test_a_studio_for_listeners_only_has_no_open_tool(tmp_path: Path) -> None:
    bearer, basic = f"Bearer {KEY}", f"Basic {base64.b64encode(LOGIN.encode()).decode()}"
    line = {"text": "tick", "voice": "ahri"}
    with agent_of(tmp_path, login=LOGIN, api_keys=f"game:{KEY}", visitors="listen") as agent:
        assert {tool.name for tool in agent.tools().tools} == {"list_voices", "speak_line", "package_champion"}
        for stranger in ("", "Bearer a-wrong-key-of-16-chars"):
            assert agent.call("speak_line", stranger, **line).isError
            assert agent.call("list_voices", stranger).isError
            assert agent.call("package_champion", stranger, champion="ahri").isError
        assert not agent.call("speak_line", bearer, **line).isError
        assert not agent.call("package_champion", basic, champion="ahri").isError
