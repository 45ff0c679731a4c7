"""The codec's decoder as a few kernels that never synchronise, so that a CUDA graph can record it.

The results equal `Codec.decode_packets` up to rounding. Each convolution with its bias, residual and Snake is one kernel; a
transposed convolution is computed as a convolution of the last inputs to `stride` outputs each. Weight layouts are fixed at
construction.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from engines.codec_lm.codec_kernels import convolve
from engines.codec_lm.codec_layers import Chain, CodecState, Convolution, ResidualUnit, Snake, TransposedConvolution
from engines.runtime.launching import launch
from engines.runtime.powers import next_power_of_two
from engines.s1.codec import Codec, DecoderBlock

BLOCK_T, BLOCK_N, BLOCK_K = 128, 128, 64  # largest outputs and reads of one program
BLOCK_MIN = 16  # smallest size of each, for the tensor cores


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Stage:
    """A convolution with the operations that follow it."""

    layer: Convolution | TransposedConvolution
    weight: Tensor  # (inputs, taps, outputs), in the memory of the layer's weight
    bias: Tensor  # (outputs,)
    stride: int = 1  # factor of a transposed convolution: outputs of adjacent times are stored together
    first: int = 0  # input that the first tap reads for the first output
    apart: int = 1  # distance between the inputs of adjacent taps
    alpha: Tensor | None = None  # (outputs,) of the following Snake
    plain: bool = True  # True if the output without the Snake is read, too
    residual: bool = False  # True if the last plain output is added

    @property
    def back(self) -> int:
        """Return the number of inputs that it reads from the previous packet."""
        return self.layer.kept[0]

    @property
    def channels(self) -> int:
        """Return the number of output channels."""
        return self.weight.shape[2] // self.stride


class FusedCodec:
    """Decodes like its codec, with Triton kernels."""

    def __init__(self, codec: Codec) -> None:
        self._codec = codec
        self._stages = list(_stages(codec.decoder.model))  # type: ignore[arg-type]

    def decode_packets(self, codes: Tensor, state: CodecState) -> Tensor:
        """Compute the same as `Codec.decode_packets`."""
        z = self._codec.latents(codes, state).transpose(1, 2)
        x = _room(self._stages[0], z.shape[1], z)
        x[:, self._stages[0].back :] = z
        plain = z
        for stage, following in zip(self._stages, [*self._stages[1:], None], strict=True):
            _look_back(stage, x, state)
            length = x.shape[1] - stage.back
            after = None if following is None else _room(following, length * stage.stride, x)
            if stage.plain and not stage.residual:
                plain = x.new_empty(len(x), length * stage.stride, stage.channels)
            _convolve(stage, x, plain, None if following is None or after is None else after[:, following.back :])
            x = x if after is None else after
        return torch.tanh(plain.float())[..., 0]


def _room(stage: Stage, length: int, like: Tensor) -> Tensor:
    """Allocate the input of a stage: (rows, past inputs + `length`, inputs)."""
    return like.new_empty(len(like), stage.back + length, len(stage.weight))


def _look_back(stage: Stage, x: Tensor, state: CodecState) -> None:
    """Copy the stored past inputs to the start of a stage's input, and store its end."""
    if stage.back:
        kept = state.kept[stage.layer]
        x[:, : stage.back] = kept
        kept.copy_(x[:, -stage.back :])


def _convolve(stage: Stage, x: Tensor, plain: Tensor, active: Tensor | None) -> None:
    """Write a stage's output to `plain`, and the output of its Snake to `active`."""
    inputs, taps, outputs = stage.weight.shape
    length = x.shape[1] - stage.back
    block_t = min(BLOCK_T, next_power_of_two(length, BLOCK_MIN))
    block_n = min(BLOCK_N, next_power_of_two(outputs, BLOCK_MIN) if outputs % 64 else outputs & -outputs)
    block_k = min(BLOCK_K, max(BLOCK_MIN, inputs & -inputs))
    launch(
        convolve, (-(-length // block_t), -(-outputs // block_n), len(x)),
        x, stage.weight, stage.bias, plain, stage.bias if stage.alpha is None else stage.alpha,
        plain, plain if active is None else active,
        length, x.stride(0), length * outputs, 0 if active is None else active.stride(0),
        INPUTS=inputs, OUTPUTS=outputs, TAPS=taps, FIRST=stage.first, APART=stage.apart,
        RESIDUAL=stage.residual, PLAIN=stage.plain, ACTIVE=stage.alpha is not None,
        BLOCK_T=block_t, BLOCK_N=block_n, BLOCK_K=block_k,
        num_warps=8 if block_t * block_n >= BLOCK_T * BLOCK_N else 4, num_stages=3,
    )  # fmt: skip


def _stages(layers: Chain) -> Iterator[Stage]:
    """Yield the convolutions of a decoder in order, with the operations between them."""
    flat = list(_flattened(layers))
    closing = {layer.block[-1] for layer in flat if isinstance(layer, ResidualUnit)}
    for number, layer in enumerate(flat):
        if isinstance(layer, Convolution | TransposedConvolution):
            behind = flat[number + 1 : number + 3]
            snake = next((each for each in behind if isinstance(each, Snake)), None)
            stage = _transposed(layer) if isinstance(layer, TransposedConvolution) else _plain(layer)
            yield replace(
                stage,
                alpha=None if snake is None else snake.alpha.flatten().repeat(stage.stride),
                plain=snake is None or isinstance(behind[0], ResidualUnit),
                residual=layer in closing,
            )


def _flattened(layers: Chain) -> Iterator[nn.Module]:
    """Yield convolutions and Snakes in order; a residual unit comes before its layers."""
    for layer in layers:
        if isinstance(layer, ResidualUnit):
            yield layer
        if isinstance(layer, ResidualUnit | DecoderBlock):
            yield from _flattened(layer.block)
        else:
            yield layer


def _plain(layer: Convolution) -> Stage:
    return Stage(
        layer=layer,
        weight=_shared(layer.conv, (1, 2, 0)),
        bias=_bias(layer.conv),
        apart=layer.conv.dilation[0],
    )


def _transposed(layer: TransposedConvolution) -> Stage:
    """Express a transposed convolution as a convolution over the last inputs, the newest first."""
    taps, stride = layer.kept[0] + 1, layer.stride
    weight = _shared(layer.conv, (0, 2, 1), taps * stride).view(layer.conv.in_channels, taps, -1)
    bias = _bias(layer.conv).repeat(stride)
    return Stage(layer=layer, weight=weight, bias=bias, stride=stride, first=taps - 1, apart=-1)


def _shared(conv: nn.Conv1d | nn.ConvTranspose1d, order: tuple[int, int, int], width: int = 0) -> Tensor:
    """Return a convolution's weight as (inputs, `width` or more, outputs), sharing its memory with the convolution."""
    weight = conv.weight.permute(order)
    shared = F.pad(weight, (0, 0, 0, max(0, width - weight.shape[1]))).contiguous()
    back = [order.index(axis) for axis in range(3)]
    conv.weight.data = shared[:, : weight.shape[1]].permute(back)
    return shared


def _bias(conv: nn.Conv1d | nn.ConvTranspose1d) -> Tensor:
    return conv.weight.new_zeros(conv.out_channels) if conv.bias is None else conv.bias
