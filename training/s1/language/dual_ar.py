"""The dual-AR transformer for training, with the same parameters as DualARTransformer of fish-speech 0.1.0.

A slow transformer takes text and frames, and predicts the next semantic code. A fast one predicts the other codes of this
frame, each from the codes before. Rows are padded on the right, where a causal model needs no mask.
"""

import math
from dataclasses import asdict, dataclass
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from training.s1.language.prompts import SEMANTIC, SEMANTIC_CODES, VOCABULARY


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    dim: int = 320
    n_layer: int = 8
    n_fast_layer: int = 2
    n_head: int = 10
    n_local_heads: int = 2
    head_dim: int = 32
    intermediate_size: int = 736
    num_codebooks: int = 7
    codebook_size: int = SEMANTIC_CODES
    rope_base: float = 10_000.0
    norm_eps: float = 1e-5
    max_seq_len: int = 4096  # upstream reserves 2,048 of these for generated positions

    def config(self) -> dict[str, Any]:
        """Return the content of config.json."""
        fast = {f"fast_{name}": getattr(self, name) for name in ("dim", "n_head", "n_local_heads", "head_dim")}
        return asdict(self) | {
            **fast,
            "fast_intermediate_size": self.intermediate_size,
            "model_type": "dual_ar",
            "vocab_size": VOCABULARY,
            "tie_word_embeddings": True,
            "attention_qkv_bias": False,
            "attention_o_bias": False,
            "attention_qk_norm": True,
            "fast_attention_qkv_bias": False,
            "fast_attention_o_bias": False,
            "fast_attention_qk_norm": True,
            "scale_codebook_embeddings": False,
            "is_reward_model": False,
            "dropout": 0.0,
            "initializer_range": 0.02,
            "use_gradient_checkpointing": False,
        }


class RMSNorm(nn.Module):
    def __init__(self, dim: int, eps: float) -> None:
        super().__init__()
        self.eps, self.weight = eps, nn.Parameter(torch.ones(dim))

    def forward(self, x: Tensor) -> Tensor:
        wide = x.float()
        wide = wide * torch.rsqrt(wide.square().mean(-1, keepdim=True) + self.eps)
        return wide.type_as(x) * self.weight.type_as(x)


