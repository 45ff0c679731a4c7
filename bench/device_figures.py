"""Compare a studio's figures with those of other programs: `python -m bench.device_figures --out FILE`.

A studio with the embedded checkpoints gets mixed requests over HTTP, several at a time. Afterwards it gets a short line and a
paragraph for each engine repeatedly, one request at a time. The script compares the studio's times with a stopwatch in the
client, and its memory, temperature and power with `nvidia-smi`. It also gives the growth of the device memory after the first
tenth of the mixed requests, P99/P50 of the times of repeated requests and, for comparison, of a plain loop in the client, and
the number of recompilations in the log.
"""

import argparse
import json
import random
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from itertools import product
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx
import numpy as np

from bench.lines import text
from bench.machine import machine
from bench.served import studio
from studio.telemetry.origin import REQUEST_ID
from studio.telemetry.record_files import RecordFiles
from studio.telemetry.records import RequestRecord

LANES, MOST_WORDS, VOICES = 6, 30, ("amber", "basil", "corin", "delia", "edgar")
ENGINES = ("f5", "s1")
TEXTS = {"line": "The bridge is out, take the long way round.", "paragraph": text(1, 80)}
WITHIN_S = 300.0
RECORDS_S = 2.0  # records are saved every second
NVIDIA_SMI = ("nvidia-smi", "--format=csv,noheader,nounits", "--query-gpu=memory.used,temperature.gpu,power.draw")
READINGS, EVERY_S = 10, 0.5
READ_BYTES, STATUS_OK, LAST_CHUNK = 1 << 20, b"HTTP/1.1 200", b"\r\n0\r\n\r\n"
LOOP_ROUNDS = 400_000  # of `loop_s`; together they take about 20 ms


def connect(url: str) -> socket.socket:
    """Connect to the studio. A bare socket, because an HTTP library adds up to 1 ms to each measured time."""
    host, port = urlsplit(url).hostname, urlsplit(url).port
    return socket.create_connection((host, port), timeout=WITHIN_S)


def speak(connection: socket.socket, id: str, engine: str, line: str, voice: str, seed: int) -> tuple[float, float]:
    """Return the times in seconds until the first audio and until the end, as the client sees them."""
    form = {"input": line, "voice": voice, "model": engine, "response_format": "pcm", "seed": seed}
    body = json.dumps(form).encode()
    headers = (
        f"Host: localhost\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n{REQUEST_ID}: {id}\r\n"
    )
    asked = f"POST /v1/audio/speech HTTP/1.1\r\n{headers}\r\n".encode() + body
    began, first, answer = time.perf_counter(), 0.0, bytearray()
    connection.sendall(asked)
    while not answer.endswith(LAST_CHUNK):
        received = connection.recv(READ_BYTES)
        answer += received
        if not received or not answer.startswith(STATUS_OK):
            raise RuntimeError(answer[:1_000].decode(errors="replace"))
        if not first and answer.partition(b"\r\n\r\n")[2]:  # more than the headers
            first = time.perf_counter() - began
    return first, time.perf_counter() - began


