"""Read requests and write answers for clients of NVIDIA Triton: named tensors in JSON, or as bytes after the JSON.

    {"inputs": [{"name": "text", "shape": [1], "datatype": "BYTES", "data": ["Who goes there?"]}, …]}
    {"outputs": [{"name": "audio", "shape": [24000], "datatype": "INT16", "data": [0, 3, …]}, …]}

Each input has one value. In the binary form a tensor has "parameters": {"binary_data_size": …} instead of "data", and the
values follow the JSON in the order of the tensors: numbers are little-endian, BYTES have a length of four bytes before the
content. A request lists the outputs it wants in "outputs", with "parameters": {"binary_data": true} for binary ones.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from engines.audio import encode
from engines.errors import BadInput
from engines.types import Audio

NUMBERS = {
    "BOOL": "?",
    **{f"{sign}INT{bits}": f"<{sign.lower() or 'i'}{bits // 8}" for sign in ("", "U") for bits in (8, 16, 32, 64)},
    **{f"FP{bits}": f"<f{bits // 8}" for bits in (16, 32, 64)},
}
LENGTH_BYTES = 4
SHAPES: tuple[list[int], ...] = ([], [1], [1, 1])
AUDIO, RATE, WAV = "audio", "sample_rate", "wav"  # names of outputs, as in the Triton models
JSON = "application/json"
BINARY = "application/vnd.sagemaker-triton.binary+json;json-header-size="

Value = str | int | float | bool


class BadTensors(BadInput):
    """The body is not a valid request of tensors."""


@dataclass(frozen=True, slots=True)
class TensorRequest:
    values: Mapping[str, Value]  # inputs by name
    outputs: Mapping[str, bool]  # requested outputs by name; True = binary, after the JSON
    id: str  # repeated in the answer


@dataclass(frozen=True, slots=True)
class TensorAnswer:
    body: bytes
    media_type: str


def read_tensors(body: bytes, json_bytes: int) -> TensorRequest:
    """Read a request; `json_bytes` of the body are the JSON. Raises BadTensors."""
    asked = read_object(body[:json_bytes])
    return TensorRequest(_inputs(asked, body[json_bytes:]), _outputs(asked), str(asked.get("id") or ""))


def write_tensors(audio: Audio, request: TensorRequest, model: str) -> TensorAnswer:
    """Write the audio as the outputs that the request wants."""
    head, tail = [], b""
    for name, as_bytes in request.outputs.items():
        output, packed, listed = _output(name, audio)
        if as_bytes:
            head.append({**output, "parameters": {"binary_data_size": len(packed)}})
            tail += packed
        else:
            head.append({**output, "data": listed})
    answer = {"model_name": model, "model_version": "1", "outputs": head}
    written = json.dumps({"id": request.id, **answer} if request.id else answer).encode()
    return TensorAnswer(written + tail, f"{BINARY}{len(written)}" if any(request.outputs.values()) else JSON)


def _output(name: str, audio: Audio) -> tuple[dict[str, Any], bytes, list[int]]:
    """Return an output's description, its bytes and its numbers."""
    if name == WAV:
        sound = encode(audio, "wav")
        packed = len(sound).to_bytes(LENGTH_BYTES, "little") + sound
        return {"name": name, "shape": [1], "datatype": "BYTES"}, packed, []
    samples = np.frombuffer(encode(audio, "pcm"), "<i2") if name == AUDIO else np.array([audio.sample_rate], "<i4")
    datatype = f"INT{8 * samples.itemsize}"
    return {"name": name, "shape": [len(samples)], "datatype": datatype}, samples.tobytes(), samples.tolist()


def _outputs(asked: Mapping[str, Any]) -> dict[str, bool]:
    """Return the requested outputs, by default the samples and their rate. Raises BadTensors."""
    listed, all_as_bytes = asked.get("outputs") or [{"name": AUDIO}, {"name": RATE}], _flag(asked, "binary_data_output")
    if not isinstance(listed, list) or not all(isinstance(one, dict) for one in listed):
        raise BadTensors(
            '"outputs" must be a list of objects with a name; correct "outputs" and send the request again'
        )
    wanted = {str(one.get("name")): _flag(one, "binary_data", all_as_bytes) for one in listed}
    if unknown := sorted(wanted.keys() - {AUDIO, RATE, WAV}):
        raise BadTensors(f"unknown output {unknown[0][:40]!r}; request {AUDIO}, {RATE} or {WAV}")
    if wanted.get(WAV) is False:
        raise BadTensors(
            f'the output {WAV} is a file and cannot be sent as JSON; set "binary_data": true in the parameters of {WAV}, '
            f"or request {AUDIO}"
        )
    return wanted


def _flag(owner: Mapping[str, Any], name: str, otherwise: bool = False) -> bool:
    parameters = owner.get("parameters")
    return bool(parameters.get(name, otherwise)) if isinstance(parameters, dict) else otherwise


def _inputs(asked: Mapping[str, Any], behind: bytes) -> dict[str, Value]:
    """Return the values of the inputs by name. Raises BadTensors."""
    inputs = asked.get("inputs")
    if not isinstance(inputs, list) or not all(isinstance(one, dict) for one in inputs):
        raise BadTensors(
            '"inputs" must be a list of objects with name, shape, datatype and data; correct it and send it again'
        )
    values: dict[str, Value] = {}
    for one in inputs:
        name, parameters = one.get("name"), one.get("parameters")
        size = parameters.get("binary_data_size") if isinstance(parameters, dict) else None
        if not isinstance(name, str) or name in values or one.get("shape") not in SHAPES:
            raise BadTensors(
                "each input needs a unique name and the shape [1]; correct the inputs and send the request again"
            )
        if size is None:
            values[name] = _listed(name, one.get("datatype"), one.get("data"))
            continue
        if type(size) is not int or not 0 <= size <= len(behind):
            raise BadTensors(f"{name}: the body is shorter than {size} bytes; send the complete body")
        values[name] = _packed(name, one.get("datatype"), behind[:size])
        behind = behind[size:]
    return values


def read_object(written: bytes, name: str = "the body") -> Mapping[str, Any]:
    """Parse a JSON object; messages call it `name`. Raises BadTensors."""
    try:
        read = json.loads(written)
    except (ValueError, RecursionError) as error:
        raise BadTensors(
            f"{name} is not JSON; send a JSON object, or set json-header-size in the Content-Type header"
        ) from error
    if not isinstance(read, dict):
        raise BadTensors(f"{name} is not a JSON object; send a JSON object")
    return read


def _listed(name: str, datatype: object, data: object) -> Value:
    while isinstance(data, list) and len(data) == 1:
        data = data[0]
    fits = isinstance(data, str) if datatype == "BYTES" else isinstance(data, int | float) and datatype in NUMBERS
    if not fits:
        raise BadTensors(f"{name}: data must be a list with one value of the datatype, such as one text for BYTES")
    return data  # type: ignore[return-value]


def _packed(name: str, datatype: object, data: bytes) -> Value:
    try:
        if datatype == "BYTES":
            if int.from_bytes(data[:LENGTH_BYTES], "little") != len(data) - LENGTH_BYTES:
                raise ValueError("another length")
            return data[LENGTH_BYTES:].decode()
        (value,) = np.frombuffer(data, NUMBERS[str(datatype)])
        return value.item()
    except (ValueError, KeyError) as error:
        raise BadTensors(
            f"{name}: the bytes are not one value of the datatype; correct the data and send the request again"
        ) from error
