"""An Euler step as a few kernels that never synchronise, so that a CUDA graph can record it.

The results equal `stepping.euler_step` up to rounding. torch computes the matrix products, one of them with a fused GELU;
`kernels.py` has the operations between them. Weights are read in place, so they can be replaced between steps.
"""

import math

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from engines.f5 import kernels
from engines.f5.network import DiT, DiTAttention
from engines.f5.packing import Packing
from engines.f5.stepping import StepInputs
from engines.runtime.launching import launch
from engines.runtime.powers import next_power_of_two

FRAMES = 128  # that one program convolves
QUERIES, KEYS = 64, 64  # that one attention program reads at once
LEAST = 16  # smallest side of a matrix on the tensor cores
EPS = 1e-6  # of the layer norm


def fused_step(network: DiT, inputs: StepInputs) -> Tensor:
    """Take one Euler step of every row, like `euler_step`: (n, mel). The network is flattened and on a GPU."""
    x = inputs.x.to(inputs.context.dtype)
    flow = _velocity(network, x, inputs.context, inputs.modulation, inputs.packing)
    return _guide(inputs.x, flow, inputs.packing, inputs.advances, inputs.guidance)


def _velocity(network: DiT, x: Tensor, context: Tensor, modulation: Tensor, packing: Packing) -> Tensor:
    """Compute the velocity like the network: x (n, mel), context (n, dim) -> (n, mel)."""
    config, rows = network.config, packing.row
    embed = network.input_embed
    h = torch.addmm(context, x, embed.proj.weight[:, : config.mel_dim].t())
    first, last = embed.conv_pos_embed.conv1d[0], embed.conv_pos_embed.conv1d[2]
    placed = _convolve(h, packing.position, first)  # type: ignore[arg-type]
    h = _convolve(placed, packing.position, last, h)  # type: ignore[arg-type]
    entered = h.clone() if network.long_skip_connection is not None else h
    gate, made = None, None  # of the previous sublayer, added by the next `_modulate`
    for number, block in enumerate(network.transformer_blocks):
        start = 6 * config.dim * number
        shift_a, scale_a, gate_a, shift_f, scale_f, gate_f = _parts(modulation, start, 6, config.dim)
        attention, (widen, narrow) = block.get_submodule("attn"), _feed_forward(block)
        y = _modulate(h, rows, scale_a, shift_a, gate, made)
        y = _attend(attention, y, network.rotary, packing, len(modulation))  # type: ignore[arg-type]
        y = _modulate(h, rows, scale_f, shift_f, gate_a, y)
        gate, made = gate_f, narrow(_widened(y, widen))
    scale, shift = _parts(modulation, 6 * config.dim * config.depth, 2, config.dim)
    y = _modulate(h, rows, scale, shift, gate, made)
    if network.long_skip_connection is not None:
        h = network.long_skip_connection(torch.cat((h, entered), dim=-1))
        y = _modulate(h, rows, scale, shift)
    return network.proj_out(y)


def _parts(modulation: Tensor, start: int, count: int, dim: int) -> tuple[Tensor, ...]:
    return modulation[:, start : start + count * dim].chunk(count, dim=1)


def _feed_forward(block: nn.Module) -> tuple[nn.Linear, nn.Linear]:
    return block.get_submodule("ff.ff.0.0"), block.get_submodule("ff.ff.2")  # type: ignore[return-value]


def _widened(x: Tensor, linear: nn.Linear) -> Tensor:
    if not x.is_cuda:
        return F.gelu(linear(x), approximate="tanh")
    return torch._addmm_activation(linear.bias, x, linear.weight.t(), use_gelu=True)


def _attend(attention: DiTAttention, x: Tensor, rotary: Tensor, packing: Packing, most: int) -> Tensor:
    """Compute attention for x (n, dim); at most `most` rows are packed."""
    qkv = F.linear(x, attention.weight, attention.bias).view(len(x), 3, attention.heads, -1)  # type: ignore[arg-type]
    if attention.q_norm is not None and attention.k_norm is not None:
        qkv = torch.stack((attention.q_norm(qkv[:, 0]), attention.k_norm(qkv[:, 1]), qkv[:, 2]), 1)
    q, k = _rotate(qkv, packing.position, rotary, attention.rotated_heads).unbind(1)
    made = _attention(q, k, qkv[:, 2], packing.starts, packing.lengths, 2 * most)
    return attention.to_out[0](made.flatten(1))


