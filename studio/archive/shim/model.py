"""Speaks for one champion inside NVIDIA Triton: hands each request to the studio that holds the engines.

Every model of a Triton server is a process of its own, so none loads an engine; standard library only. Environment:
CHAMPION_STUDIO_URL is the studio's address, CHAMPION_STUDIO_KEY its API key where it asks for one.
Inputs: text, champion_id (this champion's or none), settings (a JSON object: model f5 or s1, seed, speed and what else the
studio's /v1/audio/speech takes). Output: audio, a whole WAV file.
"""

from __future__ import annotations  # some of Triton's images still run Python 3.8

import http.client
import json
import os
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

import numpy as np
import triton_python_backend_utils as triton  # type: ignore[import-not-found]

TIMEOUT_S = 55  # SageMaker gives up after 60
NEEDED = ("reference.wav", "reference.txt", "metadata.json")


class TritonPythonModel:
    def initialize(self, args: dict[str, str]) -> None:
        folder = Path(args["model_repository"])
        missing = [name for name in NEEDED if not (folder / name).is_file()]
        if missing:
            raise FileNotFoundError(f"this champion lacks {', '.join(missing)}; package it again")
        self.champion_id = json.loads((folder / "metadata.json").read_text("utf-8")).get("champion_id")
        if not self.champion_id:
            raise ValueError('metadata.json holds no "champion_id"; package the champion again')

    def execute(self, requests: list[Any]) -> list[Any]:
        return [self._answer(request) for request in requests]

    def _answer(self, request: Any) -> Any:
        try:
            audio = np.array([self._speak(request)], dtype=np.object_)
        except urllib.error.HTTPError as error:
            return _refusal(f"the studio answered {error.code}: {_sentence(error)}")
        except (OSError, ValueError, http.client.HTTPException) as error:
            return _refusal(str(error))
        return triton.InferenceResponse([triton.Tensor("audio", audio)])

    def _speak(self, request: Any) -> bytes:
        """Raises OSError (urllib's among them), ValueError and HTTPException."""
        url = os.environ.get("CHAMPION_STUDIO_URL", "").rstrip("/")
        if not url.startswith(("http://", "https://")):
            raise ValueError(
                "no studio is behind this champion; set CHAMPION_STUDIO_URL to its http address and reload"
            )
        if _text(request, "champion_id") not in ("", self.champion_id):
            raise ValueError(f"this model speaks as {self.champion_id}; ask the other champion's model instead")
        asked = json.loads(_text(request, "settings") or "{}")
        if not isinstance(asked, dict):
            raise ValueError("settings must be a JSON object")
        own = {"input": _text(request, "text"), "voice": self.champion_id, "response_format": "wav"}
        headers = {"Content-Type": "application/json"}
        if key := os.environ.get("CHAMPION_STUDIO_KEY"):
            headers["Authorization"] = f"Bearer {key}"
        call = urllib.request.Request(f"{url}/v1/audio/speech", json.dumps(asked | own).encode(), headers)
        with urllib.request.urlopen(call, timeout=TIMEOUT_S) as answer:
            return answer.read()


def _text(request: Any, name: str) -> str:
    """An input of one string; "" where the request has none."""
    tensor = triton.get_input_tensor_by_name(request, name)
    return "" if tensor is None else tensor.as_numpy().reshape(-1)[0].decode()


def _sentence(error: urllib.error.HTTPError) -> str:
    """Why the studio refused: its sentence, or whatever stands before it said."""
    body = error.read(2_000).decode(errors="replace")
    try:
        return str(json.loads(body)["detail"])
    except (ValueError, TypeError, KeyError):
        return body


def _refusal(reason: str) -> Any:
    return triton.InferenceResponse(error=triton.TritonError(reason))
