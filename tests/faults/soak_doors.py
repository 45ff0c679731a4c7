"""Clients for each door of the studio. Each function sends one request and returns its end, as the client sees it."""

import asyncio
import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Timer
from typing import Any

import httpx
from mcp import ClientSession
from mcp.client.streamable_http import streamable_http_client
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from studio.order import flat, read_order
from studio.telemetry.origin import REQUEST_ID
from tests.faults.soak_plan import Asked

SPEECH = "/v1/audio/speech"
API = "/gradio_api"
DONE, STOPPED, LEFT, HUNG = "done", "stopped", "left", "hung"  # ends; all others are kinds of errors
LOOK_S = 0.05
BROKEN = "broken off"  # the stream ended early; the reason is unknown


class Doubled(Exception):
    """A request has more than one end."""


@dataclass(frozen=True, slots=True)
class Site:
    """The studio under test, and what its requests need."""

    url: str
    voice: str
    settings: dict[str, dict[str, float]]  # of each engine
    patience_s: float  # a request that has not ended after this time counts as hung
    cut_s: float  # a request is cancelled or left after this time at the latest

    def delay_s(self, asked: Asked) -> float:
        return asked.moment * self.cut_s

    def client(self, asked: Asked, timeout_s: float = 0.0) -> httpx.Client:
        headers = {REQUEST_ID: asked.id}
        return httpx.Client(base_url=self.url, headers=headers, timeout=timeout_s or self.patience_s)


def end_of(site: Site, asked: Asked) -> str:
    """Send a request, and return its end."""
    try:
        if asked.fate == "malformed":
            return _malformed(site, asked)
        return DOORS[asked.door](site, asked)
    except (httpx.TimeoutException, TimeoutError):
        return LEFT if asked.fate == "left" else HUNG
    except (httpx.RemoteProtocolError, httpx.ReadError, ConnectionClosed):
        return BROKEN


@contextmanager
def later(site: Site, asked: Asked, act: Callable[[], object]) -> Iterator[None]:
    """If the plan cancels the request, call `act` after the delay of the request."""
    timer = Timer(site.delay_s(asked), act)
    if asked.fate == "cancelled":
        timer.start()
    try:
        yield
    finally:
        timer.cancel()
        if timer.ident is not None:
            timer.join()


def kind_of(answer: httpx.Response) -> str:
    """Return the code of a problem document; for other answers, the HTTP status."""
    try:
        return str(answer.json().get("code") or answer.status_code)
    except (ValueError, AttributeError):
        return str(answer.status_code)


def _body(site: Site, asked: Asked) -> dict[str, Any]:
    form = {"input": asked.text, "voice": site.voice, "model": asked.engine, "response_format": "pcm"}
    return form | {"seed": asked.draw} | site.settings[asked.engine]


def _stop(site: Site, asked: Asked) -> None:
    """Stop a request as programs do; the request may have ended."""
    httpx.delete(f"{site.url}{SPEECH}/{asked.id}", timeout=site.patience_s)


def _http(site: Site, asked: Asked) -> str:
    left_at = time.monotonic() + site.delay_s(asked) if asked.fate == "left" else float("inf")
    timeout_s = max(0.001, site.delay_s(asked)) if asked.fate == "left" else site.patience_s
    with (
        site.client(asked, timeout_s) as client,
        later(site, asked, lambda: _stop(site, asked)),
        client.stream("POST", SPEECH, json=_body(site, asked)) as answer,
    ):
        if answer.is_error:
            answer.read()
            return kind_of(answer)
        heard = 0
        for part in answer.iter_raw():
            heard += len(part)
            if time.monotonic() > left_at:
                return LEFT
        if not heard:
            return "silent"
        return STOPPED if asked.fate == "cancelled" else DONE  # the audio of a stopped answer also ends as a whole file


def _websocket(site: Site, asked: Asked) -> str:
    url = site.url.replace("http", "ws", 1) + "/ws/tts"
    form = {"text": asked.text, "voice": site.voice, "model": asked.engine, "seed": asked.draw}
    with connect(url, additional_headers={REQUEST_ID: asked.id}, open_timeout=site.patience_s) as socket:
        socket.send(json.dumps(form | site.settings[asked.engine]))
        if asked.fate == "left":
            return _leave_socket(socket, site.delay_s(asked))
        with later(site, asked, lambda: socket.send(json.dumps({"cancel": True}))):
            said, heard = _until_end(socket, site.patience_s)
        socket.send(json.dumps({"ping": 1}))  # a second end would arrive before the answer
        if isinstance(answer := socket.recv(site.patience_s), bytes) or "pong" not in answer:
            raise Doubled(asked.id)
        return said or (DONE if heard and asked.fate != "cancelled" else STOPPED)


