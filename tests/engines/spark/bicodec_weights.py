"""BiCodecs with random weights in the format of Spark-TTS. Only the name and the shape of a tensor determine its values."""

import copy
import json
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import torch
import yaml
from safetensors.torch import save_file
from torch import Tensor

RECORDED = Path(__file__).with_name("bicodec.npz")
Config = dict[str, dict[str, Any]]
Shapes = Mapping[str, list[int]]


def configuration(
    *, features: int, dim: int, intermediate: int, layers: int, channels: int, codes: int, latent: int,
    ratios: list[int], generator: Config,
) -> Config:  # fmt: skip
    """Return the section `audio_tokenizer` of config.yaml, whose other values are those of the published file."""
    vocos = {
        "vocos_dim": dim, "vocos_intermediate_dim": intermediate, "vocos_num_layers": layers, "out_channels": channels,
    }  # fmt: skip
    return {
        "mel_params": {
            "sample_rate": 16000, "n_fft": 1024, "win_length": 640, "hop_length": 320,
            "mel_fmin": 10, "mel_fmax": None, "num_mels": 128,
        },
        "encoder": {"input_channels": features, **vocos, "sample_ratios": ratios},
        "decoder": {"input_channel": channels, **generator},
        "quantizer": {
            "input_dim": channels, "codebook_size": codes, "codebook_dim": 8, "commitment": 0.25,
            "codebook_loss_weight": 2.0, "use_l2_normlize": True, "threshold_ema_dead_code": 0.2,
        },
        "speaker_encoder": {
            "input_dim": 128, "out_dim": channels, "latent_dim": latent, "token_num": 32,
            "fsq_levels": [4, 4, 4, 4, 4, 4], "fsq_num_quantizers": 1,
        },
        "prenet": {
            "input_channels": channels, **vocos, "condition_dim": channels, "sample_ratios": ratios,
            "use_tanh_at_final": False,
        },
        "postnet": {"input_channels": channels, **vocos, "vocos_num_layers": layers // 2, "use_tanh_at_final": False},
    }  # fmt: skip


PUBLISHED = configuration(
    features=1024, dim=384, intermediate=2048, layers=12, channels=1024, codes=8192, latent=128, ratios=[1, 1],
    generator={"channels": 1536, "rates": [8, 5, 4, 2], "kernel_sizes": [16, 11, 8, 4]},
)  # fmt: skip
SIZES: dict[str, Any] = {
    "features": 24, "dim": 16, "intermediate": 32, "layers": 2, "channels": 20, "codes": 64, "latent": 12,
    "generator": {"channels": 16, "rates": [5, 4], "kernel_sizes": [11, 8]},
}  # fmt: skip
TINY = configuration(**SIZES, ratios=[1, 1])
RESAMPLING = configuration(**SIZES, ratios=[2, 1])
CONFIGS = {"tiny": TINY, "resampling": RESAMPLING}


def changed(config: Config, section: str, **values: Any) -> Config:
    result = copy.deepcopy(config)
    result[section] |= values
    return result


def recorded_shapes(name: str) -> Shapes:
    """Return the shape of each tensor of upstream's model with a configuration of CONFIGS."""
    with np.load(RECORDED) as held:
        return json.loads(str(held[f"{name}/shapes"]))


def write(folder: Path, config: Config, shapes: Shapes) -> Path:
    """Write a folder like the published one."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.yaml").write_text(yaml.safe_dump({"audio_tokenizer": config}))
    save_file({name: draw(name, shape) for name, shape in shapes.items()}, folder / "model.safetensors")
    return folder


def normal(name: str, *shape: int) -> Tensor:
    """Draw Gaussian values that the name determines. NumPy keeps this generator as it is."""
    values = np.random.RandomState(zlib.crc32(name.encode())).standard_normal(shape)
    return torch.from_numpy(values.astype(np.float32))


def draw(name: str, shape: list[int]) -> Tensor:
    """Draw a tensor so that every layer matters and the signal keeps its size."""
    last = name.rpartition(".")[2]
    if last == "num_batches_tracked":
        return torch.tensor(0)
    value = normal(name, *shape)
    if last == "weight_g":
        return 0.4 + 0.4 * torch.sigmoid(value)
    if last in ("alpha", "running_var"):
        return 0.5 + value.abs()
    if last in ("bias", "running_mean"):
        return 0.1 * value
    if len(shape) == 1:  # weights of norms, and factors of layers
        return 0.7 + 0.1 * value
    if last == "latents":
        return 0.1 * value  # so that the clip determines the global codes
    return value if "codebook" in name else value / float(np.prod(shape[1:])) ** 0.5


def speech_features(frames: int, channels: int) -> Tensor:
    return normal("speech features", frames, channels)


def reference(seconds: float, pitch: float) -> Tensor:
    """Return noise and a tone of this pitch in Hz at 16 kHz, with a volume that rises and falls."""
    times = 2 * torch.pi * torch.arange(int(16_000 * seconds)) / 16_000
    return 0.1 * torch.sin(pitch * times) * (1 + torch.sin(3 * times)) + 0.02 * normal("reference", len(times))


REFERENCES = {"short": reference(0.7, 220.0), "long": reference(6.5, 1710.0)}  # one is repeated, and one is cut
