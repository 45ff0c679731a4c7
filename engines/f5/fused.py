"""A step along the flow as few kernels that never synchronise, so that a CUDA graph can record it.

The same numbers as `stepping.euler_step`, to rounding: products are torch's, a GELU in their own kernel; what stands between
them is in `kernels.py`. Weights are read where they lie, so others may be put in their place.
"""

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from engines.f5 import kernels
from engines.f5.network import DiT, DiTAttention
from engines.f5.packing import Packing
from engines.f5.stepping import StepInputs


def fused_step(network: DiT, inputs: StepInputs) -> Tensor:
    """As `euler_step`: (n, mel) one step along the flow of every row. The network is flattened and on a GPU."""
    x = inputs.x.to(inputs.context.dtype)
    flow = _velocity(network, x, inputs.context, inputs.modulation, inputs.packing)
    return kernels.guide(inputs.x, flow, inputs.packing, inputs.advances, inputs.guidance)


def _velocity(network: DiT, x: Tensor, context: Tensor, modulation: Tensor, packing: Packing) -> Tensor:
    """As the network's own: x (n, mel), context (n, dim) -> (n, mel)."""
    config, rows = network.config, packing.row
    embed = network.input_embed
    h = torch.addmm(context, x, embed.proj.weight[:, : config.mel_dim].t())
    first, last = embed.conv_pos_embed.conv1d[0], embed.conv_pos_embed.conv1d[2]
    h += kernels.convolve(kernels.convolve(h, packing.position, first), packing.position, last)  # type: ignore[arg-type]
    entered = h.clone() if network.long_skip_connection is not None else h
    gate, made = None, None  # of the sublayer before, still to be added
    for number, block in enumerate(network.transformer_blocks):
        start = 6 * config.dim * number
        shift_a, scale_a, gate_a, shift_f, scale_f, gate_f = _parts(modulation, start, 6, config.dim)
        attention, (widen, narrow) = block.get_submodule("attn"), _feed_forward(block)
        y = kernels.modulate(h, rows, scale_a, shift_a, gate, made)
        y = kernels.modulate(h, rows, scale_f, shift_f, gate_a, _attend(attention, y, network.rotary, packing))  # type: ignore[arg-type]
        gate, made = gate_f, narrow(_widened(y, widen))
    scale, shift = _parts(modulation, 6 * config.dim * config.depth, 2, config.dim)
    y = kernels.modulate(h, rows, scale, shift, gate, made)
    if network.long_skip_connection is not None:
        h = network.long_skip_connection(torch.cat((h, entered), dim=-1))
        y = kernels.modulate(h, rows, scale, shift)
    return network.proj_out(y)


def _parts(modulation: Tensor, start: int, count: int, dim: int) -> tuple[Tensor, ...]:
    return modulation[:, start : start + count * dim].chunk(count, dim=1)


def _feed_forward(block: nn.Module) -> tuple[nn.Linear, nn.Linear]:
    return block.get_submodule("ff.ff.0.0"), block.get_submodule("ff.ff.2")  # type: ignore[return-value]


def _widened(x: Tensor, linear: nn.Linear) -> Tensor:
    if not x.is_cuda:
        return F.gelu(linear(x), approximate="tanh")
    return torch._addmm_activation(linear.bias, x, linear.weight.t(), use_gelu=True)


def _attend(attention: DiTAttention, x: Tensor, rotary: Tensor, packing: Packing) -> Tensor:
    qkv = F.linear(x, attention.weight, attention.bias).view(len(x), 3, attention.heads, -1)  # type: ignore[arg-type]
    if attention.q_norm is not None and attention.k_norm is not None:
        qkv = torch.stack((attention.q_norm(qkv[:, 0]), attention.k_norm(qkv[:, 1]), qkv[:, 2]), 1)
    q, k = kernels.rotate(qkv, packing.position, rotary, attention.rotated_heads).unbind(1)
    made = kernels.attend(q, k, qkv[:, 2], packing.starts, packing.lengths)
    return attention.to_out[0](made.flatten(1))
