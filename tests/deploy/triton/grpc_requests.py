"""Requests by Triton's own client for Python, over gRPC."""

import queue
from collections.abc import Iterator

import numpy as np
import tritonclient.grpc as client

KINDS = {"O": "BYTES", "f": "FP32", "l": "INT64", "i": "INT32"}


def given(**inputs: object) -> list[client.InferInput]:
    made = []
    for name, value in inputs.items():
        values = np.array([value.encode()], np.object_) if isinstance(value, str) else np.atleast_1d(np.asarray(value))
        made.append(client.InferInput(name, values.shape, KINDS[values.dtype.char]))
        made[-1].set_data_from_numpy(values)
    return made


def streamed(triton: client.InferenceServerClient, model: str, **inputs: object) -> Iterator[client.InferResult]:
    return answers_of(triton, model, given(**inputs))


def answers_of(
    triton: client.InferenceServerClient, model: str, inputs: list[client.InferInput]
) -> Iterator[client.InferResult]:
    """Yield the answers to one request until the final answer. Raises the error that arrives instead."""
    answers: queue.Queue[tuple[client.InferResult, Exception | None]] = queue.Queue()
    triton.stop_stream()
    triton.start_stream(lambda result, error: answers.put((result, error)))
    triton.async_stream_infer(model, inputs, enable_empty_final_response=True)
    while True:
        result, error = answers.get()
        if error is not None:
            raise error
        if result.get_response().parameters["triton_final_response"].bool_param:
            return
        yield result