def _until_end(socket: Any, patience_s: float) -> tuple[str, int]:
    said, heard = "", 0
    while (part := socket.recv(patience_s)) != b"__END__":
        if isinstance(part, str):
            said = json.loads(part)["code"]
        else:
            heard += len(part)
    return said, heard


def _leave_socket(socket: Any, delay_s: float) -> str:
    due = time.monotonic() + delay_s
    try:
        while (left_s := due - time.monotonic()) > 0 and socket.recv(left_s) != b"__END__":
            pass
    except TimeoutError:
        pass
    socket.close_socket()
    return LEFT


def _data(site: Site, asked: Asked) -> list[object]:
    order = {"text": asked.text, "engine": asked.engine, "seed": asked.draw} | site.settings[asked.engine]
    return [order.get(name) for name in flat(read_order({}))]


def _page(site: Site, asked: Asked) -> str:
    """Speak as the page does: join the queue, and listen to the events."""
    leaves = asked.fate == "left"
    timeout_s = max(0.001, site.delay_s(asked)) if leaves else site.patience_s
    with site.client(asked) as client:
        join = {"data": _data(site, asked), "fn_index": 0, "session_hash": asked.id, "trigger_id": None}
        answer = client.post(f"{API}/queue/join", json=join)
        if answer.is_error:
            return _kind_of_page(answer)
        leave = {"session_hash": asked.id, "fn_index": 0, "event_id": answer.json()["event_id"]}
        cancel = lambda: client.post(f"{API}/cancel", json=leave)  # noqa: E731
        path, left_at = f"{API}/queue/data?session_hash={asked.id}", time.monotonic() + timeout_s
        with later(site, asked, cancel), client.stream("GET", path, timeout=timeout_s) as events:
            return _page_end([*_messages(events, left_at if leaves else float("inf"))])


def _messages(events: httpx.Response, left_at: float) -> Iterator[dict[str, Any]]:
    for line in events.iter_lines():
        if time.monotonic() > left_at:
            yield {"msg": LEFT}
            return
        if line.startswith("data:"):
            yield json.loads(line[5:])


def _page_end(messages: list[dict[str, Any]]) -> str:
    """Return the end of a call. `messages` are all messages until the stream closed, so a second end is noticed."""
    ends = [each for each in messages if each["msg"] in ("process_completed", "unexpected_error", LEFT)]
    if len(ends) != 1:
        raise Doubled([each["msg"] for each in messages])
    if ends[0]["msg"] == LEFT:
        return LEFT
    output = ends[0].get("output") or {}
    if not ends[0].get("success"):
        return _kind_of_message(str(output.get("error")))
    return DONE if (output.get("data") or [None] * 3)[2] else STOPPED


def _speak(site: Site, asked: Asked) -> str:
    """Speak in two steps, as programs without Gradio's client do."""
    leaves = asked.fate == "left"
    with site.client(asked) as client:
        answer = client.post(f"{API}/call/speak", json={"data": _data(site, asked)})
        if answer.is_error:
            return _kind_of_page(answer)
        id = answer.json()["event_id"]
        leave = {"session_hash": id, "fn_index": 0, "event_id": id}
        timeout_s = max(0.001, site.delay_s(asked)) if leaves else site.patience_s
        left_at, ends, data = time.monotonic() + timeout_s, [], ""
        with (
            later(site, asked, lambda: client.post(f"{API}/cancel", json=leave)),
            client.stream("GET", f"{API}/call/speak/{id}", timeout=timeout_s) as events,
        ):
            for line in events.iter_lines():
                if leaves and time.monotonic() > left_at:
                    return LEFT
                kind, _, value = line.partition(": ")
                if kind == "event" and value in ("complete", "error"):
                    ends.append(value)
                data = value if kind == "data" else data
    if ends == ["error"]:
        return _kind_of_message(str((json.loads(data) or {}).get("error")))
    if len(ends) > 1:
        raise Doubled(ends)
    return DONE if ends and (json.loads(data) or [None] * 3)[2] else STOPPED


def _kind_of_page(answer: httpx.Response) -> str:
    return "queue_full" if answer.status_code in (429, 503) else kind_of(answer)


def _kind_of_message(message: str) -> str:
    kinds = {
        "loading again; try again": "engine_failed",
        "failed while speaking": "engine_failed",
        "too little memory": "out_of_memory",
        "planted": "out_of_memory",
        "waiting": "queue_full",
        "not available": "not_ready",
        "stopped": STOPPED,
    }
    return next((kind for words, kind in kinds.items() if words in message), message)


