"""A DiT or a vocoder on the disk: as float16 shards between calls, or exported."""

from pathlib import Path

from training.shards import State, has_shards, load_exported, load_shards

PREFIX = "ema_model.transformer."  # of every name in an exported DiT


def load_dit(folder: Path) -> State:
    """Return float32 weights from a training's folder, or else from an exported checkpoint."""
    if has_shards(folder, "dit"):
        return load_shards(folder, "dit")
    exported = load_exported(folder / "model.safetensors")
    return {name.removeprefix(PREFIX): tensor for name, tensor in exported.items()}
