"""The weights of the dual-AR model on the disk: as training saves them, and as a whole checkpoint folder for loaders of S1."""

import json
from pathlib import Path

from training.corpus.spelling import ALPHABET
from training.known_voices import write_known_voices
from training.s1.codec import weights
from training.s1.language import prompts
from training.s1.language.dual_ar import LanguageModel, Shape
from training.shards import State, has_shards, load_exported, load_shards, notes_of, read_notes

DEFAULTS = {  # the best settings of the model, as `engines.s1.model.Defaults` reads them
    "temperature": 0.7,
    "top_p": 0.8,
    "repetition_penalty": 1.0,
    "group_characters": 90,
    "least_characters": 8,
    "pace_kept": 0.3,  # measured on takes with references of 55 to 93 ms a byte
    "own_pace": 17.5,
    "characters": ALPHABET,
    "markers": False,
    "timbre": 0.5,
}
EXPORTED = "model.safetensors"
MODEL = "model."  # prefix of the model's names in the files of a training, which also contain the head for letters


def load(folder: Path) -> LanguageModel:
    """Return the model from the folder of a training, or from packed weights, for inference."""
    notes = notes_of(folder / EXPORTED) if is_exported(folder) else read_notes(folder, "language")
    model = LanguageModel(Shape(**json.loads(notes["shape"])))
    weights.fill(model, read_state(folder))
    return model.eval().requires_grad_(False)


def read_state(folder: Path) -> State:
    """Return the parameters of the model, from the folder of a training or from an exported, packed one."""
    if is_exported(folder):
        return load_exported(folder / EXPORTED)
    state = load_shards(folder, "language")
    return {name.removeprefix(MODEL): value for name, value in state.items() if name.startswith(MODEL)}


def is_exported(folder: Path) -> bool:
    return (folder / EXPORTED).exists() and not has_shards(folder, "language")


def export(checkpoint: Path, codec: Path, out: Path, packed: bool = False) -> None:
    """Write config.json, model.pth, codec.pth, codec.yaml, tokenizer.tiktoken, special_tokens.json and our defaults.

    If `packed` is set, write safetensors: large matrices are int8 with a `.scale`, as `engines.runtime.weights` reads.
    Otherwise the weights are float16, which fish-speech 0.1.0 loads directly.
    """
    out.mkdir(parents=True, exist_ok=True)
    shape = load(checkpoint).shape
    state = read_state(checkpoint)
    weights.write(state, out / "model", packed)
    (out / "config.json").write_text(json.dumps(shape.config(), indent=2) + "\n", encoding="utf-8")
    (out / "generation_config.json").write_text(json.dumps(DEFAULTS, indent=2) + "\n", encoding="utf-8")
    prompts.write_tokenizer(out)
    write_known_voices(out)
    weights.export(codec, out, packed)
