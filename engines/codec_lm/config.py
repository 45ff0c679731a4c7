"""The sizes of transformer stacks."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class RopeScaling:
    """Llama 3's scaling of rotary frequencies, by which a network reads more positions than it was first trained with."""

    factor: float
    low_frequency: float
    high_frequency: float
    trained_positions: int


@dataclass(frozen=True, slots=True, kw_only=True)
class StackConfig:
    """The sizes of one transformer stack."""

    dim: int
    layers: int
    heads: int
    kv_heads: int
    head_dim: int
    intermediate: int
    rope_base: float
    norm_eps: float
    qkv_bias: bool
    o_bias: bool
    qk_norm: bool
    rope_halves: bool = (
        False  # True if rotations pair the halves of a head (Llama, Qwen), False if they pair neighbours
    )
    rope_scaling: RopeScaling | None = None

    @property
    def group(self) -> int:
        """Return the number of query heads that share a key."""
        return self.heads // self.kv_heads


@dataclass(frozen=True, slots=True, kw_only=True)
class WindowConfig:
    """The sizes of a transformer whose frames see `window` frames, including themselves."""

    dim: int
    layers: int
    heads: int
    intermediate: int
    window: int
    head_dim: int = 64
    rope_base: float = 10_000.0
    norm_eps: float = 1e-5
