"""Quantised weights: their error, their size, and saving them to a file."""

from pathlib import Path

import pytest
import torch
from torch import Tensor, nn

from engines.errors import BadSetting
from engines.runtime import quantization as quantizing
from engines.runtime import weights

CPU = torch.device("cpu")


def block() -> nn.Sequential:
    torch.manual_seed(1)
    return nn.Sequential(nn.Linear(256, 512, bias=False), nn.Linear(512, 256, bias=False)).requires_grad_(False)


def size(network: nn.Module) -> int:
    return sum(quantizing.stored_bytes(weight) for weight in network.parameters())


def relative(found: Tensor, wanted: Tensor) -> float:
    return ((found - wanted).norm() / wanted.norm()).item()


def test_int8_changes_the_output_by_less_than_two_percent_and_halves_bfloat16() -> None:
    network, x = block().bfloat16(), torch.randn(3, 256).bfloat16()
    wanted, before = network(x), size(network)
    quantizing.quantize([network], "int8")
    assert 0 < relative(network(x).float(), wanted.float()) < 0.02
    assert size(network) < 0.51 * before


def test_saved_int8_weights_load_as_only_weights_and_give_equal_outputs(tmp_path: Path) -> None:
    network, x = block(), torch.randn(3, 256)
    plain, packed = tmp_path / "plain.pth", tmp_path / "packed.pth"
    torch.save(network.state_dict(), plain)
    quantizing.quantize([network], "int8")
    torch.save(network.state_dict(), packed)
    held, other = weights.read(packed), block()
    weights.fill(other, held, packed.name, adopt=True)
    assert torch.equal(other(x), network(x))
    assert packed.stat().st_size < 0.3 * plain.stat().st_size


@pytest.mark.parametrize(
    ("kind", "device", "dtype"),
    [("int4", "cpu", torch.float32), ("int4", "mps", torch.bfloat16), ("int8", "mps", torch.float32)],
)
def test_an_unsupported_kind_is_refused_with_an_alternative(
    kind: quantizing.Kind, device: str, dtype: torch.dtype
) -> None:
    with pytest.raises(BadSetting, match=r"STUDIO_QUANTIZE.*; use \w+"):
        quantizing.check(kind, torch.device(device), dtype)


def test_int8_may_run_on_the_cpu_and_none_anywhere() -> None:
    assert quantizing.check("int8", CPU, torch.float32) == "int8"
    assert quantizing.check("none", torch.device("mps"), torch.float32) == "none"
