"""F5's kernels without a GPU: interpreted against torch in a process of its own (`python -m tests.engines.f5.test_kernels`).

Triton reads whether to interpret when it is imported, so a test cannot do this in its own process.
"""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor

from engines.f5.embeddings import ConvPositionEmbedding
from engines.f5.network import rotate
from engines.f5.packing import attend, pack

pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(sys.platform != "linux", reason="Triton is built for Linux alone"),
]


def test_convolutions_rotations_and_attention_are_torchs_and_zero_between_sequences() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tests.engines.f5.test_kernels"],
        cwd=Path(__file__).parents[3],
        env={**os.environ, "TRITON_INTERPRET": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-4000:]
    found = json.loads(done.stdout.splitlines()[-1])
    assert found["convolution"] < 1e-6
    assert found["rotation"] < 1e-6
    assert found["attention"] < 1e-6
    assert found["between"] == 0.0


@torch.inference_mode()
def interpret() -> dict[str, float]:
    """How far the kernels are from torch on rows of two lengths, one guided; and what they put where nobody is."""
    import triton.runtime.interpreter as interpreter

    plain = interpreter._patch_lang_tensor

    def patched(tensor: Any, scope: Any) -> None:
        plain(tensor, scope)
        scope.set_attr(
            tensor, "__index__", lambda self: self.handle.data.item()
        )  # numpy no longer allows Triton 3.6's way

    interpreter._patch_lang_tensor = patched
    from engines.f5 import kernels

    torch.manual_seed(1)
    packing = pack([(70, 2), (30, 1)], frames=260, sequences=4)
    inside = packing.position >= 0
    layers = ConvPositionEmbedding(96)
    x = torch.randn(260, 96) * inside[:, None]
    convolved = kernels.convolve(kernels.convolve(x, inside, layers.conv1d[0]), inside, layers.conv1d[2])  # type: ignore[arg-type]
    qkv, angles = torch.randn(260, 3, 4, 24), torch.randn(260, 1, 12)
    rotated = kernels.rotate(qkv, angles.cos(), angles.sin(), 3)
    wanted = torch.cat(
        (rotate(qkv[:, :2, :3].flatten(1, 2)[None], angles.cos(), angles.sin()).view(260, 2, 3, 24), qkv[:, :2, 3:]),
        dim=2,
    )
    q, k, v = qkv.unbind(1)
    attended = kernels.attend(q, k, v, packing.starts, packing.lengths)
    return {
        "convolution": relative(convolved[inside], layers(x[None], inside[:, None])[0][inside]),
        "rotation": relative(rotated, wanted),
        "attention": relative(attended[inside], attend(q[None], k[None], v[None], packing)[0][inside]),
        "between": max(each[~inside].abs().max().item() for each in (convolved, attended)),
    }


def relative(found: Tensor, wanted: Tensor) -> float:
    return ((found - wanted).norm() / wanted.norm()).item()


if __name__ == "__main__":
    print(json.dumps(interpret()))
