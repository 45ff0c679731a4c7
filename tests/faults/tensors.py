"""Requests at Triton's two public ports, most of them wrong: bare bytes, tensors in JSON, tensors over gRPC."""

import json
import socket
from collections import Counter
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import tritonclient.grpc as client
from tritonclient.utils import InferenceServerException

from tests.faults.nonsense import ATOMS, spoilt, value
from tests.faults.raw import WAIT_S, request, reset, statuses

MODELS = ("f5tts", "s1mini", "f5tts_stream", "s1mini_stream")
NAMES = (
    *("text", "target_text", "champion_id", "language", "settings", "seed", "speed"),
    *("reference_wav", "reference_wav_len", "reference_sample_rate", "reference_text", "nobody"),
)
DATATYPES = ("BYTES", "FP32", "INT64", "INT32", "BOOL", "FP16", "", "NONE")
ARRAYS = (
    *(np.zeros(0, np.float32), np.full(64, np.nan, np.float32), np.zeros((2, 2), np.float32), np.float32([1e30])),
    *(np.int32([-1]), np.int32([2**31 - 1]), np.int64([2**63 - 1]), np.int64([-1, 1]), np.bool_([True])),
    *(np.array([each.encode("utf-8", "replace")], np.object_) for each in ATOMS if isinstance(each, str)),
    *(np.array([b"\xff\xfe"], np.object_), np.array([b"{}", b"[]"], np.object_), np.array([b"[" * 9_999], np.object_)),
)
PATHS = [
    *("/ping", "/v2/health/ready", "/v2/health/live", "/v2", "/v2/models/nobody", "/v2/repository/index", "/metrics"),
    *(f"/v2/models/{model}{rest}" for model in MODELS for rest in ("", "/ready", "/config", "/infer", "/generate")),
    *("/v2/repository/models/f5tts/unload/no", "/v2/models/f5tts/versions/9/infer", "/v2/systemsharedmemory/status"),
]


def over_http(door: Path, number: int, draw: Random) -> Counter[str]:
    """So many connections; how many were answered with which status, or how they ended."""
    return Counter(outcome for _ in range(number) for outcome in _exchanged(door, draw))


def _exchanged(door: Path, draw: Random) -> list[str]:
    sent = request(draw, PATHS) if draw.random() < 0.4 else _inference(draw)
    with socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(WAIT_S)
        try:
            connection.connect(str(door))
            connection.sendall(sent)
            if draw.random() < 0.1:
                reset(connection)
                return ["reset by us"]
            connection.shutdown(socket.SHUT_WR)
            return statuses(b"".join(iter(lambda: connection.recv(65_536), b"")))
        except TimeoutError:
            return ["hung"]
        except OSError:
            return ["reset by Triton"]


def _inference(draw: Random) -> bytes:
    """A request for inference with some wrong tensors, spoilt now and then."""
    asked: dict[str, Any] = {"inputs": [_tensor(draw) for _ in range(draw.randrange(6))]}
    if draw.random() < 0.2:
        asked[draw.choice(("outputs", "parameters", "id", "inputs"))] = value(draw)
    body = json.dumps(asked).encode("utf-8", "surrogatepass")
    body = spoilt(draw, body) if draw.random() < 0.2 else body
    lines = f"POST /v2/models/{draw.choice(MODELS)}/infer HTTP/1.1", "Host: localhost", "Connection: close"
    length = f"Content-Length: {len(body) + draw.choice((*9 * (0,), 9, -1))}"
    return "\r\n".join([*lines, length, "", ""]).encode() + body


def _tensor(draw: Random) -> dict[str, Any]:
    shape = draw.choice(
        ([1], [1], [1], [], [0], [2], [-1], [1, 1], [2**20], "x")
    )  # Triton itself dies of 2**40 numbers: README
    return {"name": draw.choice(NAMES), "shape": shape, "datatype": draw.choice(DATATYPES), "data": [value(draw, 1)]}


def over_grpc(url: str, number: int, draw: Random) -> Counter[str]:
    """So many requests for inference; how many had which status."""
    with client.InferenceServerClient(url) as triton:
        return Counter(_inferred(triton, draw) for _ in range(number))


def _inferred(triton: client.InferenceServerClient, draw: Random) -> str:
    given = []
    for name in draw.sample(NAMES, draw.randrange(1, 6)):
        array = draw.choice(ARRAYS)
        kind = "BYTES" if array.dtype == np.object_ else draw.choice((str(_kind(array)), *DATATYPES[:4]))
        given.append(client.InferInput(name, draw.choice(([1], list(array.shape))), kind))
        if kind == _kind(array) and given[-1].shape() == list(array.shape):
            given[-1].set_data_from_numpy(array)
    try:
        triton.infer(draw.choice(MODELS[:2]), given, client_timeout=WAIT_S)
    except InferenceServerException as error:
        return str(error.status() or "refused by the client")
    return "spoken"


def _kind(array: np.ndarray) -> str:
    return {"O": "BYTES", "f": "FP32", "l": "INT64", "i": "INT32", "?": "BOOL"}[array.dtype.char]
