"""A small random S1 checkpoint in the real format, and the model that our loader reads from it."""

from pathlib import Path

import pytest
import torch

from engines.base import Checkpoint
from engines.runtime.background import ended
from engines.runtime.placement import Placement
from engines.runtime.quantization import Kind
from engines.s1.model import S1Model, load


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    from bench.s1_checkpoints import TINY, write

    return write(tmp_path_factory.mktemp("s1") / "checkpoint", TINY)


@pytest.fixture(scope="session")
def model(folder: Path) -> S1Model:
    return read(folder)


def read(folder: Path, quantize: Kind = "none", encoder_at: torch.device | None = None) -> S1Model:
    return ended(load(Checkpoint(str(folder)), Placement(torch.device("cpu"), torch.float32), encoder_at, quantize))
