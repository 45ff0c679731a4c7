"""The configuration of an F5-TTS network."""

from dataclasses import dataclass, fields
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class DiTConfig:
    """The architecture section of an F5-TTS configuration. The defaults are those of F5TTS_v1_Base."""

    vocabulary_size: int
    dim: int = 1024
    depth: int = 22
    heads: int = 16
    dim_head: int = 64
    ff_mult: float = 2
    mel_dim: int = 100
    text_dim: int = 512
    conv_layers: int = 4
    text_mask_padding: bool = True
    text_embedding_average_upsampling: bool = False
    qk_norm: str | None = None
    pe_attn_head: int | None = None
    long_skip_connection: bool = False

    @classmethod
    def from_mapping(cls, arch: dict[str, Any], vocabulary_size: int) -> "DiTConfig":
        """Read upstream's `model.arch` mapping; ignore keys that concern only training or kernels."""
        known = {field.name for field in fields(cls)} - {"vocabulary_size"}
        chosen = {key: value for key, value in arch.items() if key in known}
        return cls(vocabulary_size=vocabulary_size, **chosen)
