"""Read a Llama or Qwen2 language model in the form of the Hugging Face Hub: config.json, and safetensors, perhaps in shards."""

import json
from collections.abc import Generator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from tokenizers import Tokenizer
from torch import Tensor

from engines.codec_lm.config import RopeScaling, StackConfig
from engines.codec_lm.language_model import CodeTokens, LanguageModel
from engines.errors import BadCheckpoint
from engines.runtime import weights
from engines.runtime.download import fetch
from engines.types import Progress

CONFIG, TOKENIZER, INDEX, WHOLE = "config.json", "tokenizer.json", "model.safetensors.index.json", "model.safetensors"
FAMILIES = {
    "llama": False,
    "qwen2": True,
}  # True if queries, keys and values have a bias that config.json does not name
NAMES = {  # of a layer's parts
    "self_attn.o_proj": "attention.wo",
    "mlp.gate_proj": "feed_forward.w1",
    "mlp.down_proj": "feed_forward.w2",
    "mlp.up_proj": "feed_forward.w3",
    "input_layernorm": "attention_norm",
    "post_attention_layernorm": "ffn_norm",
}
OTHERS = {"embed_tokens.weight": "embeddings.weight", "norm.weight": "norm.weight", "lm_head.weight": "head.weight"}


@dataclass(frozen=True, slots=True, kw_only=True)
class LanguageModelConfig:
    """The sizes of a language model."""

    stack: StackConfig
    vocabulary: int
    positions: int
    tied: bool  # True if the head is the embedding

    @classmethod
    def read(cls, path: Path) -> "LanguageModelConfig":
        """Read config.json. Raises BadCheckpoint."""
        try:
            return cls.from_mapping(json.loads(path.read_text(encoding="utf-8")))
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            raise BadCheckpoint(
                f"{path.name} does not describe a supported network ({error}); "
                "choose another checkpoint, or download the file again if it is damaged"
            ) from error

    @classmethod
    def from_mapping(cls, held: Mapping[str, Any]) -> "LanguageModelConfig":
        """Read the mapping of transformers 4 or 5. Raises ValueError, KeyError."""
        family = held["model_type"]
        if family not in FAMILIES:
            raise ValueError(f"model_type is {family!r}, not llama or qwen2")
        if held.get("hidden_act", "silu") != "silu" or held.get("use_sliding_window") or held.get("mlp_bias"):
            raise ValueError("it has another activation, a sliding window, or biases in its feed-forward layers")
        heads, rope = held["num_attention_heads"], held.get("rope_parameters") or held.get("rope_scaling") or {}
        bias = bool(held.get("attention_bias", False))
        return cls(
            stack=StackConfig(
                dim=held["hidden_size"],
                layers=held["num_hidden_layers"],
                heads=heads,
                kv_heads=held.get("num_key_value_heads", heads),
                head_dim=held.get("head_dim") or held["hidden_size"] // heads,
                intermediate=held["intermediate_size"],
                rope_base=float(rope.get("rope_theta") or held["rope_theta"]),
                norm_eps=held["rms_norm_eps"],
                qkv_bias=bias or FAMILIES[family],
                o_bias=bias,
                qk_norm=False,
                rope_halves=True,
                rope_scaling=_scaling(rope),
            ),
            vocabulary=held["vocab_size"],
            positions=held["max_position_embeddings"],
            tied=held.get("tie_word_embeddings", False),
        )


def _scaling(rope: Mapping[str, Any]) -> RopeScaling | None:
    kind = rope.get("rope_type", rope.get("type", "default"))
    if kind == "default":
        return None
    if kind != "llama3":
        raise ValueError(f"its rotary positions are scaled by {kind!r}, not by llama3")
    return RopeScaling(
        factor=float(rope["factor"]),
        low_frequency=float(rope["low_freq_factor"]),
        high_frequency=float(rope["high_freq_factor"]),
        trained_positions=rope["original_max_position_embeddings"],
    )


