"""Answer the published Triton clients of F5-TTS and Spark-TTS, whose only output is `waveform`.

The file config.pbtxt gives the engine, the sample rate of the reference and of the output, and the overlap of chunks. The file
shim.py, a copy of the archives' shim, does everything else.
"""

from __future__ import annotations  # some images of Triton still run Python 3.8

import json
from contextlib import closing
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from studio.archive.shim import model as shim
else:
    from . import shim  # before numpy, whose large modules it loads lazily

import numpy as np
import triton_python_backend_utils as triton  # type: ignore[import-not-found]

from .chunks import overlapping

TEXTS = ("reference_text", "target_text")
FULL_SCALE = 32_768  # of 16-bit samples


class TritonPythonModel(shim.TritonPythonModel):
    def initialize(self, args: dict[str, str]) -> None:
        """Read the parameters of config.pbtxt."""
        super().initialize(args)
        given = json.loads(args["model_config"])["parameters"]
        self._rate = int(given["sample_rate"]["string_value"])
        overlap_s = given.get("audio_chunk_overlap_duration", {}).get("string_value", "0")
        self._overlap = round(float(overlap_s) * self._rate)

    def _begun(self, given: dict[str, Any]) -> shim.Call:
        """Start a request, and return its call to the studio. Raises Refusal and ValueError."""
        try:
            return super()._begun(given)
        except shim.Refusal as error:
            if error.code != "unknown_engine":
                raise
            sentence = (
                f"the studio behind this model does not run the engine {self._engine}; "
                f"add {self._engine} to STUDIO_ENGINES and start the studio again"
            )
            raise shim.Refusal(sentence, error.status, error.code) from error

    def _form(self, given: dict[str, Any]) -> dict[str, Any]:
        """Return the fields of a request to /v1/audio/speech. Raises ValueError.

        The clients cannot set `ignore_report`, so a reference of poor quality is used; one without a voice is refused.
        """
        texts = {name: np.array([_text(name, given)], np.object_) for name in TEXTS}
        rate = np.array([self._rate], np.int32)
        sound = _reference(given)
        form = super()._form({**texts, "reference_wav": sound, "reference_sample_rate": rate})
        return {**form, "ignore_report": True}

    def _spoken(self, given: dict[str, Any], wanted: list[str], sender: Any) -> Any:
        """Return the whole audio, or send the chunks of a stream and return None. Raises Refusal and ValueError."""
        with closing(self._begun(given)) as call, shim._until_cancelled(call, sender):
            self._check_rate(shim.HEADER.unpack(call.read(shim.HEADER.size))[6])
            if not self._streams:
                return _waveform(np.frombuffer(b"".join(call.pieces()), "<i2"))
            for chunk in overlapping(shim._samples(call.pieces()), self._overlap):
                sender.send(_waveform(chunk))
        return None

    def _check_rate(self, rate: int) -> None:
        if rate != self._rate:
            raise ValueError(
                f"the engine {self._engine} speaks at {rate} Hz, but clients of this model expect {self._rate} Hz; "
                f"set engine in config.pbtxt to an engine with {self._rate} Hz, and load the model again"
            )


def _text(name: str, given: dict[str, Any]) -> str:
    """Return a text of the request. Raises ValueError."""
    if name not in given:  # Triton counts the inputs, but an optional input can take the place of a required one
        raise ValueError(f"{name} is missing; send {' and '.join(TEXTS)}")
    try:
        return str(given[name][0].decode())
    except UnicodeDecodeError as error:
        raise ValueError(f"{name} is not valid UTF-8; encode the text as UTF-8 and send the request again") from error


def _reference(given: dict[str, Any]) -> Any:
    """Return the samples before the padding, from -1 to 1; louder samples are scaled down. Raises ValueError."""
    sound = given.get("reference_wav")
    if sound is None:
        raise ValueError(
            "reference_wav is missing; send the samples of a voice, and their transcript as reference_text"
        )
    length = int(given["reference_wav_len"][0]) if "reference_wav_len" in given else len(sound)
    if not 0 < length <= len(sound):
        raise ValueError(
            f"reference_wav_len is {length}, but reference_wav has {len(sound)} samples; "
            "send the number of samples before the padding"
        )
    samples = sound[:length]
    if not np.isfinite(samples).all():
        raise ValueError("reference_wav contains NaN or infinity; send samples from -1 to 1")
    return samples / max(1.0, np.abs(samples).max())


def _waveform(samples: Any) -> Any:
    """Return int16 values as a float32 response in a batch of one."""
    return triton.InferenceResponse(
        [triton.Tensor("waveform", (samples / FULL_SCALE).astype(np.float32).reshape(1, -1))]
    )
