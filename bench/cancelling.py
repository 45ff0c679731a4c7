"""Measure the time from a cancel to an idle device: `python -m bench.cancelling --out cancelling.json`.

A studio with the embedded checkpoints, started as in README, speaks one line at a time. At a random moment, a client cancels
the line or closes the connection, through the page (Gradio's queue), HTTP and WebSocket. The record of the request contains
the time when the engine dropped the line, after its last step. Requests that ended before the cancel do not count. Times are
in ms.
"""

import argparse
import json
import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from random import Random
from typing import Any

import httpx
import numpy as np
from websockets.sync.client import connect

from bench.machine import machine
from bench.served import studio
from studio.order import flat, read_order
from studio.telemetry.origin import REQUEST_ID
from studio.telemetry.record_files import RecordFiles

TEXT = "The bridge is out, take the long way round, and tell the others that the road behind the mill is closed."
ENGINES = ("f5", "s1")
DOORS = ("page", "http", "websocket")
WITHIN_S = 120.0
MOMENTS_S = (0.05, 1.0)  # from the admission of the line to the cancel

Act = Callable[[], None]


class Client:
    """Begins lines through each door."""

    def __init__(self, url: str, text: str) -> None:
        self._url, self._text = url, text
        self._http = httpx.Client(base_url=url, timeout=WITHIN_S)

    def running(self) -> bool:
        return bool(self._http.get("/studio/telemetry?series=false").json()["running"])

    @contextmanager
    def http(self, id: str, engine: str, leave: bool) -> Iterator[Act]:
        """Yield the act that cancels the line."""
        form = {"input": self._text, "voice": "amber", "model": engine, "response_format": "pcm"}
        with httpx.Client(base_url=self._url, headers={REQUEST_ID: id}, timeout=WITHIN_S) as client:
            stream = client.build_request("POST", "/v1/audio/speech", json=form)
            sock = _sent(self._url, stream)
            try:
                yield sock.close if leave else lambda: _check(client.delete(f"/v1/audio/speech/{id}"))
            finally:
                sock.close()

    @contextmanager
    def websocket(self, id: str, engine: str, leave: bool) -> Iterator[Act]:
        """Yield the act that cancels the line."""
        with connect(self._url.replace("http", "ws", 1) + "/ws/tts", additional_headers={REQUEST_ID: id}) as socket:
            socket.send(json.dumps({"text": self._text, "voice": "amber", "model": engine}))
            yield socket.close_socket if leave else lambda: socket.send(json.dumps({"cancel": True}))

    @contextmanager
    def page(self, id: str, engine: str, leave: bool) -> Iterator[Act]:
        """Yield the act that cancels the line."""
        order = {"text": self._text, "engine": engine}
        data = [order.get(name) for name in flat(read_order({}))]
        join = {"data": data, "fn_index": 0, "session_hash": id, "trigger_id": None}
        with httpx.Client(base_url=self._url, headers={REQUEST_ID: id}, timeout=WITHIN_S) as client:
            event = client.post("/gradio_api/queue/join", json=join).raise_for_status().json()["event_id"]
            body = {"session_hash": id, "fn_index": 0, "event_id": event}
            sock = _sent(self._url, client.build_request("GET", f"/gradio_api/queue/data?session_hash={id}"))
            try:
                yield sock.close if leave else lambda: _check(client.post("/gradio_api/cancel", json=body))
            finally:
                sock.close()


def _sent(url: str, request: httpx.Request) -> Any:
    """Send a request on a bare connection, which can be closed at any moment."""
    import socket

    host, port = url.removeprefix("http://").split(":")
    connection = socket.create_connection((host, int(port)))
    lines = [f"{request.method} {request.url.raw_path.decode()} HTTP/1.1"]
    lines += [f"{name}: {value}" for name, value in request.headers.items()]
    connection.sendall("\r\n".join([*lines, "", ""]).encode() + request.read())
    return connection


def _check(answer: httpx.Response) -> None:
    if answer.status_code != 404:  # 404: the line has ended
        answer.raise_for_status()


def cancel(client: Client, door: str, leave: bool, number: int, draw: Random) -> tuple[str, float]:
    """Begin a line, cancel it at a random moment, and return its id and the time of the cancel."""
    id = f"cancel-{door}-{'left' if leave else 'sent'}-{number:05}"
    with getattr(client, door)(id, ENGINES[number % 2], leave) as act:
        while not client.running():
            time.sleep(0.005)
        time.sleep(draw.uniform(*MOMENTS_S))
        at = time.time()
        act()
        while client.running():
            time.sleep(0.01)
    return id, at


def measure(client: Client, data_dir: Path, doors: Sequence[str], number: int) -> dict[str, Any]:
    """Cancel `number` lines through each interface, half by closing the connection. Return the times in ms by interface."""
    draw, cancelled = Random(1), dict[str, float]()
    for each in range(number):
        for door in doors:
            id, at = cancel(client, door, bool(each // 2 % 2), each, draw)
            cancelled[id] = at
    time.sleep(2.0)  # records are saved every second
    ended = {record.request_id: record for record in RecordFiles(data_dir).read()}
    results: dict[str, Any] = {}
    for door in doors:
        for how in ("sent", "left"):
            ids = [id for id in cancelled if id.startswith(f"cancel-{door}-{how}") and id in ended]
            took = [1000 * (ended[id].at - cancelled[id]) for id in ids if ended[id].outcome == "cancelled"]
            results[f"{door}, {'cancel' if how == 'sent' else 'client gone'}"] = figures(took)
        both = [1000 * (ended[id].at - at) for id, at in cancelled.items() if f"-{door}-" in id and id in ended]
        results[door] = figures([each for each in both if each > 0])
    return results


def figures(times_ms: list[float]) -> dict[str, float]:
    if not times_ms:
        return {"cancels": 0}
    p50, p95, p99 = np.percentile(times_ms, (50, 95, 99))
    named = {"p50_ms": p50, "p95_ms": p95, "p99_ms": p99, "longest_ms": max(times_ms)}
    return {"cancels": len(times_ms), **{name: round(float(value), 1) for name, value in named.items()}}


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.cancelling", description=__doc__)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--cancels", type=int, default=100, help="of each door")
    parser.add_argument("--doors", nargs="+", default=DOORS, choices=DOORS, help="interfaces to use")
    parser.add_argument(
        "--repeat", type=int, default=1, help="of the sentence; on a GPU, the line must last until the cancel"
    )
    parser.add_argument("--commit", help="commit of this tree, if git is not available")
    options = parser.parse_args()
    before = os.getloadavg()
    page = {} if "page" in options.doors else {"STUDIO_PAGE": "false", "STUDIO_EARS": "off"}
    with studio(**page) as (url, data_dir, _):
        client = Client(url, " ".join([TEXT] * options.repeat))
        doors = measure(client, data_dir, options.doors, options.cancels)
    facts = {**machine(options.commit), "cores": os.cpu_count(), "load_before": before, "load_after": os.getloadavg()}
    options.out.write_text(json.dumps({"machine": facts, "doors": doors}, indent=1) + "\n", "utf-8")
    sys.stdout.write(options.out.read_text("utf-8"))


if __name__ == "__main__":
    main()
