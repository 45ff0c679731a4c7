"""The original engines on a GPU: the packages speak full-size checkpoints with random weights."""

from pathlib import Path

import pytest

from engines.originals.imports import stand_in
from tests.gpu.house import running, sounds

# Modules that f5-tts imports for training and downloads only.
UNUSED = ("accelerate", "cached_path", "datasets", "ema_pytorch", "matplotlib", "matplotlib.pylab", "wandb")


@pytest.mark.parametrize("engine", ["f5", "s1"])
def test_the_package_speaks(full: dict[str, Path], tmp_path: Path, engine: str) -> None:
    stand_in(UNUSED)
    settings = {f"{engine}_checkpoint": str(full[engine]), "engines": [f"{engine}-original"]}
    with running(tmp_path, **settings) as house:
        take = house.say(f"{engine}-original", "Not now.")
        status = house.manager.status(f"{engine}-original")
    assert sounds(take)
    assert status.info is not None
    assert status.info.device == "cuda:0" and status.info.parameters > 300e6
