"""Compute speech features with wav2vec2-large-xlsr-53 (Conneau et al. 2020, arXiv:2006.13979), for semantic codes."""

import math
from pathlib import Path
from typing import Any, TypeVar

import torch
from torch import Tensor, nn
from torch.nn.utils.parametrize import is_parametrized, remove_parametrizations
from transformers import Wav2Vec2Model

from engines.errors import BadCheckpoint

LAYERS = (11, 14, 16)  # the features are the mean of the outputs of these layers
WINDOW, HOP = 400, 320  # samples of a frame, and samples from the start of a frame to the start of the next frame
TAPS_AT_ONCE = 16  # taps of the convolution in one matrix product; more taps need more memory
Count = TypeVar("Count", int, Tensor)


class SpeechFeatures(nn.Module):
    """Computes the features of a clip."""

    def __init__(self, network: Wav2Vec2Model) -> None:
        super().__init__()
        del network.encoder.layers[LAYERS[-1] :]
        if network.config.do_stable_layer_norm:
            network.encoder.layer_norm = nn.Identity()  # it would normalise the output of the last layer
        self.network = network
        positions = network.encoder.pos_conv_embed
        if is_parametrized(positions.conv):  # otherwise each clip would compute the weight again from its parameters
            remove_parametrizations(positions.conv, "weight")
        positions.conv = GroupedConvolution(positions.conv)
        # The library expects a mask of samples and computes a mask of frames. CUDA graphs cannot record this computation, so
        # `from_normalised` passes a mask of frames.
        network._get_feature_vector_attention_mask = _as_given
        config = network.config
        # True if padding does not change the features. With the norm "group", padding changes the features.
        self.can_pad = config.feat_extract_norm == "layer" and math.prod(config.conv_stride) == HOP
        if self.can_pad:
            network.feature_extractor = FrameExtractor(network.feature_extractor.conv_layers)

    def forward(self, samples: Tensor, length: Tensor | None = None) -> Tensor:
        """Compute (`frames_of(n)`, channels) features of (n,) samples at 16 kHz.

        If `length` (1,) is given, all later samples are zeros that do not belong to the clip.
        """
        frames = torch.arange(frames_of(len(samples)), device=samples.device)
        mask = None if length is None else (frames < frames_of(length))[None]
        values = _normalised(samples, length)
        states = self.network(values[None], attention_mask=mask, output_hidden_states=True).hidden_states
        return torch.stack([states[layer][0] for layer in LAYERS]).mean(0)


class FrameExtractor(nn.Module):
    """Converts samples to frames. This is faster than the library's form, which transposes before and after each norm."""

    def __init__(self, layers: nn.ModuleList) -> None:
        super().__init__()
        self.layers = nn.ModuleList(ConvolvedFrames(layer) for layer in layers)

    def forward(self, samples: Tensor) -> Tensor:
        """Convert (1, n) to (1, channels, t)."""
        frames = samples.T
        for layer in self.layers:
            frames = layer(frames)
        return frames.T[None]


class ConvolvedFrames(nn.Module):
    """Computes a layer of the library's extractor: a convolution, a norm and an activation."""

    def __init__(self, layer: Any) -> None:
        super().__init__()
        self.norm, self.activation = layer.layer_norm, layer.activation
        self.stride, self.taps = int(layer.conv.stride[0]), int(layer.conv.kernel_size[0])
        self.weight: Tensor = nn.Parameter(layer.conv.weight.transpose(1, 2).flatten(1))
        self.bias: Tensor | None = layer.conv.bias

    def forward(self, x: Tensor) -> Tensor:
        """Convert (t, inputs) to (t', outputs)."""
        inputs, count, total = x.shape[1], (len(x) - self.taps) // self.stride + 1, self.bias
        for first in range(0, self.taps, self.stride):  # rows of a matrix product may not overlap
            width = inputs * min(self.stride, self.taps - first)
            rows = x[first:].as_strided((count, width), (inputs * self.stride, 1))
            weight = self.weight[:, inputs * first :][:, :width].T
            total = rows @ weight if total is None else torch.addmm(total, rows, weight)
        outputs: Tensor = self.activation(self.norm(total))
        return outputs


class GroupedConvolution(nn.Module):
    """Computes a grouped convolution. On a GPU, matrix products of all groups are faster than cuDNN's groups one by one."""

    def __init__(self, conv: nn.Conv1d) -> None:
        super().__init__()
        self.conv = conv

    def forward(self, x: Tensor) -> Tensor:
        """Compute (1, outputs, t) from (1, inputs, t')."""
        return self.products(x) if x.is_cuda else self.conv(x)

    def products(self, x: Tensor) -> Tensor:
        """Compute the convolution as matrix products."""
        groups, taps, weight = self.conv.groups, self.conv.kernel_size[0], self.conv.weight
        padded = nn.functional.pad(x[0], (int(self.conv.padding[0]),) * 2)
        length = padded.shape[-1] - taps + 1
        inputs, weights = padded.view(groups, -1, padded.shape[-1]), weight.view(groups, -1, *weight.shape[1:])
        total = x.new_zeros(()) if self.conv.bias is None else self.conv.bias.view(groups, -1, 1)
        for first in range(0, taps, TAPS_AT_ONCE):
            some = range(first, min(first + TAPS_AT_ONCE, taps))
            shifted = torch.stack([inputs[:, :, tap : tap + length] for tap in some], 2).flatten(1, 2)
            total = torch.baddbmm(total, weights[..., some.start : some.stop].flatten(2), shifted)
        return total.flatten(0, 1)[None]


def _as_given(length: int, mask: Tensor, add_adapter: bool | None = None) -> Tensor:
    return mask


def _normalised(samples: Tensor, length: Tensor | None) -> Tensor:
    """Return the samples with mean 0 and variance 1; zeros after the first `length` samples, if given, stay zero."""
    if length is None:
        variance, mean = torch.var_mean(samples, correction=0)
        return (samples - mean) / torch.sqrt(variance + 1e-7)
    centred = (samples - samples.sum() / length) * (torch.arange(len(samples), device=samples.device) < length)
    return centred / torch.sqrt(centred.square().sum() / length + 1e-7)


def frames_of(samples: Count) -> Count:
    """Return the number of feature frames for this number of samples."""
    return (samples - WINDOW) // HOP + 1


def read_features(folder: Path) -> SpeechFeatures:
    """Load the network from a folder in the format of the Hugging Face Hub, in float32 on the CPU. Raises BadCheckpoint."""
    try:
        loaded: Any = Wav2Vec2Model.from_pretrained(
            folder, local_files_only=True, output_loading_info=True, dtype=torch.float32
        )
        network, found = loaded
        missing = sorted(set(found["missing_keys"]) - {"masked_spec_embed"})
        if missing or network.config.num_hidden_layers <= LAYERS[-1]:
            raise ValueError(f"{missing[0]} is missing" if missing else "it has too few layers")
    except Exception as error:
        problem = " ".join(str(error).split())
        raise BadCheckpoint(
            f"{folder} does not have wav2vec2-large-xlsr-53 ({problem:.200}); download this folder of the checkpoint again"
        ) from error
    return SpeechFeatures(network).requires_grad_(False).eval()
