"""The SNAC decoder as a few kernels that never synchronise, so that a CUDA graph can record it.

The results equal `Snac.decode_windows` up to rounding. A residual unit is one kernel. A transposed convolution is computed as a
convolution of the last two inputs to `rate` outputs each. Weights are converted once, at construction.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

from engines.codec_lm.codec_kernels import convolve
from engines.codec_lm.codec_layers import Snake
from engines.orpheus.snac import Snac, SnacBlock, SnacDecoder, SnacNoise, SnacResidual
from engines.orpheus.snac_kernels import combine, draw_uniform, finish, look_up
from engines.runtime.launching import launch
from engines.runtime.powers import next_power_of_two

BLOCK_T, BLOCK_N, BLOCK_K = 128, 128, 64  # largest outputs and reads of one program
COMBINE_T, COMBINE_N = (
    64,
    256,
)  # the same for `combine`, which repeats its depthwise convolution for each block of outputs
BLOCK_MIN = 16  # smallest size of each, for the tensor cores
DRAWN = 1024  # random numbers of one program


class FusedSnac:
    """Decodes like its codec, with Triton kernels."""

    @torch.no_grad()
    def __init__(self, codec: Snac, dtype: torch.dtype = torch.float16) -> None:
        """Convert the codec's weights for activations of this dtype."""
        layers: Sequence[Any] = list(codec.decoder.model)
        first, second, *blocks, snake, last = layers
        snakes = [*(block.block[0] for block in blocks), snake]
        self._latents = _Latents(codec, dtype)
        self._noise = _Noise(codec.decoder)
        self._first = _combination(dtype, second, snakes[0], depthwise=first, plain=False, room=1)
        self._blocks = [
            _Block(block, following, dtype, room=int(following is not snake))
            for block, following in zip(blocks, snakes[1:], strict=True)
        ]
        self._weight, self._bias = last.weight[0].T.float().contiguous(), _bias(last)

    def decode_windows(self, starts: Tensor, codes: Tensor) -> Tensor:
        """Compute the same as `Snac.decode_windows`."""
        z = self._latents(codes)
        noises = self._noise(starts, codes.shape[2])
        _, active = self._first(z, z, z)
        for block, noise in zip(self._blocks, noises, strict=True):
            active = block(active, noise)
        return self._finish(active)

    def _finish(self, active: Tensor) -> Tensor:
        """Return the samples (b, t * hop)."""
        rows, length, inputs = active.shape
        samples = active.new_empty(rows, length, dtype=torch.float32)
        launch(
            finish, (-(-length // COMBINE_T), rows), active, self._weight, self._bias, samples, length,
            INPUTS=inputs, TAPS=len(self._weight), BLOCK_T=COMBINE_T, BLOCK_K=next_power_of_two(inputs), num_warps=8,
        )  # fmt: skip
        return samples


class _Latents:
    """The vectors of all codes, of which a latent is a sum."""

    def __init__(self, codec: Snac, dtype: torch.dtype) -> None:
        levels: Sequence[Any] = list(codec.quantizer.quantizers)
        device = codec.decoding_weight.device
        vectors = [level.codebook.weight @ level.out_proj.weight[..., 0].T + level.out_proj.bias for level in levels]
        self._tables = torch.stack(vectors).to(dtype)
        self._places = torch.tensor(_places(codec.levels, [level.stride for level in levels]), device=device)

    def __call__(self, codes: Tensor) -> Tensor:
        """Return the latents of (b, codebooks, t) codes: (b, t * latents, channels)."""
        (rows, codebooks, frames), (latents, levels) = codes.shape, self._places.shape
        _, size, dim = self._tables.shape
        z = self._tables.new_empty(rows, frames * latents, dim)
        launch(
            look_up, (frames * latents, rows), codes.contiguous(), self._places, self._tables, z, frames,
            DIM=dim, SIZE=size, LEVELS=levels, CODEBOOKS=codebooks, LATENTS=latents, BLOCK=next_power_of_two(dim),
        )  # fmt: skip
        return z


def _places(levels: Sequence[int], strides: Sequence[int]) -> list[list[int]]:
    """Return the code that each latent of a frame has at each level, as its place in the frame: (latents, levels)."""
    own = [[place for place, level in enumerate(levels) if level == wanted] for wanted in range(len(strides))]
    return [[own[level][time // stride] for level, stride in enumerate(strides)] for time in range(strides[0])]


class _Noise:
    """The noise of all blocks."""

    def __init__(self, decoder: SnacDecoder) -> None:
        layers = [layer for layer in decoder.modules() if isinstance(layer, SnacNoise)]
        self._steps = [layer.steps for layer in layers]
        device = layers[0].linear.weight.device
        blocks = [torch.full((layer.steps,), layer.block) for layer in layers]
        first = [torch.arange(steps) for steps in self._steps]
        second = [steps + torch.arange(steps) for steps in self._steps]
        self._blocks = torch.cat(blocks).int().to(device)
        self._indices = torch.stack([torch.cat(first), torch.cat(second)]).int().to(device)

    def __call__(self, starts: Tensor, frames: int) -> Sequence[Tensor]:
        """Return `gaussian` of each block for the frames from `starts` (b,) on: (b, t, steps), parts of one tensor.

        PyTorch computes the functions of real numbers, so that the results equal those of `gaussian` exactly.
        """
        rows, steps = len(starts), len(self._blocks)
        numbers = starts.new_empty(2, rows, frames, steps, dtype=torch.float32)
        launch(
            draw_uniform, (-(-steps // DRAWN), frames, rows), starts, self._blocks, self._indices, numbers,
            numbers.stride(0), STEPS=steps, BLOCK=min(DRAWN, next_power_of_two(steps)),
        )  # fmt: skip
        radius, angle = numbers.log_()
        return (radius.mul_(-2).sqrt_() * angle.exp_().mul_(2 * torch.pi).cos_()).split(self._steps, -1)


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class _Combination:
    """A pointwise convolution and a Snake, after a depthwise convolution or with noise."""

    weight: Tensor  # (inputs, outputs)
    bias: Tensor  # (outputs,)
    alpha: Tensor  # (outputs,) of the following Snake
    taps: Tensor | None  # (taps, inputs) of the depthwise convolution
    tap_bias: Tensor  # (inputs,)
    tap_alpha: Tensor | None  # (inputs,) of the Snake after the depthwise convolution
    apart: int  # distance between the inputs of adjacent taps
    noise: int  # time steps of a frame, 0 without noise
    residual: bool
    plain: bool  # True if the output without the Snake is read, too
    room: int  # zeros before and after the output of the Snake

    def __call__(self, x: Tensor, residual: Tensor, noise: Tensor) -> tuple[Tensor, Tensor]:
        """Return the output of (b, t, inputs) before and after the Snake, the latter with room."""
        (rows, length, _), (inputs, outputs) = x.shape, self.weight.shape
        plain = x.new_empty(rows, length, outputs) if self.plain else x
        active = x.new_empty(rows, length + 2 * self.room, outputs)
        covered = length + 2 * self.room
        block_t = min(COMBINE_T, next_power_of_two(covered, BLOCK_MIN))
        block_n = min(COMBINE_N, next_power_of_two(outputs, BLOCK_MIN))
        launch(
            combine, (-(-covered // block_t), -(-outputs // block_n), rows),
            x, self.bias if self.taps is None else self.taps, self.tap_bias,
            self.bias if self.tap_alpha is None else self.tap_alpha, self.weight, self.bias, self.alpha,
            residual, noise, plain, active[:, self.room :],
            length, x.stride(0), residual.stride(0), noise.stride(0), plain.stride(0), active.stride(0),
            INPUTS=inputs, OUTPUTS=outputs, TAPS=0 if self.taps is None else len(self.taps), APART=self.apart,
            SNAKE=self.tap_alpha is not None, RESIDUAL=self.residual, NOISE=self.noise, STEPS=noise.stride(1),
            PLAIN=self.plain, ROOM=self.room,
            BLOCK_T=block_t, BLOCK_N=block_n, BLOCK_K=min(BLOCK_K, next_power_of_two(inputs, BLOCK_MIN)),
            num_warps=max(8, block_t * block_n // 1024), num_stages=1, maxnreg=128,
        )  # fmt: skip
        return plain, active


def _combination(
    dtype: torch.dtype, layer: nn.Conv1d, following: Snake, *, depthwise: nn.Conv1d | None = None,
    between: Snake | None = None, noise: int = 0, residual: bool = False, plain: bool = True, room: int = 0,
) -> _Combination:  # fmt: skip
    """Convert a pointwise convolution and the Snake that follows it, with the layers before it."""
    return _Combination(
        weight=layer.weight[..., 0].T.to(dtype).contiguous(),
        bias=_bias(layer),
        alpha=following.alpha.flatten().float(),
        taps=None if depthwise is None else depthwise.weight[:, 0].T.float().contiguous(),
        tap_bias=_bias(layer if depthwise is None else depthwise),
        tap_alpha=None if between is None else between.alpha.flatten().float(),
        apart=1 if depthwise is None else depthwise.dilation[0],
        noise=noise,
        residual=residual,
        plain=plain,
        room=room,
    )


class _Block:
    """A block of the decoder without its first Snake, and with the Snake that follows it."""

    def __init__(self, block: SnacBlock, following: Snake, dtype: torch.dtype, *, room: int) -> None:
        layers: Sequence[Any] = list(block.block)
        _, lengthen, noise, *units = layers
        snakes = [*(unit.block[0] for unit in units), following]
        self._rate, self._cut = lengthen.stride[0], lengthen.padding[0]
        weight = lengthen.weight.permute(0, 2, 1).to(dtype)
        self._weight = weight.reshape(len(weight), 2, -1)  # (inputs, taps, rate * outputs)
        self._bias = _bias(lengthen).repeat(self._rate)
        self._noise = _combination(dtype, noise.linear, snakes[0], noise=noise.steps, residual=True)
        self._units = [
            _unit(unit, snake, dtype, plain=unit is not units[-1], room=room if unit is units[-1] else 0)
            for unit, snake in zip(units, snakes[1:], strict=True)
        ]

    def __call__(self, x: Tensor, noise: Tensor) -> Tensor:
        """Lengthen (b, t + 2, inputs), of which the first and last are zeros, and apply the residual units."""
        plain = self._lengthen(x)
        plain, active = self._noise(plain, plain, noise)
        for unit in self._units:
            plain, active = unit(active, plain, noise)
        return active

    def _lengthen(self, x: Tensor) -> Tensor:
        """Apply the transposed convolution: (b, t + 2, inputs) to (b, t * rate, outputs), a part of a tensor."""
        inputs, taps, outputs = self._weight.shape
        rows, length = len(x), x.shape[1] - 1
        y = x.new_empty(rows, length * self._rate, outputs // self._rate)
        block_t = min(BLOCK_T, next_power_of_two(length, BLOCK_MIN))
        block_n = min(BLOCK_N, next_power_of_two(outputs, BLOCK_MIN))
        launch(
            convolve, (-(-length // block_t), -(-outputs // block_n), rows),
            x, self._weight, self._bias, y, self._bias, y, y, length, x.stride(0), y.stride(0), 0,
            INPUTS=inputs, OUTPUTS=outputs, TAPS=taps, FIRST=1, APART=-1, RESIDUAL=False, PLAIN=True, ACTIVE=False,
            BLOCK_T=block_t, BLOCK_N=block_n, BLOCK_K=min(BLOCK_K, next_power_of_two(inputs, BLOCK_MIN)),
            num_warps=8 if block_t * block_n >= BLOCK_T * BLOCK_N else 4, num_stages=3,
        )  # fmt: skip
        return y[:, self._cut : self._cut + (length - 1) * self._rate]


def _unit(unit: SnacResidual, following: Snake, dtype: torch.dtype, *, plain: bool, room: int) -> _Combination:
    """Convert a residual unit without its first Snake, and with the Snake that follows it."""
    layers: Sequence[Any] = list(unit.block)
    _, depthwise, between, pointwise = layers
    return _combination(
        dtype, pointwise, following, depthwise=depthwise, between=between, residual=True, plain=plain, room=room
    )


def _bias(layer: nn.Conv1d | nn.ConvTranspose1d) -> Tensor:
    return layer.weight.new_zeros(layer.out_channels).float() if layer.bias is None else layer.bias.float()
