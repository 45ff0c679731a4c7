"""Where an engine runs: one device, named in full."""

import pytest
import torch

from engines.errors import BadSetting
from engines.registry import Device
from engines.runtime.placement import Placement, place

WITHOUT_GPU = pytest.mark.skipif(torch.cuda.is_available(), reason="a GPU is here")


def test_a_cuda_placement_always_carries_its_index() -> None:
    assert Placement(torch.device("cuda"), torch.float16).device == torch.device("cuda", 0)
    assert Placement(torch.device("cuda:1"), torch.float16).device == torch.device("cuda", 1)


def test_the_cpu_computes_in_float32() -> None:
    assert place(Device(name="cpu")) == Placement(torch.device("cpu"), torch.float32)


@WITHOUT_GPU
@pytest.mark.parametrize("name", ["cuda", "cuda:0", "cuda:1"])
def test_a_device_that_is_not_here_is_refused_by_its_name(name: str) -> None:
    with pytest.raises(BadSetting, match=f"STUDIO_DEVICE={name}: this machine has no such device; use auto"):
        place(Device(name=name))
