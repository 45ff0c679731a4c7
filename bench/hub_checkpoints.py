"""Language models in the Hub's form with random weights, and a tokenizer of bytes."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import save_file
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors
from torch import Tensor


def write_tokenizer(folder: Path, special: Mapping[str, int], start: str = "") -> None:
    """Write a tokenizer of bytes and special tokens; it puts `start` before each text."""
    letters = sorted(pre_tokenizers.ByteLevel.alphabet())
    made = Tokenizer(models.BPE({**{letter: number for number, letter in enumerate(letters)}, **special}, []))
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = decoders.ByteLevel()
    made.add_special_tokens([*special])
    if start:
        made.post_processor = processors.TemplateProcessing(
            single=f"{start} $A", special_tokens=[(start, special[start])]
        )
    made.save(str(folder / "tokenizer.json"))


def write_network(folder: Path, config: Mapping[str, Any], silent: list[int], drawn_on: str) -> None:
    """Write a Llama or Qwen2 network in bfloat16, one file a layer; the tokens in `silent` are almost never chosen."""
    (folder / "config.json").write_text(json.dumps(config))
    generator, files = torch.Generator(drawn_on).manual_seed(0), dict[str, str]()
    for number, tensors in enumerate(_drawn(config, silent, generator)):
        name = f"model-{number:05}.safetensors"
        save_file({key: value.cpu() for key, value in tensors.items()}, folder / name, {"format": "pt"})
        files |= dict.fromkeys(tensors, name)
    (folder / "model.safetensors.index.json").write_text(json.dumps({"metadata": {}, "weight_map": files}))


def _drawn(config: Mapping[str, Any], silent: list[int], generator: torch.Generator) -> Iterator[dict[str, Tensor]]:
    dim, inner = config["hidden_size"], config["intermediate_size"]
    head = config.get("head_dim") or dim // config["num_attention_heads"]
    q, kv = head * config["num_attention_heads"], head * config["num_key_value_heads"]

    def weight(outputs: int, inputs: int) -> Tensor:
        drawn = torch.randn(outputs, inputs, generator=generator, device=generator.device, dtype=torch.bfloat16)
        return drawn / inputs**0.5

    embeddings = 4 * weight(config["vocab_size"], dim)
    embeddings[silent] = 0
    yield {"model.embed_tokens.weight": embeddings, "model.norm.weight": torch.ones(dim, dtype=torch.bfloat16)}
    shapes = {
        "self_attn.q_proj": (q, dim), "self_attn.k_proj": (kv, dim), "self_attn.v_proj": (kv, dim),
        "self_attn.o_proj": (dim, q), "mlp.gate_proj": (inner, dim), "mlp.up_proj": (inner, dim),
        "mlp.down_proj": (dim, inner),
    }  # fmt: skip
    for layer in range(config["num_hidden_layers"]):
        made = {f"{name}.weight": weight(*shape) for name, shape in shapes.items()}
        if config["model_type"] == "qwen2":
            biases = {"q": q, "k": kv, "v": kv}
            made |= {f"self_attn.{name}_proj.bias": weight(size, 1)[:, 0] for name, size in biases.items()}
        for name in ("input_layernorm", "post_attention_layernorm"):
            made[f"{name}.weight"] = torch.ones(dim, dtype=torch.bfloat16)
        yield {f"model.layers.{layer}.{name}": tensor for name, tensor in made.items()}
