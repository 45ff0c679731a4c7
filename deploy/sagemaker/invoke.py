"""A line from an endpoint, asked for by tensors in JSON or in Triton's binary form."""

import json
import struct
from collections.abc import Mapping

import boto3
from botocore.config import Config

from deploy.sagemaker import proxy
from deploy.sagemaker.errors import DeployError

TIMEOUT_S = 70  # SageMaker itself gives up after 60


def invoke(endpoint: str, values: Mapping[str, str], *, target_model: str = "", binary: bool = False) -> bytes:
    """A WAV file; `values` are text, champion_id and, if wanted, settings. Raises DeployError, botocore's errors."""
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
    """Its type, and the body: JSON, then each text as its length in four bytes and itself."""
    texts = {name: struct.pack("<I", len(value.encode())) + value.encode() for name, value in values.items()}
    inputs = [
        {"name": name, "shape": [1], "datatype": "BYTES", "parameters": {"binary_data_size": len(packed)}}
        for name, packed in texts.items()
    ]
    told = json.dumps({"inputs": inputs, **proxy.OUTPUT}).encode()
    return f"{proxy.BINARY}{len(told)}", told + b"".join(texts.values())
