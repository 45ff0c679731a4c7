"""The codec's own layers, arranged for fast training.

Parameters and results equal those of the DAC in the package fish-speech. Signals are (batch, time, channels), so that strided,
transposed and pointwise convolutions are matrix products, and only those with seven taps are convolutions. Weight norm is
folded into plain weights (`fold`) and restored for export (`weights.upstream_state`).
"""

import math
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.nn.utils import parametrize, remove_weight_norm

LAYER_SCALE = 0.1  # upstream starts at 0.01 and 1e-6, which is too near zero for a short training


@torch.enable_grad()  # without gradients, the package would leave plain tensors in place of parameters
def fold(model: nn.Module) -> nn.Module:
    """Replace every weight with weight norm by a plain weight, in place."""
    for module in model.modules():
        if parametrize.is_parametrized(module, "weight"):
            parametrize.remove_parametrizations(module, "weight")
        elif hasattr(module, "weight_g"):
            remove_weight_norm(module)
    return model


@torch.no_grad()
def start(model: Any) -> None:
    """Redraw the weights of a folded model, so that every layer passes its signal on."""
    for name, module in model.named_modules():
        weight: Any = getattr(module, "weight", None)
        if isinstance(module, nn.ConvTranspose1d):
            taps = module.kernel_size[0] // module.stride[0]
            nn.init.trunc_normal_(weight, std=1 / math.sqrt(module.in_channels * taps))
        elif isinstance(module, nn.Conv1d | nn.Linear):
            nn.init.trunc_normal_(weight, std=1 / math.sqrt(weight[0].numel()))
        if isinstance(module, nn.Conv1d | nn.ConvTranspose1d) and module.bias is not None:
            nn.init.zeros_(module.bias)
        if "block.3" in name and isinstance(module, nn.Conv1d):
            module.weight.mul_(0.3)  # the last layer of a residual unit
    for name, parameter in model.named_parameters():
        if name.endswith("gamma"):
            parameter.fill_(LAYER_SCALE)
    model.decoder.model[-2].conv.weight.mul_(0.1)  # speech is quiet


def encode(model: Any, audio: Tensor) -> Tensor:
    """Encode audio (b, samples) to latents (b, frames, latent) before quantisation. `samples` is a multiple of the frame."""
    first, *blocks, snake, last = model.encoder.block
    # Eight taps, the first one zero, because this makes the matrix product faster.
    weight = F.pad(first.conv.weight[:, 0], (1, 0))
    x = F.linear(F.pad(audio, (7, 0)).unfold(-1, 8, 1), weight, first.conv.bias)
    for block in blocks:
        *units, act, down, _ = block.block
        for unit in units:
            x = _residual(unit, x)
        x = _strided(down.conv, _snake(act, x))
    x = _convolve(last.conv, _snake(snake, x))
    x = x.transpose(1, 2)
    x = model.quantizer.downsample(x).transpose(1, 2)
    return _attend(model.quantizer.pre_module, x)


def decode(model: Any, z: Tensor) -> Tensor:
    """Decode latents (b, frames, latent) after quantisation to audio (b, samples)."""
    x = _attend(model.quantizer.post_module, z).transpose(1, 2)
    x = model.quantizer.upsample(x).transpose(1, 2)
    first, *blocks, snake, last, _ = model.decoder.model
    x = _convolve(first.conv, x)
    for block in blocks:
        act, up, *units = block.block
        x = _transposed(up.conv, _snake(act, x))
        for unit in units:
            x = _residual(unit, x)
    taps = F.linear(_snake(snake, x), last.conv.weight[0].T)  # (b, t, 7): one product, then a sum of shifted values
    width, count = last.conv.kernel_size[0], x.shape[1]
    taps = F.pad(taps.float(), (0, 0, width - 1, 0))
    audio = sum(taps[:, i : i + count, i] for i in range(width))
    return torch.tanh(audio + last.conv.bias.float())


def _snake(module: Any, x: Tensor) -> Tensor:
    alpha = module.alpha[0, :, 0].float()
    wide = x.float()
    return (wide + (alpha + 1e-9).reciprocal() * torch.sin(alpha * wide).square()).to(x.dtype)


def _convolve(conv: nn.Conv1d, x: Tensor) -> Tensor:
    """Apply a causal convolution with stride 1 as a 2-D convolution, which keeps the channels last in memory."""
    width, dilation = conv.kernel_size[0], conv.dilation[0]
    if width == 1:
        return F.linear(x, conv.weight[:, :, 0], conv.bias)
    padded = F.pad(x, (0, 0, (width - 1) * dilation, 0)).transpose(1, 2).unsqueeze(2)
    y = F.conv2d(padded, conv.weight.unsqueeze(2), conv.bias, dilation=(1, dilation))
    return y.squeeze(2).transpose(1, 2)


def _residual(unit: Any, x: Tensor) -> Tensor:
    act, wide, act2, point = unit.block
    return x + _convolve(point.conv, _snake(act2, _convolve(wide.conv, _snake(act, x))))


def _strided(conv: Any, x: Tensor) -> Tensor:
    """Apply a convolution with stride s and width 2s: each block of s inputs adds to its output and to the next one."""
    stride, batch = conv.stride[0], x.shape[0]
    blocks = x.reshape(batch, x.shape[1] // stride, stride * x.shape[2])
    halves = torch.unflatten(conv.weight.transpose(1, 2), 1, (2, stride)).flatten(2)  # (out, 2, s * in)
    older, own = F.linear(blocks, halves.transpose(0, 1).flatten(0, 1)).chunk(2, dim=-1)
    return own + F.pad(older, (0, 0, 1, 0))[:, :-1] + conv.bias.to(own.dtype)


def _transposed(conv: Any, x: Tensor) -> Tensor:
    """Apply the transpose of `_strided`: each input adds to its block of s outputs and to the next block."""
    stride, channels = conv.stride[0], conv.out_channels
    rows = torch.unflatten(conv.weight.permute(2, 1, 0), 0, (2, stride)).flatten(0, 2)  # (2 * s * out, in)
    own, older = F.linear(x, rows).chunk(2, dim=-1)
    y = own + F.pad(older, (0, 0, 1, 0))[:, :-1]
    return y.reshape(x.shape[0], x.shape[1] * stride, channels) + conv.bias.to(y.dtype)


def _attend(module: Any, x: Tensor) -> Tensor:
    """Apply a transformer with a limited window to (b, t, channels). The mask is made on the input's device."""
    if not hasattr(module, "layers"):
        return x
    x = module.input_proj(x)
    distance = torch.arange(x.shape[1], device=x.device)
    distance = distance[:, None] - distance[None, :]
    mask = ((distance >= 0) & (distance < (module.window_size or x.shape[1])))[None, None]
    rotation = module.freqs_cis[: x.shape[1]]
    for layer in module.layers:
        x = layer(x, None, rotation, mask)
    return module.output_proj(module.norm(x))
