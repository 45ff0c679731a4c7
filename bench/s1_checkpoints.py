"""S1 checkpoints in the real format with random weights that make every layer matter, built with fish-speech's classes."""

import base64
import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
import yaml
from torch import nn

from bench.checkpoints import redraw
from engines.originals.fish_codec import build, prepare_imports

CONTROLS = ("<|begin_of_text|>", "<|end_of_text|>", "<|pad|>", "<|im_start|>", "<|im_end|>", "<|interleave|>")


@dataclass(frozen=True, slots=True, kw_only=True)
class Size:
    """The sizes of a checkpoint: `network` as in config.json, `codec` as in modded_dac_vq.yaml."""

    network: dict[str, Any]
    codec: dict[str, Any]
    semantic: int


def _window(dim: int, layers: int, heads: int, intermediate: int, window: int) -> dict[str, Any]:
    config = {
        "_target_": "fish_speech.models.dac.modded_dac.ModelArgs",
        "block_size": 4096, "n_layer": layers, "n_head": heads, "dim": dim, "intermediate_size": intermediate,
        "n_local_heads": -1, "head_dim": dim // heads, "rope_base": 10000, "norm_eps": 1e-5,
        "dropout_rate": 0.1, "attn_dropout_rate": 0.1, "channels_first": True,
    }  # fmt: skip
    target = "fish_speech.models.dac.modded_dac.WindowLimitedTransformer"
    return {"_target_": target, "causal": True, "window_size": window, "input_dim": dim, "config": config}


def _codec(
    rate: int, encoder: int, decoder: int, latent: int, strides: list[int], semantic: int, residual: tuple[int, int],
    inner: tuple[int, int, int, int], encoder_layers: list[int],
) -> dict[str, Any]:  # fmt: skip
    general = {
        "_target_": "fish_speech.models.dac.modded_dac.ModelArgs",
        "_partial_": True, "block_size": 16384, "n_local_heads": -1, "head_dim": 64, "rope_base": 10000,
        "norm_eps": 1e-5, "dropout_rate": 0.1, "attn_dropout_rate": 0.1, "channels_first": True,
    }  # fmt: skip
    quantizer = {
        "_target_": "fish_speech.models.dac.rvq.DownsampleResidualVectorQuantize",
        "input_dim": latent, "n_codebooks": residual[0], "codebook_size": residual[1], "codebook_dim": 8,
        "quantizer_dropout": 0.5, "downsample_factor": [2, 2], "semantic_codebook_size": semantic,
        "pre_module": _window(latent, *inner), "post_module": _window(latent, *inner),
    }  # fmt: skip
    return {
        "_target_": "fish_speech.models.dac.modded_dac.DAC",
        "sample_rate": rate, "encoder_dim": encoder, "encoder_rates": strides, "latent_dim": latent,
        "decoder_dim": decoder, "decoder_rates": strides[::-1],
        "encoder_transformer_layers": encoder_layers, "decoder_transformer_layers": [4, 0, 0, 0],
        "transformer_general_config": general, "quantizer": quantizer,
    }  # fmt: skip


TINY = Size(
    network={
        "model_type": "dual_ar", "vocab_size": 2560, "n_layer": 3, "n_head": 4, "n_local_heads": 2, "dim": 64,
        "head_dim": 16, "intermediate_size": 128, "rope_base": 1000000, "norm_eps": 1e-6, "max_seq_len": 1024,
        "dropout": 0.0, "tie_word_embeddings": False, "attention_qkv_bias": False, "attention_qk_norm": True,
        "codebook_size": 1100, "num_codebooks": 5, "n_fast_layer": 2, "fast_dim": 48, "fast_n_head": 4,
        "fast_n_local_heads": 2, "fast_head_dim": 12, "fast_intermediate_size": 96, "fast_attention_qk_norm": False,
        "scale_codebook_embeddings": True, "use_gradient_checkpointing": False,
    },
    codec=_codec(16_000, 16, 64, 64, [2, 4, 4, 2], 1100, (4, 1024), (2, 4, 96, 6), [0, 0, 0, 1]),
    semantic=1100,
)  # fmt: skip
FULL = Size(
    network={
        "model_type": "dual_ar", "vocab_size": 155776, "n_layer": 28, "n_head": 16, "n_local_heads": 8, "dim": 1024,
        "head_dim": 128, "intermediate_size": 3072, "rope_base": 1000000, "norm_eps": 1e-6, "max_seq_len": 8192,
        "dropout": 0.0, "tie_word_embeddings": True, "attention_qkv_bias": False, "attention_qk_norm": True,
        "codebook_size": 4096, "num_codebooks": 10, "n_fast_layer": 4, "fast_dim": 1024, "fast_n_head": 16,
        "fast_n_local_heads": 8, "fast_head_dim": 64, "fast_intermediate_size": 3072, "fast_attention_qk_norm": False,
        "scale_codebook_embeddings": True, "use_gradient_checkpointing": False,
    },
    codec=_codec(44_100, 64, 1536, 1024, [2, 4, 8, 8], 4096, (9, 1024), (8, 16, 3072, 128), [0, 0, 0, 4]),
    semantic=4096,
)  # fmt: skip


