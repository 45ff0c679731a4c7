"""Export a checkpoint in the format of F5-TTS.

The checkpoint has `ema_model.transformer.*`, one character in each line of vocab.txt, upstream's configuration, and a vocoder
in the format of the `vocos` package. Large matrices are int8 with a `.scale` (`int8.py`).
"""

import json
import logging
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import torch
import yaml
from safetensors.torch import save_file
from torch import Tensor

from engines.f5.mel import BANDS, HOP
from training.corpus.spelling import ALPHABET
from training.f5.checkpoint import PREFIX, load_dit
from training.f5.mels import FFT
from training.f5.vocoder import TrainableVocoder, describe, silence_top
from training.int8 import pack
from training.known_voices import write_known_voices
from training.references import RATE_HZ, checkpoint
from training.shards import load_shards

log = logging.getLogger(__name__)
CHECKPOINT = checkpoint("f5")
# A student of the seven-step grid has equal quality in five steps; see its card.
INFERENCE = {
    "steps": 5,
    "guidance": 2.0,
    "sway": -1.0,
    "piece_characters": 120,
    "short_sentence": 20,
    "timbre": 0.2,
    "floor": -6.0,
    "pace_kept": 0.65,  # measured on takes with references of 55 to 93 ms a byte
    "own_pace": 21.0,
}
ARCH_KEYS = (
    "dim", "depth", "heads", "ff_mult", "text_dim", "conv_layers", "text_mask_padding", "qk_norm", "pe_attn_head",
)  # fmt: skip


def configuration(arch: dict[str, Any], inference: dict[str, Any]) -> dict[str, Any]:
    """Return a model's configuration in the layout of upstream's YAML, with this project's sampling defaults."""
    chosen = {key: arch[key] for key in ARCH_KEYS}
    chosen["text_embedding_average_upsampling"] = arch["text_embedding_average_upsampling"]
    chosen |= {"attn_backend": "torch", "attn_mask_enabled": False, "checkpoint_activations": False}
    mel = {
        "target_sample_rate": RATE_HZ,
        "n_mel_channels": BANDS,
        "hop_length": HOP,
        "win_length": FFT,
        "n_fft": FFT,
        "mel_spec_type": "vocos",
    }
    model = {"name": "F5TTS_Champion_Small", "tokenizer": "custom", "backbone": "DiT", "arch": chosen, "mel_spec": mel}
    return {"model": model, "inference": inference}


@dataclass(frozen=True, slots=True, kw_only=True)
class F5ExportOptions:
    weights: Annotated[
        Path, "folder with dit-*.safetensors, and vocoder-*.safetensors unless the shipped vocoder stays"
    ]
    out: Annotated[Path, "folder of the checkpoint"] = CHECKPOINT


def export(options: F5ExportOptions) -> None:
    """Write the exported checkpoint. Raises FileNotFoundError if the weights are missing."""
    weights, out = options.weights, options.out
    out.mkdir(parents=True, exist_ok=True)
    note = json.loads((weights / "dit.json").read_text(encoding="utf-8"))
    tensors = {PREFIX + name: tensor for name, tensor in load_dit(weights).items()}
    _save(pack(tensors), out / "model.safetensors")
    (out / "vocab.txt").write_text("".join(character + "\n" for character in ALPHABET), encoding="utf-8")
    description = configuration(note["config"], INFERENCE | note.get("inference", {}))
    (out / "config.yaml").write_text(yaml.safe_dump(description, sort_keys=False), encoding="utf-8")
    write_known_voices(out)
    if (weights / "vocoder.json").exists():
        _export_vocoder(weights, out / "vocos")
    elif out != CHECKPOINT:
        shutil.copytree(CHECKPOINT / "vocos", out / "vocos", dirs_exist_ok=True)


def _export_vocoder(weights: Path, out: Path) -> None:
    out.mkdir(exist_ok=True)
    note = json.loads((weights / "vocoder.json").read_text(encoding="utf-8"))
    model = TrainableVocoder(note["dim"], note["depth"])
    model.load_state_dict(load_shards(weights, "vocoder"), strict=False)
    _silence_zero_hertz(model)
    silence_top(dict(model.named_parameters()))
    # Every value is kept except the window of the head, which is a constant of the configuration.
    state = {name: tensor for name, tensor in model.state_dict().items() if name != "head.istft.window"}
    _save(pack(state), out / "model.safetensors")
    description = describe(note["dim"], note["depth"])
    (out / "config.yaml").write_text(yaml.safe_dump(description, sort_keys=False), encoding="utf-8")


def _silence_zero_hertz(model: TrainableVocoder) -> None:
    """Set the bin of 0 Hz to zero. A log-mel has no information about it, so training leaves a drifting offset there."""
    with torch.no_grad():
        model.head.out.weight[0] = 0.0
        model.head.out.bias[0] = -20.0  # logarithm of the magnitude


def _save(tensors: dict[str, Tensor], path: Path) -> None:
    save_file(tensors, path)
    path.chmod(0o644)
    log.info("%s: %.2f MB", path.name, path.stat().st_size / 1e6)
