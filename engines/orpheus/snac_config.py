"""The configuration of a SNAC codec: the config.json of the `snac` package."""

import json
import math
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from engines.errors import BadCheckpoint

FIXED = {"attn_window_size": None, "noise": True, "depthwise": True}  # values of snac_24khz; others are not supported


@dataclass(frozen=True, slots=True, kw_only=True)
class SnacConfig:
    """The sizes of a SNAC codec, named as in config.json. The defaults are those of snac_24khz."""

    sampling_rate: int = 24_000  # Hz
    encoder_dim: int = 48
    encoder_rates: tuple[int, ...] = (2, 4, 8, 8)
    decoder_dim: int = 1024
    decoder_rates: tuple[int, ...] = (8, 8, 4, 2)
    codebook_size: int = 4096
    codebook_dim: int = 8
    vq_strides: tuple[int, ...] = (4, 2, 1)  # latents of a code, for each level

    @property
    def latent_dim(self) -> int:
        """Return the channels of a latent."""
        return self.encoder_dim * 2 ** len(self.encoder_rates)

    @property
    def latents(self) -> int:
        """Return the latents of a frame."""
        return math.lcm(*self.vq_strides)

    @classmethod
    def read(cls, path: Path) -> "SnacConfig":
        """Read config.json. Raises BadCheckpoint."""
        try:
            return cls._checked(json.loads(path.read_text(encoding="utf-8")))
        except (OSError, ValueError, TypeError, AttributeError) as error:
            raise BadCheckpoint(
                f"{path.name} does not describe a supported SNAC codec ({error}); "
                "check STUDIO_ORPHEUS_CODEC, or download the file again if it is damaged"
            ) from error

    @classmethod
    def _checked(cls, held: dict[str, Any]) -> "SnacConfig":
        known = FIXED | {field.name: field.default for field in fields(cls)}
        if wrong := sorted(held.keys() ^ known.keys()):
            raise ValueError(f"{wrong[0]!r:.80} is missing or unknown")
        found: dict[str, Any] = {
            name: tuple(value) if isinstance(value, list) else value for name, value in held.items()
        }
        for name, value in found.items():
            if value is not FIXED[name] if name in FIXED else not _is_like(value, known[name]):
                raise ValueError(f"{name} is {held[name]!r:.80}, which is not supported")
        config = cls(**{name: value for name, value in found.items() if name not in FIXED})
        if math.prod(config.encoder_rates) != math.prod(config.decoder_rates):
            raise ValueError("the products of encoder_rates and decoder_rates differ")
        if config.decoder_dim % 2 ** len(config.decoder_rates) or config.vq_strides[0] != config.latents:
            raise ValueError("decoder_dim or vq_strides has wrong divisors")
        return config


def _is_like(value: Any, default: Any) -> bool:
    """Return True if the value has the type of the default, and its numbers are positive."""
    if isinstance(default, tuple):
        return isinstance(value, tuple) and len(value) > 0 and all(_is_like(each, default[0]) for each in value)
    return type(value) is int and value > 0
