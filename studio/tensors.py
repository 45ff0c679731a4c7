"""Requests as clients of NVIDIA Triton write them: named values in JSON, or behind it as bytes; here each holds one value.

    {"inputs": [{"name": "text", "shape": [1], "datatype": "BYTES", "data": ["Who goes there?"]}, …]}

In the binary form an input has "parameters": {"binary_data_size": …} instead of "data", and its value follows the JSON in the
order of the inputs: numbers little-endian, BYTES as their length in four bytes and themselves.
"""

import json
from collections.abc import Mapping
from typing import Any

import numpy as np

from engines.errors import BadInput

NUMBERS = {
    "BOOL": "?",
    **{f"{sign}INT{bits}": f"<{sign.lower() or 'i'}{bits // 8}" for sign in ("", "U") for bits in (8, 16, 32, 64)},
    **{f"FP{bits}": f"<f{bits // 8}" for bits in (16, 32, 64)},
}
LENGTH_BYTES = 4
SHAPES: tuple[list[int], ...] = ([], [1], [1, 1])

Value = str | int | float | bool


class BadTensors(BadInput):
    """A body is no such request."""


def read_tensors(body: bytes, json_bytes: int) -> dict[str, Value]:
    """Values by name; `json_bytes` of the body are the JSON. Raises BadTensors."""
    asked = read_object(body[:json_bytes])
    inputs = asked.get("inputs")
    if not isinstance(inputs, list) or not all(isinstance(one, dict) for one in inputs):
        raise BadTensors('"inputs" is a list of objects with name, shape, datatype and data; correct it, send it again')
    behind, values = body[json_bytes:], {}
    for one in inputs:
        name, parameters = one.get("name"), one.get("parameters")
        size = parameters.get("binary_data_size") if isinstance(parameters, dict) else None
        if not isinstance(name, str) or name in values or one.get("shape") not in SHAPES:
            raise BadTensors("each input has a name of its own and the shape [1]; correct it, send it again")
        if size is None:
            values[name] = _listed(name, one.get("datatype"), one.get("data"))
            continue
        if type(size) is not int or not 0 <= size <= len(behind):
            raise BadTensors(f"{name}: the body ends before its {size} bytes; send it whole")
        values[name] = _packed(name, one.get("datatype"), behind[:size])
        behind = behind[size:]
    return values


def read_object(written: bytes, name: str = "the body") -> Mapping[str, Any]:
    """JSON's; `name` is what it is called in a refusal. Raises BadTensors."""
    try:
        read = json.loads(written)
    except (ValueError, RecursionError) as error:
        raise BadTensors(f"{name} is not JSON; send an object, or tell json-header-size in the body's type") from error
    if not isinstance(read, dict):
        raise BadTensors(f"{name} is not a JSON object; send one")
    return read


def _listed(name: str, datatype: object, data: object) -> Value:
    while isinstance(data, list) and len(data) == 1:
        data = data[0]
    fits = isinstance(data, str) if datatype == "BYTES" else isinstance(data, int | float) and datatype in NUMBERS
    if not fits:
        raise BadTensors(f"{name}: one value of its datatype is wanted as data, such as BYTES and a list of one text")
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
        raise BadTensors(f"{name}: its bytes are not one value of its datatype; correct it, send it again") from error
