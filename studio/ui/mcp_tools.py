"""Tools of the Model Context Protocol at /gradio_api/mcp: list_voices, speak_line, package_champion.

The tools are for programs, and have the keys and limits of /v1. `package_champion` is for the owner.
"""

import json
import time
from collections.abc import Callable
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any, cast

import gradio as gr
from anyio import to_thread
from gradio.events import api
from gradio_client.utils import encode_file_path
from starlette.requests import Request

from engines.audio import encode
from engines.errors import EngineError
from studio.api.audio_stream import whole
from studio.api.programs import Programs
from studio.champion_format.champion import champion_settings
from studio.stores.entry import archive_name
from studio.studio import Studio
from studio.telemetry.origin import within
from studio.ui.admission import GuardedBlocks, UnknownEndpoint, refused, starlette_request
from studio.ui.handing_out import handed, handed_bytes
from studio.web.ownership import Ownership
from studio.web.request_ids import origin_of

WAIT_S = 1.0
TOOLS = ("list_voices", "speak_line", "package_champion")
SPEAK = """Generate speech. Returns the address of a WAV file, valid for one day, and its request as JSON.

Args:
    text: English text
    voice: an id from list_voices
    model: an engine, such as f5; empty: the engine of the voice
    settings: numbers by name; missing: the defaults of the voice; {settings}. Same seed and settings: same audio
"""


def mcp_tools(page: gr.Blocks, studio: Studio, programs: Programs) -> None:
    """Add the tools. Gradio makes a tool of every named endpoint, so the endpoints of the page are excluded."""
    for listener in page.fns.values():
        if listener.fn is not None:
            listener.fn._mcp_type = "page"  # type: ignore[attr-defined]
    for tool in (list_tool(studio, programs), speak_tool(programs), package_tool(studio, Ownership(studio.settings))):
        api(tool, queue=False)


def guard_tools(page: GuardedBlocks) -> None:
    """Check the caller of each tool of the mounted page before the arguments are read. Unlisted tools are checked too.

    Otherwise Gradio would write base64 files to the disk, and connect to the address in the request's Host header.
    """
    server, rules = page.mcp_server_obj, page.rules
    if server is None or rules is None:
        return
    prepare = server._prepare_tool_call_args

    def asked(name: str, arguments: dict[str, Any]) -> Any:
        tool = server.tool_to_endpoint.get(name, "").removeprefix("/")
        request = cast(Request, server.mcp_server.request_context.request)
        try:
            rules.require(tool if tool in TOOLS else "speak_line", request, arguments)
            if tool not in TOOLS:
                raise UnknownEndpoint(f"unknown tool; use {', '.join(TOOLS)}")
        except EngineError as error:
            raise refused(error, request) from error
        return prepare(name, arguments)

    server._prepare_tool_call_args = asked  # type: ignore[method-assign]


def speak_tool(programs: Programs) -> Callable[..., Any]:
    """Return the tool `speak_line`."""

    async def speak_line(
        request: gr.Request, text: str, voice: str, model: str = "", settings: dict[str, float] | None = None
    ) -> tuple[dict[str, Any], str]:
        try:
            caller = programs.callers.caller(starlette_request(request))
            programs.callers.spend(caller, len(text))
            with within(origin_of(starlette_request(request).headers, "mcp")):
                order = await to_thread.run_sync(programs.order, text, voice, model, settings or {})
                begin = partial(programs.begin, caller, order, time.monotonic(), live=False)
                stream, ticket = await to_thread.run_sync(begin)
            try:
                audio = await whole(ticket)
            finally:
                programs.close(stream)
            sound = await to_thread.run_sync(encode, audio, "wav")
            file = await to_thread.run_sync(handed_bytes, sound, "line.wav")
        except EngineError as error:
            raise refused(error, starlette_request(request)) from error
        made = {"engine": order.engine, "seed": ticket.request.seed, "duration_s": audio.duration_s}
        return file_data(file), json.dumps(made)

    speak_line.__doc__ = SPEAK.format(settings=", ".join(sorted(champion_settings())))
    return speak_line


def list_tool(studio: Studio, programs: Programs) -> Callable[..., Any]:
    """Return the tool `list_voices`."""

    def list_voices(request: gr.Request) -> str:
        """List, as JSON, the voices that speak_line knows: champions and samples, with the engine each was kept with."""
        try:
            programs.callers.caller(starlette_request(request))
            return json.dumps([asdict(voice) for voice in studio.named_voices.list()])
        except EngineError as error:
            raise refused(error, starlette_request(request)) from error

    return list_voices


def package_tool(studio: Studio, ownership: Ownership) -> Callable[..., Any]:
    """Return the tool `package_champion`."""

    def package_champion(request: gr.Request, champion: str) -> dict[str, Any]:
        """Package a champion as an archive for stores and servers; for the studio's owner. Returns the archive's address.

        Args:
            champion: its id
        """
        try:
            ownership.require(starlette_request(request))
            job = studio.champions.package(champion)
            while not job.wait(WAIT_S):
                pass
            if job.state != "done":
                raise EngineError(job.error or "cancelled; start again")
            studio.champions.jobs.forget(job.id)
            return file_data(handed(Path(str(job.result)), archive_name(job.subject)))
        except EngineError as error:
            raise refused(error, starlette_request(request)) from error

    return package_champion


def file_data(path: str) -> dict[str, Any]:
    """Return a file in the form of Gradio. Clients put the server's address before its `url`."""
    url = f"/gradio_api/file={encode_file_path(path)}"
    return {"path": path, "url": url, "orig_name": Path(path).name, "meta": {"_type": "gradio.FileData"}}
