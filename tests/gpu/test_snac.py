"""The SNAC decoder's kernels on a GPU, at the published size."""

import pytest
import torch
from torch import Tensor

from engines.orpheus.snac import Snac, gaussian
from engines.orpheus.snac_files import read_codec
from tests.engines.orpheus.snac_weights import PUBLISHED, write

CARD = torch.device("cuda", 0)
STARTS = (0, 7, 2**20 + 1)  # first frames of the rows
FRAMES = (1, 7, 10)  # lengths of windows


@pytest.fixture(scope="module")
def codec(tmp_path_factory: pytest.TempPathFactory) -> Snac:
    return read_codec(write(tmp_path_factory.mktemp("snac") / "published", PUBLISHED)).to(CARD)


@pytest.fixture(autouse=True)
def exact(monkeypatch: pytest.MonkeyPatch) -> None:
    """Compute the wanted audio without TF32."""
    monkeypatch.setattr(torch.backends.cudnn, "allow_tf32", False)
    monkeypatch.setattr(torch.backends.cuda.matmul, "allow_tf32", False)


def windows(frames: int) -> tuple[Tensor, Tensor]:
    generator = torch.Generator().manual_seed(frames)
    codes = torch.randint(PUBLISHED["codebook_size"], (len(STARTS), 7, frames), generator=generator)
    return torch.tensor(STARTS, device=CARD), codes.to(CARD)


@pytest.mark.parametrize("frames", FRAMES)
@torch.inference_mode()
def test_float32_kernels_give_pytorchs_audio(codec: Snac, frames: int) -> None:
    from engines.orpheus.snac_fused import FusedSnac  # imports Triton, which only CUDA builds of torch bring

    wanted = codec.decode_windows(*windows(frames))
    made = FusedSnac(codec, torch.float32).decode_windows(*windows(frames))
    assert wanted.std() > 0.03
    assert (made - wanted).abs().max() <= 1e-3


@pytest.mark.parametrize("frames", FRAMES)
@torch.inference_mode()
def test_half_precision_is_near_float32(codec: Snac, frames: int) -> None:
    from engines.orpheus.snac_fused import FusedSnac

    wanted = codec.decode_windows(*windows(frames))
    made = FusedSnac(codec).decode_windows(*windows(frames))
    assert made.dtype == torch.float32
    assert (made - wanted).norm() / wanted.norm() <= 1e-2


@torch.inference_mode()
def test_the_noise_is_exactly_that_of_pytorch(codec: Snac) -> None:
    from engines.orpheus.snac_fused import FusedSnac

    starts, _ = windows(10)
    steps, frames = PUBLISHED["vq_strides"][0], starts[:, None] + torch.arange(10, device=CARD)
    noises = FusedSnac(codec)._noise(starts, 10)
    for block, (noise, rate) in enumerate(zip(noises, PUBLISHED["decoder_rates"], strict=True)):
        steps *= rate
        assert torch.equal(noise.flatten(1), gaussian(frames, block, steps))


@torch.inference_mode()
def test_a_recorded_graph_gives_the_audio_of_eager_kernels(codec: Snac) -> None:
    from engines.orpheus.snac_fused import FusedSnac

    fused = FusedSnac(codec)
    starts, codes = windows(10)
    held_starts, held_codes = torch.zeros_like(starts), torch.zeros_like(codes)
    stream = torch.cuda.Stream(CARD)
    stream.wait_stream(torch.cuda.current_stream(CARD))
    with torch.cuda.stream(stream):
        fused.decode_windows(held_starts, held_codes)  # compiles
    stream.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):  # raises if a kernel synchronises
        made = fused.decode_windows(held_starts, held_codes)
    held_starts.copy_(starts)
    held_codes.copy_(codes)
    graph.replay()
    assert torch.equal(made, fused.decode_windows(starts, codes))
