"""Read a BiCodec from the folder BiCodec of a Spark-TTS checkpoint."""

from pathlib import Path

from engines.errors import BadCheckpoint
from engines.runtime import weights
from engines.spark.bicodec import BiCodec
from engines.spark.bicodec_config import BiCodecConfig

CONFIG, WEIGHTS = "config.yaml", "model.safetensors"
ECAPA = "speaker_encoder.speaker_encoder"
UNUSED = (  # prefixes of tensors that only training and the x-vector need, and of constants
    "postnet.", "quantizer.cluster_size", "mel_transformer.", f"{ECAPA}.pool.", f"{ECAPA}.bn.", f"{ECAPA}.linear.",
)  # fmt: skip


def read_bicodec(folder: Path) -> BiCodec:
    """Read the codec to the CPU in float32. Raises BadCheckpoint."""
    for name in (CONFIG, WEIGHTS):
        if not (folder / name).is_file():
            raise BadCheckpoint(f"{folder / name} is missing; copy the whole folder of the checkpoint")
    config = BiCodecConfig.read(folder / CONFIG)
    with weights.unfilled():
        codec = BiCodec(config).requires_grad_(False)
    held = weights.read(folder / WEIGHTS)
    used = {name: value.float() for name, value in held.items() if not name.startswith(UNUSED)}
    weights.fill(codec, weights.fold_weight_norms(used, WEIGHTS), WEIGHTS, adopt=True)
    for name, statistic in codec.named_buffers():
        if statistic.is_meta:
            raise BadCheckpoint(f"{WEIGHTS} has another architecture: {name} is missing")
    return codec.eval()
