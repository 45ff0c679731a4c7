"""The checkpoint that each engine loads, chosen by the settings."""

from collections.abc import Mapping

from engines.base import Checkpoint
from engines.registry import ENGINES
from studio.settings import Settings


def checkpoints(settings: Settings) -> Mapping[str, Checkpoint]:
    """Return the checkpoint of each engine. Without a setting, an engine loads its embedded checkpoint."""
    return {name: Checkpoint("embedded") for name in ENGINES} | {
        "f5": Checkpoint(settings.f5_checkpoint, settings.f5_vocoder),
        "s1": Checkpoint(settings.s1_checkpoint),
    }