def _mcp(site: Site, asked: Asked) -> str:
    """Call the tool `speak_line`."""

    async def call() -> str:
        headers = {REQUEST_ID: asked.id}
        async with (
            httpx.AsyncClient(headers=headers, timeout=site.patience_s) as client,
            streamable_http_client(f"{site.url}{API}/mcp/", http_client=client) as (reading, writing, _),
            ClientSession(reading, writing) as session,
        ):
            await session.initialize()
            settings = site.settings[asked.engine] | {"seed": asked.draw}
            form = {"text": asked.text, "voice": site.voice, "model": asked.engine, "settings": settings}
            calling = asyncio.ensure_future(session.call_tool("speak_line", form))
            if asked.fate == "left":
                await asyncio.wait([calling], timeout=site.delay_s(asked))
                calling.cancel()
                return LEFT
            result = await asyncio.wait_for(calling, site.patience_s)
            return DONE if not result.isError else _kind_of_message(str(result.content))

    with later(site, asked, lambda: _stop(site, asked)):
        try:
            return asyncio.run(call())
        except BaseExceptionGroup as group:  # the client closes its streams while an answer arrives
            if asked.fate == "left":
                return LEFT
            raise group.exceptions[0] from group


def _script(site: Site, asked: Asked) -> str:
    """Render a sheet of one line in its own project."""
    with site.client(asked) as client:
        project = client.post("/studio/projects", json={"name": asked.id}).raise_for_status().json()["id"]
        address = f"/studio/projects/{project}"
        cast = {"": {"": [{"voice": site.voice, "engine": asked.engine, "settings": site.settings[asked.engine]}]}}
        client.patch(address, json={"cast": cast}).raise_for_status()
        pasted = client.post(f"{address}/sheets/paste", json={"text": f"id\ttext\nL1\t{asked.text}\n"})
        sheet = pasted.raise_for_status().json()["id"]
        client.post(f"{address}/render", json={"sheet": sheet}).raise_for_status()
        try:
            if asked.fate == "left":  # the project is deleted during its render
                time.sleep(site.delay_s(asked))
                return LEFT
            with later(site, asked, lambda: client.post(f"{address}/render/stop")):
                status = _rendered(client, address, site.patience_s)
            (line,) = client.get(f"{address}/sheets/{sheet}").raise_for_status().json()["lines"]
            if len(line["takes"]) > 1:
                raise Doubled(asked.id)
            if status["failed"]:
                return _kind_of_message(status["failed"][0]["message"])
            return DONE if line["takes"] else STOPPED
        finally:
            client.delete(address).raise_for_status()


def _rendered(client: httpx.Client, address: str, patience_s: float) -> dict[str, Any]:
    due = time.monotonic() + patience_s
    while True:
        status = client.get(f"{address}/render").raise_for_status().json()
        if status["state"] not in ("running", "paused") and not status["checking"] and not status["making"]:
            return status
        if time.monotonic() > due:
            raise TimeoutError(address)
        time.sleep(LOOK_S)


def _malformed(site: Site, asked: Asked) -> str:
    """Send a request that must be refused, and return the kind of the refusal."""
    with site.client(asked) as client:
        if asked.door in ("http", "mcp", "script"):
            forms: list[dict[str, Any]] = [
                {"content": b'{"input": "Hold'},
                {"json": {"input": asked.text, "voice": "nobody"}},
                {"json": {"input": "", "voice": site.voice}},
                {"json": {"input": asked.text, "voice": site.voice, "seed": "seven"}},
                {"json": ["not an object"]},
            ]
            answer = client.post(SPEECH, **forms[asked.draw % len(forms)])
            return f"refused {answer.status_code}" if 400 <= answer.status_code < 500 else f"wrong {kind_of(answer)}"
        if asked.door == "websocket":
            with connect(site.url.replace("http", "ws", 1) + "/ws/tts") as socket:
                socket.send(("{", '{"text": 3}', '{"text": "x", "voice": "nobody"}')[asked.draw % 3])
                return f"refused {_until_end(socket, site.patience_s)[0]}"
        bad: list[list[object]] = [[""], [3], ["Hi.", "nothing"], ["Hi.", None, "x"]]
        answer = client.post(f"{API}/call/speak", json={"data": bad[asked.draw % len(bad)]})
        if answer.is_error:
            return f"refused {answer.status_code}"
        said = client.get(f"{API}/call/speak/{answer.json()['event_id']}").text
        return "refused by the page" if "event: error" in said else f"wrong {said}"


DOORS: dict[str, Callable[[Site, Asked], str]] = {
    "http": _http,
    "websocket": _websocket,
    "page": _page,
    "speak": _speak,
    "mcp": _mcp,
    "script": _script,
}