def write(folder: Path, size: Size, seed: int = 0, drawn_on: str = "cpu", speaks_only: bool = False) -> Path:
    """Write a checkpoint folder in upstream's format, with the configuration of the codec.

    If `speaks_only` is set, the network generates no text tokens, like trained ones: upstream has no codes for text tokens.
    """
    folder.mkdir(parents=True)
    # No code equals the id of a semantic token, as in the published vocabulary: upstream's penalty would confuse the two.
    spare = (f"<|reserved:{i}|>" for i in range(max(0, size.semantic - 256)))
    special = [*CONTROLS, "<|speaker:0|>", *spare, *(f"<|semantic:{i}|>" for i in range(size.semantic))]
    ranks = [f"{base64.b64encode(bytes([byte])).decode()} {byte}" for byte in range(256)]
    (folder / "tokenizer.tiktoken").write_text("\n".join(ranks) + "\n")
    (folder / "special_tokens.json").write_text(json.dumps({name: 256 + i for i, name in enumerate(special)}))
    (folder / "config.json").write_text(json.dumps(size.network))
    (folder / "codec.yaml").write_text(yaml.safe_dump(size.codec))
    with undrawn():
        language, sound = redraw(network(folder), seed, drawn_on), codec(folder, seed, drawn_on)
    if speaks_only:
        head = (language.embeddings if size.network["tie_word_embeddings"] else language.output).weight.detach()
        first, last = language.tokenizer.semantic_begin_id, language.tokenizer.semantic_end_id
        head[:first] *= 0.1
        head[last + 1 :] *= 0.1
        head[first : last + 1] *= 4
        language.bfloat16()  # like the published weights
    torch.save(language.state_dict(), folder / "model.pth")
    torch.save(sound.state_dict(), folder / "codec.pth")
    return folder


@contextmanager
def undrawn() -> Iterator[None]:
    """Skip the initialisation of weights, which are overwritten anyway. At full size, it takes longer than everything else."""
    from fish_speech.models.text2semantic.llama import BaseTransformer

    kinds = (nn.Linear, nn.Embedding, nn.Conv1d, nn.ConvTranspose1d)
    plain = [kind.reset_parameters for kind in kinds]
    init = BaseTransformer._init_weights
    for kind in kinds:
        kind.reset_parameters = lambda self: None  # type: ignore[attr-defined]
    BaseTransformer._init_weights = lambda self, module: None
    try:
        yield
    finally:
        BaseTransformer._init_weights = init
        for kind, reset in zip(kinds, plain, strict=True):
            kind.reset_parameters = reset  # type: ignore[attr-defined]


def network(folder: Path, weights: bool = False) -> Any:
    """Load upstream's `DualARTransformer` from a folder."""
    prepare_imports()
    from fish_speech.models.text2semantic.llama import BaseTransformer

    return BaseTransformer.from_pretrained(str(folder), load_weights=weights).eval()


def codec(folder: Path, seed: int | None = None, drawn_on: str = "cpu") -> Any:
    """Build upstream's codec from a folder, with its weights or, if `seed` is given, with random ones."""
    config = yaml.safe_load((folder / "codec.yaml").read_text())
    model: Any = build(config)
    if seed is None:
        model.load_state_dict(torch.load(folder / "codec.pth", weights_only=True))
    else:
        redraw(model, seed, drawn_on)
        tame(model)
    return model.eval()


def tame(model: Any) -> None:
    """Scale random convolutions, so that they do not saturate the output's tanh."""
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if name.endswith("alpha"):
                parameter.abs_().add_(0.5)
            if name.endswith(("original0", "weight_g")):
                parameter.mul_(0.5)
        model.decoder.model[-2].conv.parametrizations.weight.original0.mul_(0.1)
