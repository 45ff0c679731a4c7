"""Tiny language models with random weights, written as the Hub's folders."""

from pathlib import Path
from typing import Any

import torch

SIZES = {
    "hidden_size": 32, "num_hidden_layers": 3, "num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 16,
    "intermediate_size": 48, "max_position_embeddings": 512, "rms_norm_eps": 1e-5, "tie_word_embeddings": True,
}  # fmt: skip
LLAMA_3 = {
    "rope_type": "llama3", "factor": 32.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
    "original_max_position_embeddings": 64, "rope_theta": 5e5,
}  # fmt: skip


def write_model(folder: Path, family: str, vocabulary: int, **changed: Any) -> Any:
    """Write a llama or qwen2 network in two shards, and return transformers' form of it."""
    from transformers import AutoModelForCausalLM, LlamaConfig, Qwen2Config

    rope = LLAMA_3 if family == "llama" else {"rope_type": "default", "rope_theta": 1e6}
    sizes = {**SIZES, "vocab_size": vocabulary, "rope_parameters": rope, **changed}
    config = LlamaConfig(**sizes) if family == "llama" else Qwen2Config(**sizes)
    with torch.random.fork_rng():
        torch.manual_seed(5)
        made = AutoModelForCausalLM.from_config(config, dtype=torch.float32).eval()
        for name, weight in made.named_parameters():
            torch.nn.init.normal_(weight, 1.0 if "norm" in name else 0.0, 0.3)
    made.save_pretrained(folder, max_shard_size=4 * 32 * vocabulary + 4_000)
    return made