def mixed(url: str, number: int, memory: Callable[[], int]) -> list[int]:
    """Send mixed requests. Return the device memory after the first tenth and at the end."""
    draw = random.Random(1)
    asked = [
        (f"mixed-{each:05}", draw.choice(ENGINES), text(each, draw.randint(1, MOST_WORDS)), draw.choice(VOICES), each)
        for each in range(number)
    ]

    def send(one: tuple[str, str, str, str, int]) -> None:
        with closing(connect(url)) as client:
            speak(client, *one)

    with ThreadPoolExecutor(LANES) as lanes:
        found = []
        for part in (asked[: number // 10], asked[number // 10 :]):
            list(lanes.map(send, part))
            found.append(memory())
    return found


def repeated(url: str, each: int) -> tuple[dict[str, tuple[float, float]], list[float]]:
    """Speak the texts with each engine repeatedly, and run a plain loop after each request.

    Return the client's times by request id, and the times of the loop.
    """
    times, loops = {}, []
    with closing(connect(url)) as client:
        for number in range(each):
            for engine, (name, words) in product(ENGINES, TEXTS.items()):
                id = f"repeated-{engine}-{name}-{number:05}"
                times[id] = speak(client, id, engine, words, "amber", 7)
                loops.append(loop_s())
    return times, loops


def loop_s() -> float:
    """Return the duration of a loop that only computes. Its variation shows how steady the machine is."""
    began = time.perf_counter()
    sum(number * number for number in range(LOOP_ROUNDS))
    return time.perf_counter() - began


def compared(times: dict[str, tuple[float, float]], records: Sequence[RequestRecord]) -> dict[str, Any]:
    """Compare the client's times with those of the records, by engine and text."""
    return {
        f"{engine} {name}": _compare(f"repeated-{engine}-{name}", times, records)
        for engine in ENGINES
        for name in TEXTS
    }


def _compare(prefix: str, times: dict[str, tuple[float, float]], records: Sequence[RequestRecord]) -> dict[str, Any]:
    """Compare the times of the requests whose ids begin with `prefix`, without the first one, which may be slower."""
    rows = [(one, times[one.request_id]) for one in records if one.request_id.startswith(prefix)][1:]
    totals = np.array([[one.total_s, client[1]] for one, client in rows])
    firsts = np.array([[one.first_audio_s or 0.0, client[0]] for one, client in rows])
    return {
        "requests": len(rows),
        "total_ms": _ms(totals),
        "total_ratio": round(float(np.median(totals[:, 0] / totals[:, 1])), 4),
        "first_audio_ms": _ms(firsts),
        "first_audio_ratio": round(float(np.median(firsts[:, 0] / firsts[:, 1])), 4),
        "p99_by_p50": p99_by_p50(totals[:, 1]),
    }


def p99_by_p50(times_s: Sequence[float] | np.ndarray[Any, Any]) -> float:
    """Return the 99th percentile divided by the median."""
    median_s, p99_s = np.percentile(times_s, (50, 99))
    return round(float(p99_s / median_s), 3)


def _ms(times_s: np.ndarray[Any, Any]) -> dict[str, float]:
    """Return the medians of the studio and of the client."""
    studio_s, client_s = np.median(times_s, axis=0)
    return {"studio": round(1000 * float(studio_s), 2), "client": round(1000 * float(client_s), 2)}


def read_both(client: httpx.Client) -> dict[str, dict[str, float]]:
    """Return memory, temperature and power as the studio and as nvidia-smi report them, as medians of several readings."""
    ours, theirs = [], []
    for _ in range(READINGS):
        now = client.get("/studio/telemetry?series=false").json()["now"]
        said = subprocess.run(NVIDIA_SMI, capture_output=True, text=True, check=True).stdout.splitlines()[0]
        ours.append([now["used_bytes"] / 2**20, now["temperature_c"] or 0.0, now["power_w"] or 0.0])
        theirs.append([float(value) for value in said.split(",")])
        time.sleep(EVERY_S)
    names = ("memory_mib", "temperature_c", "power_w")
    both = zip(names, np.median(ours, axis=0), np.median(theirs, axis=0), strict=True)
    return {name: {"studio": float(one), "nvidia_smi": float(two)} for name, one, two in both}


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.device_figures", description=__doc__)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--requests", type=int, default=300)
    parser.add_argument("--repeats", type=int, default=30, help="number of requests for each text and engine")
    parser.add_argument("--commit", help="commit of this tree, if git is not available")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "studio.log"
        quiet = {"STUDIO_PAGE": "false", "STUDIO_EARS": "off", "TORCH_LOGS": "recompiles"}
        with studio(log, **quiet) as (url, data_dir, _), httpx.Client(base_url=url, timeout=WITHIN_S) as client:

            def memory() -> int:
                return int(client.get("/studio/telemetry?series=false").json()["now"]["used_bytes"])

            early, late = mixed(url, options.requests, memory)
            warm = log.read_text("utf-8").count("Recompiling function")
            times, loops = repeated(url, options.repeats)
            time.sleep(RECORDS_S)
            found: dict[str, Any] = {
                "machine": dict(machine(options.commit)),
                "requests": options.requests,
                "memory": {"early": early, "late": late, "growth": round(late / early - 1, 4)},
                "recompilations": warm,
                "repeated": compared(times, RecordFiles(data_dir).read()),
                "plain_loop_p99_by_p50": p99_by_p50(loops),
            }
            if shutil.which(NVIDIA_SMI[0]):
                found["device"] = read_both(client)
            options.out.write_text(json.dumps(found, indent=1) + "\n", "utf-8")
    sys.stdout.write(options.out.read_text("utf-8"))


if __name__ == "__main__":
    main()
