"""SageMaker from a container's view: it unpacks archives, loads and unloads them by a hash, and passes on bodies."""

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path

import httpx

from tests.deploy.triton.serving import Stack, model_of

BINARY = "application/vnd.sagemaker-triton.binary+json;json-header-size="
TARGET = "x-amzn-sagemaker-target-model"


@dataclass(frozen=True, slots=True)
class Platform:
    stack: Stack

    def unpack(self, archive: Path) -> Path:
        """Return the folder of an unpacked archive, as on the container's disk."""
        return model_of(archive, self.stack.folder / "archives" / hash_of(archive.name) / "model")

    def load(self, archive: str) -> httpx.Response:
        body = {"model_name": hash_of(archive), "url": f"/opt/ml/models/{hash_of(archive)}/model"}
        return self.stack.public.post("/models", json=body, headers={TARGET: archive})

    def unload(self, archive: str) -> httpx.Response:
        return self.stack.public.delete(f"/models/{hash_of(archive)}", headers={TARGET: archive})

    def get(self, archive: str) -> httpx.Response:
        return self.stack.public.get(f"/models/{hash_of(archive)}")

    def invoke(self, archive: str, body: bytes, content_type: str = "application/json") -> httpx.Response:
        headers = {TARGET: archive, "content-type": content_type}
        return self.stack.public.post(f"/models/{hash_of(archive)}/invoke", content=body, headers=headers)

    def say(self, archive: str, **inputs: str) -> httpx.Response:
        """Send a body with everything in JSON, as the earlier endpoint accepted it."""
        return self.invoke(archive, in_json(inputs))

    def say_in_bytes(self, archive: str, **inputs: str) -> httpx.Response:
        """Send a body with the values after its JSON; the answer has a WAV file after its JSON."""
        header, values = in_bytes(inputs)
        return self.invoke(archive, header + values, f"{BINARY}{len(header)}")


def hash_of(archive: str) -> str:
    return hashlib.md5(archive.encode(), usedforsecurity=False).hexdigest()


def in_json(inputs: dict[str, str]) -> bytes:
    tensors = [{"name": name, "shape": [1], "datatype": "BYTES", "data": [value]} for name, value in inputs.items()]
    return json.dumps({"inputs": tensors}).encode()


def in_bytes(inputs: dict[str, str]) -> tuple[bytes, bytes]:
    values = {name: len(value.encode()).to_bytes(4, "little") + value.encode() for name, value in inputs.items()}
    tensors = [
        {"name": name, "shape": [1], "datatype": "BYTES", "parameters": {"binary_data_size": len(value)}}
        for name, value in values.items()
    ]
    wanted = [{"name": "wav", "parameters": {"binary_data": True}}]
    return json.dumps({"inputs": tensors, "outputs": wanted}).encode(), b"".join(values.values())


def wav_in(answer: httpx.Response) -> bytes:
    """Return the element after the JSON: its length in four bytes, then the file."""
    assert answer.status_code == 200, answer.text
    output = answer.content[int(answer.headers["content-type"].removeprefix(BINARY)) :]
    assert int.from_bytes(output[:4], "little") == len(output) - 4
    return output[4:]
