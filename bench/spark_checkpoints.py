"""Spark-TTS checkpoints in the published form with random weights, which never end a line by themselves."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch
import yaml
from safetensors.torch import save_file

from bench.hub_checkpoints import write_network, write_tokenizer
from engines.base import Checkpoint
from engines.spark.bicodec import BiCodec
from engines.spark.bicodec_config import PUBLISHED, BiCodecConfig
from engines.spark.prompt import GLOBAL, SEMANTIC

FIRST_GLOBAL, FIRST_SEMANTIC, GLOBALS, SEMANTICS = 151_665, 155_761, 4_096, 8_192
SPECIAL = {
    "<|im_end|>": 151_645, "<|task_tts|>": 165_137, "<|start_content|>": 165_146, "<|end_content|>": 165_152,
    "<|start_global_token|>": 165_150, "<|end_global_token|>": 165_156, "<|start_semantic_token|>": 165_151,
    "<|end_semantic_token|>": 165_157,
}  # fmt: skip
# Of the tokens that describe a voice. Their ids are not the published ones, which this project does not depend on.
DESCRIBING = [
    "<|task_controllable_tts|>", "<|start_style_label|>", "<|end_style_label|>", "<|gender_0|>", "<|gender_1|>",
    *(f"<|{name}_label_{level}|>" for name in ("pitch", "speed") for level in range(5)),
    *(f"<|pitch_value_{value}|>" for value in range(1_001)), *(f"<|speed_value_{value}|>" for value in range(11)),
]  # fmt: skip
FIRST_DESCRIBING = 163_953
QWEN = {
    "model_type": "qwen2", "hidden_size": 896, "num_hidden_layers": 24, "num_attention_heads": 14, "num_key_value_heads": 2,
    "intermediate_size": 4864, "rms_norm_eps": 1e-6, "rope_theta": 1_000_000.0, "max_position_embeddings": 32_768,
    "vocab_size": 166_000, "tie_word_embeddings": True,
}  # fmt: skip
WAV2VEC = {
    "hidden_size": 1024, "num_hidden_layers": 24, "num_attention_heads": 16, "intermediate_size": 4096, "conv_bias": True,
    "do_stable_layer_norm": True, "feat_extract_norm": "layer",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Size:
    """The sizes of a checkpoint, as changes of the published ones."""

    network: dict[str, Any] = field(default_factory=dict)
    codec: dict[str, dict[str, Any]] = field(default_factory=dict)
    features: dict[str, Any] = field(default_factory=dict)


FULL = Size()
TINY_VOCOS = {"vocos_dim": 16, "vocos_intermediate_dim": 32, "vocos_num_layers": 2}
TINY = Size(
    {
        "hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 64,
        "max_position_embeddings": 4_096,
    },
    {
        "encoder": {**TINY_VOCOS, "input_channels": 24, "out_channels": 20},
        "quantizer": {"input_dim": 20},
        "speaker_encoder": {"out_dim": 20, "latent_dim": 12},
        "prenet": {**TINY_VOCOS, "input_channels": 20, "out_channels": 20, "condition_dim": 20},
        "decoder": {"input_channel": 20, "channels": 32},
    },
    {
        "hidden_size": 24, "num_hidden_layers": 18, "num_attention_heads": 2, "intermediate_size": 32, "conv_dim": [8] * 7,
        "num_conv_pos_embeddings": 16, "num_conv_pos_embedding_groups": 4,
    },
)  # fmt: skip


def write(folder: Path, size: Size, drawn_on: str = "cpu") -> Checkpoint:
    """Write the language model, the codec and the network for speech features."""
    language_model, codec = folder / "LLM", folder / "BiCodec"
    for each in (language_model, codec):
        each.mkdir(parents=True)
    special = {
        **SPECIAL,
        **{text: FIRST_DESCRIBING + place for place, text in enumerate(DESCRIBING)},
        **{GLOBAL.format(code): FIRST_GLOBAL + code for code in range(GLOBALS)},
        **{SEMANTIC.format(code): FIRST_SEMANTIC + code for code in range(SEMANTICS)},
    }
    write_tokenizer(language_model, special)
    write_network(
        language_model, QWEN | size.network, [SPECIAL["<|im_end|>"], SPECIAL["<|end_semantic_token|>"]], drawn_on
    )
    with torch.random.fork_rng():
        torch.manual_seed(0)
        _write_codec(codec, {name: section | size.codec.get(name, {}) for name, section in PUBLISHED.items()})
        _write_features(folder / "wav2vec2-large-xlsr-53", WAV2VEC | size.features)
    return Checkpoint(str(folder))


def _write_codec(folder: Path, config: dict[str, dict[str, Any]]) -> None:
    (folder / "config.yaml").write_text(yaml.safe_dump({"audio_tokenizer": config}))
    codec = BiCodec(BiCodecConfig.read(folder / "config.yaml"))
    for name, weight in codec.named_parameters():
        if "codebook" in name:
            torch.nn.init.normal_(weight)
    save_file({name: held.contiguous() for name, held in codec.state_dict().items()}, folder / "model.safetensors")


def _write_features(folder: Path, config: dict[str, Any]) -> None:
    from transformers import Wav2Vec2Config, Wav2Vec2Model  # takes seconds

    Wav2Vec2Model(Wav2Vec2Config(**config)).save_pretrained(folder)