def download_language_model(repo: str, folder: str = "") -> Generator[Progress, None, Path]:
    """Download a language model from a folder of a repository; yield progress and return the folder. Raises BadCheckpoint."""
    prefix = f"{folder}/" if folder else ""
    config = yield from fetch(repo, prefix + CONFIG)
    yield from fetch(repo, prefix + TOKENIZER)
    try:
        index = yield from fetch(repo, prefix + INDEX)
    except BadCheckpoint:  # a small network is one file
        yield from fetch(repo, prefix + WHOLE)
        return config.parent
    for path in _shards(index):
        yield from fetch(repo, prefix + path.name)
    return config.parent


def read_tokenizer(folder: Path) -> Tokenizer:
    """Read tokenizer.json. Raises BadCheckpoint."""
    if not (folder / TOKENIZER).is_file():
        raise BadCheckpoint(f"{folder.name}: {TOKENIZER} is missing; copy the whole checkpoint folder")
    try:
        return Tokenizer.from_file(str(folder / TOKENIZER))
    except Exception as error:  # the library raises Exception itself
        raise BadCheckpoint(f"{TOKENIZER} could not be read ({error}); download it again") from error


def weight_files(folder: Path) -> list[Path]:
    """Return the weight files of a folder. Raises BadCheckpoint if one is missing."""
    index = folder / INDEX
    paths = _shards(index) if index.is_file() else [folder / WHOLE]
    for path in paths:
        if not path.is_file():
            raise BadCheckpoint(f"{folder.name}: {path.name} is missing; copy the whole checkpoint folder")
    return paths


def _shards(index: Path) -> list[Path]:
    """Return the paths of the files that an index lists, in the folder of the index. Raises BadCheckpoint."""
    try:
        names = sorted(set(json.loads(index.read_text(encoding="utf-8"))["weight_map"].values()))
        if any(Path(name).name != name for name in names):
            raise ValueError("it names files outside its folder")
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise BadCheckpoint(f"{index.name} could not be read ({error}); download it again") from error
    return [index.parent / name for name in names]


def read_language_model(folder: Path, tokens: CodeTokens, *, positions: int, top_k: int = 0) -> LanguageModel:
    """Read a network to the CPU, for rows of at most `positions`. Raises BadCheckpoint."""
    config = LanguageModelConfig.read(folder / CONFIG)
    if max(tokens.first + tokens.count - 1, *tokens.ends) >= config.vocabulary:
        raise BadCheckpoint(
            f"{folder.name}: {CONFIG} has {config.vocabulary} tokens, too few for the codes of speech; "
            "choose a checkpoint that speaks"
        )
    with weights.unfilled():
        network = LanguageModel(
            config.stack, config.vocabulary, tokens,
            positions=min(positions, config.positions), tied=config.tied, top_k=top_k,
        ).requires_grad_(False)  # fmt: skip
    held: dict[str, Tensor] = {}
    for path in weight_files(folder):
        held |= weights.read(path)
    weights.fill(network, rename_tensors(held, config), folder.name, adopt=True)
    return network


def rename_tensors(held: Mapping[str, Tensor], config: LanguageModelConfig) -> dict[str, Tensor]:
    """Return the Hub's tensors by the names of `LanguageModel`, with queries, keys and values as one product."""
    state: dict[str, Tensor] = {}
    for full, tensor in held.items():
        name = full.removeprefix("model.")
        if name == "lm_head.weight" and config.tied:
            continue
        if name in OTHERS:
            state[OTHERS[name]] = tensor
        elif ".q_proj." in name:
            joined = [held.get(full.replace("q_proj", f"{each}_proj"), tensor) for each in "qkv"]
            state[_layer(name, "self_attn.q_proj", "attention.wqkv")] = torch.cat(joined)
        elif ".k_proj." not in name and ".v_proj." not in name and not name.endswith("rotary_emb.inv_freq"):
            part = next((part for part in NAMES if f".{part}." in name), "")
            state[_layer(name, part, NAMES[part]) if part else name] = tensor
    return state


def _layer(name: str, part: str, ours: str) -> str:
    return name.replace(f".{part}.", f".{ours}.")
