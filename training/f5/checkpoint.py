"""Read a DiT or a vocoder from the disk: from float16 shards, which calls exchange, or from an exported checkpoint."""

from pathlib import Path

from training.shards import State, has_shards, load_exported, load_shards

PREFIX = "ema_model.transformer."  # prefix of every name in an exported DiT


def load_dit(folder: Path) -> State:
    """Return float32 weights from the folder of a training, or else from an exported checkpoint."""
    if has_shards(folder, "dit"):
        return load_shards(folder, "dit")
    exported = load_exported(folder / "model.safetensors")
    return {name.removeprefix(PREFIX): tensor for name, tensor in exported.items()}
