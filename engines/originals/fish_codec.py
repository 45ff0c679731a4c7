"""Build the codec from the classes of fish-speech, without dependencies that the codec does not need."""

import importlib
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import yaml
from torch import nn

from engines.originals.imports import open_packages, stand_in
from engines.s1.files import EMBEDDED

Config = dict[str, Any]
CONFIG = EMBEDDED / "codec.yaml"  # used for a new training and for the shipped codec
CLASSES = {
    "fish_speech.models.dac.modded_dac.DAC",
    "fish_speech.models.dac.modded_dac.ModelArgs",
    "fish_speech.models.dac.modded_dac.WindowLimitedTransformer",
    "fish_speech.models.dac.rvq.DownsampleResidualVectorQuantize",
}
# Modules that the codec's modules import but never call.
UNUSED = ("audiotools", "audiotools.ml", "hydra", "librosa", "soundfile", "omegaconf", "tqdm")


class BadConfig(ValueError):
    """A codec configuration is invalid or names an unknown class."""


def read_text(path: Path = CONFIG) -> str:
    return path.read_text(encoding="utf-8")


def read_config(path: Path = CONFIG) -> Config:
    """Read a configuration of the form `modded_dac_vq`."""
    return parse_config(read_text(path))


def parse_config(text: str) -> Config:
    """Parse a configuration. YAML reads `1e-5` as text, so such numbers are converted."""
    restored = _restore_numbers(yaml.safe_load(text))
    if not isinstance(restored, dict):
        raise BadConfig("the codec's configuration holds no mapping; expected the form of modded_dac_vq.yaml")
    return restored


def build(config: Mapping[str, Any]) -> nn.Module:
    """Return the package's DAC for this configuration, with new weights."""
    prepare_imports()
    model = _instantiate(config)
    if not isinstance(model, nn.Module):
        raise BadConfig("the configuration's _target_ is no model; expected ...modded_dac.DAC")
    return model


def prepare_imports() -> None:
    """Make the codec's modules importable without the other dependencies of the package."""
    stand_in(UNUSED)
    open_packages("dac", "dac.nn", "dac.model", "fish_speech", "fish_speech.models", "fish_speech.models.dac")


def _instantiate(value: Any) -> Any:
    """Build the objects that `_target_` names, innermost first. With `_partial_`, return the callable with bound arguments."""
    if not isinstance(value, Mapping):
        return value
    arguments = {key: _instantiate(item) for key, item in value.items() if not key.startswith("_")}
    target = value.get("_target_")
    if target is None:
        return arguments
    if target not in CLASSES:
        raise BadConfig(f"{target} is not one of the codec's classes: {', '.join(sorted(CLASSES))}")
    module, _, name = str(target).rpartition(".")
    maker: Callable[..., Any] = getattr(importlib.import_module(module), name)
    return partial(maker, **arguments) if value.get("_partial_") else maker(**arguments)


def _restore_numbers(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _restore_numbers(item) for key, item in value.items()}
    if isinstance(value, str):
        try:
            return float(value)
        except ValueError:
            return value
    return value
