"""Send many requests to Triton by eight clients at a time, and list the processes that survive."""

import io
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from itertools import cycle, islice

import httpx
import numpy as np
import soundfile
import tritonclient.grpc as grpc

from tests.deploy.triton.clicking import LINE, SAMPLES
from tests.deploy.triton.grpc_requests import given, streamed
from tests.deploy.triton.sagemaker import Platform, in_json, wav_in
from tests.deploy.triton.serving import Stack

CLIENTS = 8
VOICE = "amber"
Ask = Callable[[grpc.InferenceServerClient], int]  # returns the number of received samples


def asked(stack: Stack, ways: Mapping[str, Ask], requests: int) -> Mapping[str, set[int]]:
    """Return the results of each way, used in turn; every client keeps one gRPC connection."""

    def client(number: int) -> list[tuple[str, int]]:
        with closing(grpc.InferenceServerClient(stack.grpc)) as opened:
            turns = islice(cycle(ways.items()), number, number + requests // CLIENTS)
            return [(name, ask(opened)) for name, ask in turns]

    with ThreadPoolExecutor(CLIENTS) as threads:
        came = [each for answers in threads.map(client, range(CLIENTS)) for each in answers]
    return {name: {samples for way, samples in came if way == name} for name in ways}


def processes(stack: Stack) -> set[tuple[int, float]]:
    """Return the processes under the supervisor, by number and start time."""
    return {(process.pid, process.create_time()) for process in stack.supervisor.children(recursive=True)}


def over_http(stack: Stack, model: str, voice: str = VOICE) -> Ask:
    body = in_json({"text": LINE, "champion_id": voice})

    def ask(_: grpc.InferenceServerClient) -> int:
        return samples_in(stack.public.post(f"/v2/models/{model}/infer", content=body))

    return ask


def over_grpc(model: str) -> Ask:
    return lambda client: len(client.infer(model, given(text=LINE, champion_id=VOICE)).as_numpy("audio"))


def in_a_stream(model: str) -> Ask:
    def ask(client: grpc.InferenceServerClient) -> int:
        answers = streamed(client, model, text=LINE, champion_id=VOICE)
        return sum(len(answer.as_numpy("audio")) for answer in answers)

    return ask


def left_early(model: str) -> Ask:
    """Return a stream whose client disconnects after the first piece."""

    def ask(client: grpc.InferenceServerClient) -> int:
        answer = next(streamed(client, model, text=LINE, champion_id=VOICE))
        client.stop_stream(cancel_requests=True)
        return min(len(answer.as_numpy("audio")), SAMPLES)

    return ask


def by_sagemaker(platform: Platform, archive: str) -> Ask:
    return lambda _: samples_in(platform.say(archive, text=LINE))


def by_sagemaker_in_bytes(platform: Platform, archive: str) -> Ask:
    return lambda _: soundfile.info(io.BytesIO(wav_in(platform.say_in_bytes(archive, text=LINE)))).frames


def samples_in(answer: httpx.Response) -> int:
    assert answer.status_code == 200, answer.text
    (audio,) = [output for output in answer.json()["outputs"] if output["name"] == "audio"]
    return len(np.asarray(audio["data"], np.int16))
