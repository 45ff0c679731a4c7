"""Which checkpoint each engine loads, as the settings say."""

from collections.abc import Mapping

from engines.base import Checkpoint
from engines.registry import ENGINES
from studio.settings import Settings


def checkpoints(settings: Settings) -> Mapping[str, Checkpoint]:
    """By engine. One that no setting names a checkpoint for loads the one it was shipped with."""
    return {name: Checkpoint("embedded") for name in ENGINES} | {
        "f5": Checkpoint(settings.f5_checkpoint, settings.f5_vocoder),
        "s1": Checkpoint(settings.s1_checkpoint),
    }
