"""A device that is full for a moment costs no sound, and a closed engine gives its memory back."""

import gc
import weakref
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from engines.errors import OutOfMemory
from tests.engines.f5.tuning import Listener, checkpoint, job, loaded, say


class Full(nn.Module):
    """A vocoder whose device has no room the first time."""

    def __init__(self, vocoder: nn.Module) -> None:
        super().__init__()
        self.vocoder, self.asked = vocoder, 0

    def forward(self, mel: Tensor) -> Tensor:
        self.asked += 1
        if self.asked == 1:
            raise torch.OutOfMemoryError
        return self.vocoder(mel)


def test_a_take_whose_sound_had_no_memory_goes_on_where_it_was(tmp_path: Path) -> None:
    engine = loaded(checkpoint(tmp_path / "base", seed=0))
    wanted, listener = say(engine), Listener(engine)
    object.__setattr__(engine.model, "vocoder", Full(engine.model.vocoder))
    engine.admit(job("one"))
    with pytest.raises(OutOfMemory):
        listener.finish(job("one"))
    listener.finish(job("one"))
    assert np.array_equal(listener.audio("one"), wanted)


def test_a_closed_engine_gives_its_weights_back_at_once(tmp_path: Path) -> None:
    engine = loaded(checkpoint(tmp_path / "base", seed=0))
    say(engine)
    network = weakref.ref(engine.model.network)
    gc.collect()
    gc.disable()  # the memory of a device is asked back before Python next looks for circles
    try:
        engine.close()
        assert network() is None
    finally:
        gc.enable()
