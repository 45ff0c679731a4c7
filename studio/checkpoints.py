"""The checkpoint that each engine loads, chosen by the settings."""

from collections.abc import Mapping

from engines.base import Checkpoint
from engines.registry import LANGUAGES, Spec, specs
from studio.settings import Settings


def checkpoints(settings: Settings) -> Mapping[str, Checkpoint]:
    """Return the checkpoint of each engine, with the engine's options.

    The settings `<engine>_checkpoint`, `<engine>_<option>` and `<engine>_languages` choose them. Without a setting, an engine
    loads its embedded checkpoint. An engine with `weights_of` loads the checkpoint of that engine.
    """
    return {spec.name: _checkpoint(spec, settings) for spec in specs()}


def _checkpoint(spec: Spec, settings: Settings) -> Checkpoint:
    name = spec.weights_of or spec.name
    options = {option.name: getattr(settings, f"{name}_{option.name}", option.default) for option in spec.options}
    options[LANGUAGES] = getattr(settings, f"{name}_languages", "")
    return Checkpoint(getattr(settings, f"{name}_checkpoint", "embedded"), options)
