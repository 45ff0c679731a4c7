"""The codec's functions, which can be compiled."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from training.s1.codec import network, quantization

Function = Callable[..., Any]


class CodecFunctions:
    """The codec's functions for one model. Each is compiled once for each of its few shapes."""

    def __init__(self, model: Any, compiled: bool) -> None:
        self._model = model
        self._prepare(compiled)

    def _prepare(self, compiled: bool) -> None:
        self.compiled, model = compiled, self._model
        self._encode: Function = lambda audio: network.encode(model, audio)
        self._decode: Function = lambda z: network.decode(model, z)
        self._quantize: Function = lambda z, depth: quantization.quantize(model, z, depth)
        if compiled:
            self._encode = torch.compile(self._encode, dynamic=False)
            self._decode = torch.compile(self._decode, dynamic=False)
            self._quantize = torch.compile(self._quantize, dynamic=False)

    def give_up(self) -> None:
        """Continue without compilation."""
        self._prepare(compiled=False)

    def encode(self, audio: Tensor) -> Tensor:
        """Encode audio as `network.encode` does."""
        z: Tensor = self._encode(audio)
        return z

    def decode(self, z: Tensor) -> Tensor:
        """Decode latents as `network.decode` does."""
        audio: Tensor = self._decode(z)
        return audio

    def quantize(self, z: Tensor, depth: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """Quantise latents as `quantization.quantize` does."""
        found: tuple[Tensor, Tensor, Tensor, Tensor] = self._quantize(z, depth)
        return found
