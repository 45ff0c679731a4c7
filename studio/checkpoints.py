"""Which checkpoint each engine loads, as the settings say."""

from collections.abc import Mapping

from engines.base import Checkpoint
from studio.settings import Settings


def checkpoints(settings: Settings) -> Mapping[str, Checkpoint]:
    """By engine."""
    return {
        "f5": Checkpoint(settings.f5_checkpoint, settings.f5_vocoder),
        "s1": Checkpoint(settings.s1_checkpoint),
    }
