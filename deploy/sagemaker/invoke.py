"""Request a line from an endpoint, with tensors in JSON or in Triton's binary format."""

import json
import struct
from collections.abc import Mapping

import boto3
from botocore.config import Config

from deploy.sagemaker import proxy
from deploy.sagemaker.errors import DeployError

TIMEOUT_S = 70  # SageMaker's limit is 60


def invoke(endpoint: str, values: Mapping[str, str], *, target_model: str = "", binary: bool = False) -> bytes:
    """Return a WAV file. `values` are text, champion_id and optionally settings. Raises DeployError, and errors of botocore."""
    media_type, body = binary_request(values) if binary else (proxy.JSON, proxy.request_of(values))
    once = Config(read_timeout=TIMEOUT_S, retries={"total_max_attempts": 1})
    target = {"TargetModel": target_model} if target_model else {}
    answer = boto3.client("sagemaker-runtime", config=once).invoke_endpoint(
        EndpointName=endpoint, ContentType=media_type, Accept="*/*", Body=body, **target
    )
    try:
        return proxy.sound_of(answer["ContentType"], answer["Body"].read())
    except proxy.Refused as error:
        raise DeployError(str(error)) from error


def binary_request(values: Mapping[str, str]) -> tuple[str, bytes]:
    """Return the media type and the body: JSON, then each text, preceded by its length in four bytes."""
    texts = {name: struct.pack("<I", len(value.encode())) + value.encode() for name, value in values.items()}
    inputs = [
        {"name": name, "shape": [1], "datatype": "BYTES", "parameters": {"binary_data_size": len(packed)}}
        for name, packed in texts.items()
    ]
    header = json.dumps({"inputs": inputs, **proxy.OUTPUT}).encode()
    return f"{proxy.BINARY}{len(header)}", header + b"".join(texts.values())