def _convolve(x: Tensor, positions: Tensor, conv: nn.Conv1d, base: Tensor | None = None) -> Tensor:
    """Apply a grouped convolution and Mish along packed frames: x (n, dim), zero at positions (n,) below 0.

    The result is added to `base` (n, dim) if that is given.
    """
    frames, dim = x.shape
    inputs, taps = conv.weight.shape[1:]
    out = torch.empty_like(x)
    launch(
        kernels.convolve, (-(-frames // FRAMES), dim // inputs),
        x, positions, conv.weight.movedim(-1, 0).contiguous(), conv.bias, x if base is None else base, out, frames, dim,
        INPUTS=inputs, PADDED=next_power_of_two(inputs, LEAST), TAPS=taps, BLOCK=FRAMES, ADDED=base is not None,
        num_warps=4, num_stages=3,
    )  # fmt: skip
    return out


def _attention(q: Tensor, k: Tensor, v: Tensor, starts: Tensor, lengths: Tensor, most: int) -> Tensor:
    """Compute attention within each of at most `most` sequences: (n, heads, d) each, heads adjacent -> (n, heads, d)."""
    frames, heads, size = q.shape
    out = torch.empty_like(q, memory_format=torch.contiguous_format)
    launch(
        kernels.attend, (-(-frames // QUERIES) + len(lengths), heads),
        q, k, v, starts, lengths, out, q.stride(0), k.stride(0), v.stride(0), out.stride(0), len(lengths),
        SCALE=math.log2(math.e) / math.sqrt(size), SIZE=size, PADDED=next_power_of_two(size, LEAST), QUERIES=QUERIES, KEYS=KEYS,
        SEQUENCES=next_power_of_two(most, LEAST),
        num_warps=4, num_stages=3,
    )  # fmt: skip
    return out


def _rotate(qkv: Tensor, positions: Tensor, rotary: Tensor, heads: int | None) -> Tensor:
    """Rotate queries and keys of qkv (n, 3, h, d) to (n,) positions, in the first `heads` or in all: (n, 2, h, d).

    rotary (2, positions, 1, d / 2) holds cos and sin; a position below 0 counts as 0.
    """
    frames, _, number, size = qkv.shape
    out = qkv.new_empty(frames, 2, number, size)
    launch(
        kernels.rotate, (frames, 2),
        qkv, positions, *rotary, out,
        ROTATED=number if heads is None else heads, HEADS=number, SIZE=size,
        BLOCK=next_power_of_two(number * size, LEAST), num_warps=4,
    )  # fmt: skip
    return out


def _modulate(
    x: Tensor, rows: Tensor, scale: Tensor, shift: Tensor, gate: Tensor | None = None, y: Tensor | None = None
) -> Tensor:
    """Apply the layer norm to x (n, dim), then scale and shift by the values of each frame's row (n,).

    scale and shift are (rows, dim) with one stride. With a `gate`, x += gate y first, in place.
    """
    frames, dim = x.shape
    out = torch.empty_like(x)
    launch(
        kernels.modulate, (frames,),
        x, x if y is None else y, scale if gate is None else gate, scale, shift, rows, out, scale.stride(0), EPS,
        DIM=dim, PADDED=next_power_of_two(dim, LEAST), GATED=gate is not None, num_warps=4,
    )  # fmt: skip
    return out


def _guide(x: Tensor, flow: Tensor, packing: Packing, advances: Tensor, guidance: Tensor) -> Tensor:
    """Take a guided step along the flow (n, mel): x float32, advances and guidance (rows,) float32 -> (n, mel)."""
    frames, dim = x.shape
    out = torch.empty_like(x)
    launch(
        kernels.guide, (frames,),
        x, flow, packing.shown, packing.hidden, packing.position, packing.row, advances, guidance, out,
        DIM=dim, PADDED=next_power_of_two(dim, LEAST), num_warps=1,
    )  # fmt: skip
    return out
