"""Record what upstream's BiCodec computes: `python -m tests.engines.spark.record UPSTREAM_CHECKOUT`.

UPSTREAM_CHECKOUT is a folder with https://github.com/SparkAudio/Spark-TTS at commit 2f1ea90.
"""

import json
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import torch

from tests.engines.spark.bicodec_weights import CONFIGS, RECORDED, REFERENCES, Config, Shapes, speech_features, write

FRAMES = 24


def upstream_shapes(config: Config) -> Shapes:
    """Return the shape of each tensor that a published file has."""
    from sparktts.models import bicodec as upstream  # type: ignore[import-not-found]

    kinds = {
        "encoder": upstream.Encoder, "quantizer": upstream.FactorizedVectorQuantize, "prenet": upstream.Decoder,
        "postnet": upstream.Decoder, "decoder": upstream.WaveGenerator, "speaker_encoder": upstream.SpeakerEncoder,
    }  # fmt: skip
    parts = {name: kind(**config[name]) for name, kind in kinds.items()}
    model = upstream.BiCodec(mel_params=config["mel_params"], **parts)
    return {
        name: list(value.shape) for name, value in model.state_dict().items() if not name.startswith("mel_transformer")
    }


def load_upstream(config: Config, folder: Path) -> Any:
    from sparktts.models.bicodec import BiCodec

    return BiCodec.load_from_checkpoint(write(folder, config, upstream_shapes(config)))


@torch.no_grad()
def computed(model: Any, config: Config) -> dict[str, np.ndarray]:
    """Compute every output that a test compares."""
    from sparktts.models.audio_tokenizer import BiCodecTokenizer
    from sparktts.utils.audio import audio_volume_normalize

    tokenizer = BiCodecTokenizer.__new__(BiCodecTokenizer)
    tokenizer.config = {"sample_rate": 16000, "ref_segment_duration": 6, "latent_hop_length": 320}
    features = speech_features(FRAMES, config["encoder"]["input_channels"])[None]
    made: dict[str, np.ndarray] = {}
    for name, clip in REFERENCES.items():
        samples = clip.numpy()
        used = torch.from_numpy(tokenizer.get_ref_clip(samples))[None]
        semantic, spoken = model.tokenize({"feat": features, "ref_wav": used})
        latents, speaker = model.quantizer.detokenize(semantic), model.speaker_encoder.detokenize(spoken)
        made |= {
            f"{name}/semantic": semantic[0].numpy(),
            f"{name}/global": spoken[0, 0].numpy(),
            f"{name}/mel": model.mel_transformer(used)[0, :, ::25].numpy(),
            f"{name}/speaker": speaker[0].numpy(),
            f"{name}/prenet": model.prenet(latents, speaker)[0].numpy(),
            f"{name}/audio": model.detokenize(semantic, spoken)[0, 0].numpy(),
            f"{name}/volume": audio_volume_normalize(samples)[:200].astype(np.float32),
            f"{name}/quiet volume": audio_volume_normalize(samples / 20)[:200].astype(np.float32),
        }
    return made


def main() -> None:
    sys.path.insert(0, sys.argv[1])
    held: dict[str, Any] = {}
    for name, config in CONFIGS.items():
        with tempfile.TemporaryDirectory() as folder:
            model = load_upstream(config, Path(folder))
        held |= {f"{name}/{key}": value for key, value in computed(model, config).items()}
        held[f"{name}/shapes"] = np.array(json.dumps(upstream_shapes(config)))
    np.savez_compressed(RECORDED, **held)
    print(f"{RECORDED}: {RECORDED.stat().st_size / 1000:.0f} kB")


if __name__ == "__main__":
    main()
