"""Run a serverless worker with its own studio process: `python -m deploy.runpod.handler [--stream]`."""

import os
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

import httpx
import runpod

from deploy.runpod.speaking import Worker
from studio.network_environment import repair_network_environment

LOOK_S = 0.2
SPEAKS_FOR_S = 300.0  # the studio's time limit for a request
AT_A_TIME = 8  # maximum number of jobs at a time: the studio speaks a batch, and some more wait
STREAM = "--stream"


def start_studio(socket: Path) -> "subprocess.Popen[bytes]":
    """Start a studio without its page, and wait until it is ready. Raises SystemExit if the studio exits."""
    environment = {**os.environ, "STUDIO_SOCKET": str(socket), "STUDIO_PAGE": "off"}
    studio = subprocess.Popen([Path(__file__).parents[1] / "start"], env=environment)
    with httpx.Client(transport=httpx.HTTPTransport(uds=str(socket)), base_url="http://localhost") as client:
        while not _is_ready(client):
            try:
                sys.exit(studio.wait(LOOK_S) or 1)
            except subprocess.TimeoutExpired:
                continue
    threading.Thread(target=lambda: os._exit(studio.wait()), daemon=True).start()  # RunPod replaces a worker that exits
    return studio


def _is_ready(client: httpx.Client) -> bool:
    try:
        return client.get("/ready").is_success
    except httpx.TransportError:
        return False


def main() -> None:
    repair_network_environment()
    socket = Path(tempfile.mkdtemp()) / "studio.sock"
    studio = start_studio(socket)
    transport = httpx.AsyncHTTPTransport(uds=str(socket))
    worker = Worker(httpx.AsyncClient(transport=transport, base_url="http://localhost", timeout=SPEAKS_FOR_S))
    streams = STREAM in sys.argv
    if streams:
        sys.argv.remove(STREAM)  # runpod parses the other arguments
    try:
        runpod.serverless.start(
            {
                "handler": worker.stream if streams else worker.speak,
                "return_aggregate_stream": streams,
                "concurrency_modifier": lambda _: AT_A_TIME,
            }
        )
    finally:
        studio.terminate()
        studio.wait()


if __name__ == "__main__":
    main()
