"""The configuration of a BiCodec: config.yaml in the folder BiCodec of Spark-TTS."""

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from engines.errors import BadCheckpoint
from engines.spark.mel import BANDS, MEL

VOCOS = {
    "input_channels": 1024, "vocos_dim": 384, "vocos_intermediate_dim": 2048, "vocos_num_layers": 12,
    "out_channels": 1024, "sample_ratios": [1, 1],
}  # fmt: skip
PUBLISHED: dict[str, dict[str, Any]] = {  # sections without values that only training reads
    "mel_params": MEL,
    "encoder": VOCOS,
    "quantizer": {"input_dim": 1024, "codebook_size": 8192, "codebook_dim": 8},
    "speaker_encoder": {
        "input_dim": BANDS, "out_dim": 1024, "latent_dim": 128, "token_num": 32,
        "fsq_levels": [4, 4, 4, 4, 4, 4], "fsq_num_quantizers": 1,
    },
    "prenet": VOCOS | {"condition_dim": 1024, "use_tanh_at_final": False},
    "decoder": {"input_channel": 1024, "channels": 1536, "rates": [8, 5, 4, 2], "kernel_sizes": [16, 11, 8, 4]},
}  # fmt: skip
FIXED = {*MEL, "fsq_num_quantizers", "use_tanh_at_final"}  # other values than the published ones are not supported
OPTIONAL = {"sample_ratios", "use_tanh_at_final"}
TRAINING = {"commitment", "codebook_loss_weight", "use_l2_normlize", "threshold_ema_dead_code", "decay", "momentum"}
LARGEST = 65_536  # of any number; larger networks would take hours to build


@dataclass(frozen=True, slots=True, kw_only=True)
class BiCodecConfig:
    """The sizes of a BiCodec, each of which may occur several times in the file."""

    features: int  # channels of speech features
    channels: int  # of latents and of speaker vectors
    dim: int  # of the two Vocos networks
    intermediate: int
    layers: int
    ratios: tuple[int, ...]  # by which one Vocos shortens and the other lengthens its input
    codes: int
    code_dim: int
    global_codes: int
    speaker_dim: int
    levels: tuple[int, ...]  # of each dimension of a global code
    generator: int  # channels
    rates: tuple[int, ...]
    widths: tuple[int, ...]  # of the convolutions that multiply the length by the rates

    @classmethod
    def read(cls, path: Path) -> "BiCodecConfig":
        """Read config.yaml. Raises BadCheckpoint."""
        try:
            held = yaml.safe_load(path.read_text(encoding="utf-8"))["audio_tokenizer"]
            return cls.of({name: _checked(section, held[name]) for name, section in PUBLISHED.items()})
        except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError, yaml.YAMLError) as error:
            problem = f"{error} is missing" if isinstance(error, KeyError) else " ".join(str(error).split())
            raise BadCheckpoint(
                f"{path} does not describe a supported BiCodec ({problem:.200}); "
                "check STUDIO_SPARK_CHECKPOINT, or download the file again if it is damaged"
            ) from error

    @classmethod
    def of(cls, held: dict[str, dict[str, Any]]) -> "BiCodecConfig":
        """Take the sizes from checked sections. Raises ValueError."""
        vocos, quantizer, speaker, decoder = (held[e] for e in ("encoder", "quantizer", "speaker_encoder", "decoder"))
        channels = vocos["out_channels"]
        same = {"input_channels": channels, "condition_dim": channels, "use_tanh_at_final": False}
        repeated = (quantizer["input_dim"], speaker["out_dim"], decoder["input_channel"], speaker["input_dim"])
        if held["prenet"] != vocos | same or repeated != (channels, channels, channels, BANDS):
            raise ValueError("the sizes of its sections do not fit together")
        pairs = list(zip(decoder["kernel_sizes"], decoder["rates"], strict=True))
        if any(width < rate or (width - rate) % 2 for width, rate in pairs) or decoder["channels"] % 2 ** len(pairs):
            raise ValueError("rates, kernel_sizes and channels of decoder do not fit together")
        if min(speaker["fsq_levels"]) < 2 or math.prod(speaker["fsq_levels"]) > LARGEST:
            raise ValueError(f"fsq_levels is {speaker['fsq_levels']}, which is not supported")
        return cls(
            features=vocos["input_channels"], channels=channels, dim=vocos["vocos_dim"],
            intermediate=vocos["vocos_intermediate_dim"], layers=vocos["vocos_num_layers"],
            ratios=tuple(vocos["sample_ratios"]), codes=quantizer["codebook_size"],
            code_dim=quantizer["codebook_dim"], global_codes=speaker["token_num"], speaker_dim=speaker["latent_dim"],
            levels=tuple(speaker["fsq_levels"]), generator=decoder["channels"], rates=tuple(decoder["rates"]),
            widths=tuple(decoder["kernel_sizes"]),
        )  # fmt: skip


def _checked(published: dict[str, Any], held: dict[str, Any]) -> dict[str, Any]:
    """Return the values of a section. Raises ValueError if its names or types differ from the published section."""
    if wrong := sorted((published.keys() ^ held.keys()) - OPTIONAL - TRAINING):
        raise ValueError(f"{wrong[0]!r:.80} is missing or unknown")
    for name in published.keys() & held.keys():
        value, wanted = held[name], published[name]
        if not (value == wanted if name in FIXED else _is_like(value, wanted)):
            raise ValueError(f"{name} is {value!r:.80}, which is not supported")
    return published | held


def _is_like(value: Any, wanted: Any) -> bool:
    """Return True if the value has the type of the wanted one, and its numbers are positive."""
    if isinstance(wanted, list):
        return isinstance(value, list) and 0 < len(value) <= 8 and all(_is_like(each, wanted[0]) for each in value)
    return type(value) is int and 0 < value <= LARGEST
