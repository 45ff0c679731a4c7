"""A temporarily full device loses no audio, and a closed engine frees its memory."""

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
    """A vocoder that runs out of memory at the first call."""

    def __init__(self, vocoder: nn.Module) -> None:
        super().__init__()
        self.vocoder, self.asked = vocoder, 0

    def forward(self, mel: Tensor) -> Tensor:
        self.asked += 1
        if self.asked == 1:
            raise torch.OutOfMemoryError
        return self.vocoder(mel)


def test_a_take_continues_after_its_vocoder_ran_out_of_memory(tmp_path: Path) -> None:
    engine = loaded(checkpoint(tmp_path / "base", seed=0))
    wanted, listener = say(engine), Listener(engine)
    object.__setattr__(engine.model, "vocoder", Full(engine.model.vocoder))
    engine.admit(job("one"))
    with pytest.raises(OutOfMemory):
        listener.finish(job("one"))
    listener.finish(job("one"))
    assert np.array_equal(listener.audio("one"), wanted)


def test_a_closed_engine_frees_its_weights_at_once(tmp_path: Path) -> None:
    engine = loaded(checkpoint(tmp_path / "base", seed=0))
    say(engine)
    network = weakref.ref(engine.model.network)
    gc.collect()
    gc.disable()  # device memory is needed before Python's next garbage collection
    try:
        engine.close()
        assert network() is None
    finally:
        gc.enable()
