"""The configuration of an S1 checkpoint: config.json for the network, a YAML file for the codec."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from engines.codec_lm.config import StackConfig, WindowConfig
from engines.errors import BadCheckpoint


@dataclass(frozen=True, slots=True, kw_only=True)
class DualARConfig:
    """The sizes of the network. The slow stack has a position per frame or text token; the fast one generates a frame."""

    slow: StackConfig
    fast: StackConfig
    vocabulary_size: int
    codebook_size: int  # embeddings of each codebook
    codebooks: int  # codes of a frame, with the semantic code
    max_positions: int
    tied: bool  # True if the head is the embedding
    scaled: bool  # True if frame embeddings are divided by sqrt(codebooks + 1)

    @classmethod
    def read(cls, path: Path) -> "DualARConfig":
        """Read config.json. Raises BadCheckpoint."""
        try:
            held = json.loads(path.read_text(encoding="utf-8"))
            return cls.from_mapping(held)
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            raise BadCheckpoint(f"{path.name} does not describe an S1 network ({error}); download it again") from error

    @classmethod
    def from_mapping(cls, held: Mapping[str, Any]) -> "DualARConfig":
        """Read upstream's flat mapping; a missing or null fast value equals the slow one. Raises ValueError, KeyError."""
        if held.get("model_type") != "dual_ar":
            raise ValueError(f"model_type is {held.get('model_type')!r}, not 'dual_ar'")
        slow = _stack(held, "", held["n_layer"], None)
        return cls(
            slow=slow,
            fast=_stack(held, "fast_", held.get("n_fast_layer", 4), slow),
            vocabulary_size=held["vocab_size"],
            codebook_size=held["codebook_size"],
            codebooks=held["num_codebooks"],
            max_positions=held.get("max_seq_len", 2048),
            tied=held.get("tie_word_embeddings", True),
            scaled=held.get("scale_codebook_embeddings", False),
        )


def _stack(held: Mapping[str, Any], prefix: str, layers: int, base: StackConfig | None) -> StackConfig:
    def number(name: str, other: Any) -> Any:
        value = held.get(prefix + name)
        return other if value is None or value == -1 else value

    dim = number("dim", base.dim if base else 0)
    heads = number("n_head", base.heads if base else 0)
    head_dim = number("head_dim", base.head_dim if base else 64)
    return StackConfig(
        dim=dim,
        layers=layers,
        heads=heads,
        kv_heads=number("n_local_heads", base.kv_heads if base else heads),
        head_dim=head_dim,
        intermediate=number("intermediate_size", base.intermediate if base else _wide(dim)),
        rope_base=held.get("rope_base", 10_000.0),
        norm_eps=held.get("norm_eps", 1e-5),
        qkv_bias=number("attention_qkv_bias", base.qkv_bias if base else False),
        o_bias=number("attention_o_bias", base.o_bias if base else False),
        qk_norm=number("attention_qk_norm", base.qk_norm if base else False),
    )


def _wide(dim: int) -> int:
    """Return the default feed-forward size: two thirds of four times the width, rounded up to a multiple of 256."""
    return -(-(8 * dim // 3) // 256) * 256


PUBLISHED_WINDOW = WindowConfig(dim=1024, layers=8, heads=16, intermediate=3072, window=128)


@dataclass(frozen=True, slots=True, kw_only=True)
class CodecConfig:
    """The sizes of the modified DAC. The defaults are those of openaudio-s1-mini, whose folder has no configuration."""

    sample_rate: int = 44_100  # Hz
    encoder_dim: int = 64
    encoder_rates: tuple[int, ...] = (2, 4, 8, 8)
    encoder_layers: tuple[int, ...] = (0, 0, 0, 4)  # transformer layers after each block
    decoder_dim: int = 1536
    decoder_rates: tuple[int, ...] = (8, 8, 4, 2)
    latent_dim: int = 1024
    downsample: tuple[int, ...] = (2, 2)
    residual_codebooks: int = 9
    residual_size: int = 1024
    semantic_size: int = 4096
    code_dim: int = 8
    pre: WindowConfig | None = PUBLISHED_WINDOW
    post: WindowConfig | None = PUBLISHED_WINDOW

    @property
    def hop(self) -> int:
        """Return the samples of a frame."""
        product = 1
        for rate in (*self.encoder_rates, *self.downsample):
            product *= rate
        return product

    @property
    def frame_rate(self) -> float:
        """Return the frames of a second."""
        return self.sample_rate / self.hop

    @classmethod
    def read(cls, path: Path) -> "CodecConfig":
        """Read a YAML file in the format of upstream's `modded_dac_vq`. Raises BadCheckpoint."""
        try:
            return cls._from_mapping(yaml.safe_load(path.read_text(encoding="utf-8")))
        except (OSError, yaml.YAMLError, KeyError, TypeError, ValueError, AttributeError) as error:
            raise BadCheckpoint(f"{path.name} does not describe an S1 codec ({error}); download it again") from error

    @classmethod
    def _from_mapping(cls, held: Mapping[str, Any]) -> "CodecConfig":
        quantizer = held["quantizer"]
        encoder_dim, rates = held["encoder_dim"], tuple(held["encoder_rates"])
        return cls(
            sample_rate=held["sample_rate"],
            encoder_dim=encoder_dim,
            encoder_rates=rates,
            encoder_layers=tuple(held.get("encoder_transformer_layers", [0] * len(rates))),
            decoder_dim=held["decoder_dim"],
            decoder_rates=tuple(held["decoder_rates"]),
            latent_dim=held.get("latent_dim") or encoder_dim * 2 ** len(rates),
            downsample=tuple(quantizer.get("downsample_factor", (2, 2))),
            residual_codebooks=quantizer["n_codebooks"],
            residual_size=quantizer["codebook_size"],
            semantic_size=quantizer["semantic_codebook_size"],
            code_dim=quantizer["codebook_dim"],
            pre=_window(quantizer.get("pre_module")),
            post=_window(quantizer.get("post_module")),
        )


def _window(held: Mapping[str, Any] | None) -> WindowConfig | None:
    if held is None:
        return None
    inner = held["config"]
    return WindowConfig(
        dim=inner["dim"],
        layers=inner["n_layer"],
        heads=inner["n_head"],
        intermediate=inner["intermediate_size"],
        window=int(held["window_size"]),  # without a window, the codec could not stream
        head_dim=inner.get("head_dim", 64),
        rope_base=float(inner.get("rope_base", 10_000)),
        norm_eps=float(inner.get("norm_eps", 1e-5)),
    )
