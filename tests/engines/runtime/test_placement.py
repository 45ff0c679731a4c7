"""The placement of an engine: one device with its full name."""

from collections.abc import Iterator

import pytest
import torch

from engines.errors import BadSetting, NotReady
from engines.registry import EngineOptions
from engines.runtime.placement import Placement, fastest_cpu_dtype, place

WITHOUT_GPU = pytest.mark.skipif(torch.cuda.is_available(), reason="a GPU is here")


def test_a_cuda_placement_always_has_its_index() -> None:
    assert Placement(torch.device("cuda"), torch.float16).device == torch.device("cuda", 0)
    assert Placement(torch.device("cuda:1"), torch.float16).device == torch.device("cuda", 1)


def test_the_cpu_computes_in_float32() -> None:
    assert place(EngineOptions(name="cpu")) == Placement(torch.device("cpu"), torch.float32)


@pytest.mark.parametrize(("half_s", "dtype"), [(0.7, torch.bfloat16), (0.9, torch.float32), (20.0, torch.float32)])
def test_a_cpu_computes_in_bfloat16_if_it_is_clearly_faster(
    monkeypatch: pytest.MonkeyPatch, half_s: float, dtype: torch.dtype
) -> None:
    now = [0.0]

    def product(matrix: torch.Tensor, _: torch.Tensor) -> None:
        now[0] += half_s if matrix.dtype == torch.bfloat16 else 1.0

    monkeypatch.setattr(torch, "mm", product)
    monkeypatch.setattr("engines.runtime.placement.time.perf_counter", lambda: now[0])
    assert fastest_cpu_dtype.__wrapped__() == dtype


@pytest.fixture
def threads() -> Iterator[None]:
    """Give PyTorch 16 CPU threads, and later those of before."""
    before = torch.get_num_threads()
    torch.set_num_threads(16)
    yield
    torch.set_num_threads(before)


@pytest.mark.usefixtures("threads")
@pytest.mark.parametrize(("name", "wanted", "used"), [("cpu", 0, 16), ("cpu", 2, 2), ("cuda", 0, 4), ("cuda", 8, 8)])
def test_few_cpu_threads_serve_a_gpu(monkeypatch: pytest.MonkeyPatch, name: str, wanted: int, used: int) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 1)
    for function in ("set_device", "synchronize"):
        monkeypatch.setattr(torch.cuda, function, lambda device: None)
    place(EngineOptions(name=name, threads=wanted))
    assert torch.get_num_threads() == used


@WITHOUT_GPU
@pytest.mark.parametrize("name", ["cuda", "cuda:0", "cuda:1"])
def test_a_missing_device_is_refused_with_its_name(name: str) -> None:
    with pytest.raises(BadSetting, match=f"STUDIO_DEVICE={name}: this machine has no such device; use auto"):
        place(EngineOptions(name=name))


def test_a_card_with_a_failed_kernel_is_refused_with_instructions(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(device: torch.device) -> None:
        raise torch.AcceleratorError("CUDA error: device-side assert triggered\nFor debugging consider …")

    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 1)
    monkeypatch.setattr(torch.cuda, "set_device", lambda device: None)
    monkeypatch.setattr(torch.cuda, "synchronize", fails)
    with pytest.raises(NotReady, match=r"device-side assert triggered\); restart the studio"):
        place(EngineOptions(name="cuda"))
