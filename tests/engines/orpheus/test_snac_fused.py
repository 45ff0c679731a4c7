"""The SNAC decoder's kernels without a GPU: interpreted, and compared with PyTorch.

Triton reads whether to interpret when it is imported, so the kernels run in a separate process:
`python -m tests.engines.orpheus.test_snac_fused`.
"""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor

from engines.orpheus.snac import gaussian
from engines.orpheus.snac_files import read_codec
from tests.engines.interpreting import mend_indexing
from tests.engines.orpheus.snac_weights import TINY, write

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="Triton is built for Linux alone")
ROOT = Path(__file__).parents[3]
STARTS = (0, 2**20 + 1)  # first frames of the rows
FRAMES = (1, 5)  # lengths of windows; 5 frames fill blocks of each kernel only in part
GUARD = 4096  # numbers before and after each tensor that a kernel must not change


@pytest.fixture(scope="module")
def found() -> dict[str, Any]:
    done = subprocess.run(
        [sys.executable, "-m", "tests.engines.orpheus.test_snac_fused"],
        cwd=ROOT,
        env={**os.environ, "TRITON_INTERPRET": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-4000:]
    return json.loads(done.stdout.splitlines()[-1])


@pytest.mark.parametrize("frames", FRAMES)
def test_windows_of_any_length_equal_pytorch(found: dict[str, Any], frames: int) -> None:
    assert found["loudness"] > 0.03
    assert found["differences"][str(frames)] <= 1e-4


def test_a_row_has_exactly_its_samples_in_a_batch(found: dict[str, Any]) -> None:
    assert found["alone"]


def test_half_precision_is_near_float32(found: dict[str, Any]) -> None:
    assert 0 < found["half"] <= 1e-2


def test_the_noise_is_that_of_pytorch(found: dict[str, Any]) -> None:
    assert found["noise"] <= 1e-6


def test_kernels_write_only_their_outputs_and_read_no_other_memory(found: dict[str, Any]) -> None:
    assert found["allocations"] > 10
    assert found["guards"] == "unchanged"
    assert found["guarded"] <= 1e-4


def random_codes(rows: int, frames: int) -> Tensor:
    return torch.randint(TINY["codebook_size"], (rows, 7, frames), generator=torch.Generator().manual_seed(frames))


@torch.inference_mode()
def report(folder: Path) -> dict[str, Any]:
    from engines.orpheus.snac_fused import FusedSnac  # imports Triton, which only CUDA builds of torch bring

    codec = read_codec(write(folder / "tiny", TINY))
    fused, half = FusedSnac(codec, torch.float32), FusedSnac(codec)
    starts = torch.tensor(STARTS)
    differences = {}
    for frames in FRAMES:
        codes = random_codes(len(STARTS), frames)
        wanted, made = codec.decode_windows(starts, codes), fused.decode_windows(starts, codes)
        assert (made.dtype, made.shape) == (torch.float32, wanted.shape)
        differences[frames] = largest(made, wanted)
    alone = fused.decode_windows(starts[1:2], codes[1:2])
    found = {
        "loudness": wanted.std().item(),
        "differences": differences,
        "alone": torch.equal(alone, made[1:2]),
        "half": ((half.decode_windows(starts, codes) - wanted).norm() / wanted.norm()).item(),
        "noise": noise_difference(fused, starts),
    }
    with guarded() as buffers:
        found["guarded"] = largest(fused.decode_windows(starts, codes), wanted)
    kept = all(buffer[part].isnan().all() for buffer in buffers for part in (slice(GUARD), slice(-GUARD, None)))
    return found | {"allocations": len(buffers), "guards": "unchanged" if kept else "changed"}


def noise_difference(fused: Any, starts: Tensor) -> float:
    frames = starts[:, None] + torch.arange(5)
    steps, noises = TINY["vq_strides"][0], fused._noise(starts, 5)
    assert len(noises) == len(TINY["decoder_rates"])
    worst = 0.0
    for block, (noise, rate) in enumerate(zip(noises, TINY["decoder_rates"], strict=True)):
        steps *= rate
        worst = max(worst, largest(noise.flatten(1), gaussian(frames, block, steps)))
    return worst


def largest(made: Tensor, wanted: Tensor) -> float:
    difference = (made - wanted).abs().max().item()
    return difference if difference == difference else float("inf")


@contextmanager
def guarded() -> Iterator[list[Tensor]]:
    """Make each new tensor a part of a larger one. All its numbers are NaN, which spread wherever a kernel reads them."""
    buffers: list[Tensor] = []
    plain = Tensor.new_empty

    def new_empty(self: Tensor, *shape: int, dtype: torch.dtype | None = None, **options: Any) -> Tensor:
        if options:  # Triton's interpreter allocates, too
            return plain(self, *shape, dtype=dtype, **options)
        size = torch.Size(shape)
        buffers.append(plain(self, size.numel() + 2 * GUARD, dtype=dtype or self.dtype).fill_(torch.nan))
        return buffers[-1][GUARD:-GUARD].view(size)

    Tensor.new_empty = new_empty  # type: ignore[method-assign, assignment]
    try:
        yield buffers
    finally:
        Tensor.new_empty = plain  # type: ignore[method-assign]


if __name__ == "__main__":
    mend_indexing()
    with tempfile.TemporaryDirectory() as name:
        print(json.dumps(report(Path(name))))