class Attention(nn.Module):
    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.heads, self.groups, self.width = shape.n_head, shape.n_local_heads, shape.head_dim
        self.wqkv = nn.Linear(shape.dim, (self.heads + 2 * self.groups) * self.width, bias=False)
        self.wo = nn.Linear(self.heads * self.width, shape.dim, bias=False)
        self.q_norm = RMSNorm(self.width, shape.norm_eps)
        self.k_norm = RMSNorm(self.width, shape.norm_eps)

    def project(self, x: Tensor, rotation: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Return queries (b, heads, n, width), keys and values (b, groups, n, width), from x (b, n, dim)."""
        sizes = [self.heads, self.groups, self.groups]
        q, k, v = torch.split(self.wqkv(x).unflatten(-1, (sum(sizes), self.width)), sizes, dim=2)
        q, k = rotate(self.q_norm(q), rotation), rotate(self.k_norm(k), rotation)
        return q.transpose(1, 2), k.transpose(1, 2), v.transpose(1, 2)

    def attend(self, q: Tensor, k: Tensor, v: Tensor, causal: bool) -> Tensor:
        repeats = self.heads // self.groups
        k, v = (part.repeat_interleave(repeats, dim=1) for part in (k, v))
        return self.wo(F.scaled_dot_product_attention(q, k, v, is_causal=causal).transpose(1, 2).flatten(2))


class FeedForward(nn.Module):
    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.w1 = nn.Linear(shape.dim, shape.intermediate_size, bias=False)
        self.w3 = nn.Linear(shape.dim, shape.intermediate_size, bias=False)
        self.w2 = nn.Linear(shape.intermediate_size, shape.dim, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        return self.w2(F.silu(self.w1(x)) * self.w3(x))


class Block(nn.Module):
    def __init__(self, shape: Shape, dropout: float) -> None:
        super().__init__()
        self.attention, self.feed_forward = Attention(shape), FeedForward(shape)
        self.ffn_norm = RMSNorm(shape.dim, shape.norm_eps)
        self.attention_norm = RMSNorm(shape.dim, shape.norm_eps)
        self.dropout = dropout

    def forward(self, x: Tensor, rotation: Tensor) -> Tensor:
        q, k, v = self.attention.project(self.attention_norm(x), rotation)
        x = x + F.dropout(self.attention.attend(q, k, v, True), self.dropout, self.training)
        return x + F.dropout(self.feed_forward(self.ffn_norm(x)), self.dropout, self.training)

    def step(self, x: Tensor, rotation: Tensor, cache: Tensor, place: int) -> Tensor:
        """Process one position (b, 1, dim); the cache is (2, b, groups, positions, width)."""
        q, k, v = self.attention.project(self.attention_norm(x), rotation)
        cache[0, :, :, place], cache[1, :, :, place] = k[:, :, 0], v[:, :, 0]
        x = x + self.attention.attend(q, cache[0, :, :, : place + 1], cache[1, :, :, : place + 1], False)
        return x + self.feed_forward(self.ffn_norm(x))


class LanguageModel(nn.Module):
    """The model. `forward` also returns the states of the middle layer, from which training predicts the present letters."""

    def __init__(self, shape: Shape, dropout: float = 0.0) -> None:
        super().__init__()
        self.shape, self.dropout = shape, dropout
        self.embeddings = nn.Embedding(VOCABULARY, shape.dim)
        self.codebook_embeddings = nn.Embedding(shape.codebook_size * shape.num_codebooks, shape.dim)
        self.layers = nn.ModuleList(Block(shape, dropout) for _ in range(shape.n_layer))
        self.norm = RMSNorm(shape.dim, shape.norm_eps)
        self.fast_embeddings = nn.Embedding(shape.codebook_size, shape.dim)
        self.fast_layers = nn.ModuleList(Block(shape, dropout) for _ in range(shape.n_fast_layer))
        self.fast_norm = RMSNorm(shape.dim, shape.norm_eps)
        self.fast_output = nn.Linear(shape.dim, shape.codebook_size, bias=False)
        self.rotation: Tensor
        self.shifts: Tensor
        self.register_buffer("rotation", rotations(shape.max_seq_len, shape), persistent=False)
        self.register_buffer("shifts", torch.arange(shape.num_codebooks) * shape.codebook_size, persistent=False)
        self._start()

    @torch.no_grad()
    def _start(self) -> None:
        depths = {"layers": self.shape.n_layer, "fast_layers": self.shape.n_fast_layer}
        for name, parameter in self.named_parameters():
            if parameter.ndim < 2:
                continue
            ends = name.endswith(("wo.weight", "w2.weight"))
            depth = depths.get(name.split(".")[0], 1) if ends else 0.5
            nn.init.trunc_normal_(parameter, std=0.02 / math.sqrt(2 * depth))

    def embed(self, rows: Tensor) -> Tensor:
        """Embed rows (b, n, 1 + codebooks) int64 to (b, n, dim). Codes are used only at semantic tokens."""
        tokens, codes = rows[..., 0], rows[..., 1:]
        spoken = ((tokens >= SEMANTIC) & (tokens < SEMANTIC + SEMANTIC_CODES)).unsqueeze(-1)
        frames = self.codebook_embeddings(codes + self.shifts).sum(-2)
        return self.embeddings(tokens) + frames * spoken

    def forward(self, rows: Tensor) -> tuple[Tensor, Tensor]:
        """Return two hidden states (b, n, dim) of the slow transformer: of the last layer, without norm, and of the middle."""
        x = F.dropout(self.embed(rows), self.dropout, self.training)
        rotation, middle = self.rotation[: rows.shape[1]], x
        for number, layer in enumerate(self.layers, start=1):
            x = layer(x, rotation)
            if number == len(self.layers) // 2:
                middle = x
        return x, middle

    def semantic_logits(self, hidden: Tensor) -> Tensor:
        return F.linear(self.norm(hidden), self.embeddings.weight.type_as(hidden))

    def fast_logits(self, hidden: Tensor, codes: Tensor) -> Tensor:
        """Return logits (f, codebooks - 1, codes), from hidden states (f, dim) and their frames (f, codebooks)."""
        x = torch.cat((hidden[:, None], self.fast_embeddings(codes[:, :-1]).type_as(hidden)), 1)
        rotation = self.rotation[: x.shape[1]]
        for layer in self.fast_layers:
            x = layer(x, rotation)
        return self.fast_output(self.fast_norm(x[:, 1:]))


def rotations(count: int, shape: Shape) -> Tensor:
    """Return cosines and sines (count, width / 2, 2), rounded to bfloat16 as upstream's are."""
    rates = shape.rope_base ** -(torch.arange(0, shape.head_dim, 2).float() / shape.head_dim)
    angles = torch.outer(torch.arange(count).float(), rates)
    return torch.stack((angles.cos(), angles.sin()), -1).bfloat16().float()


def rotate(x: Tensor, rotation: Tensor) -> Tensor:
    """Rotate neighbouring pairs of x (b, n, heads, width) by their position."""
    even, odd = torch.unflatten(x.float(), -1, (-1, 2)).unbind(-1)
    cos, sin = rotation[:, None, :, 0], rotation[:, None, :, 1]
    return torch.stack((even * cos - odd * sin, odd * cos + even * sin), -1).flatten(-2).type_as(x)
