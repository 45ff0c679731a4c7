"""The persistent kernel for a single row of S1-Mini's size gives the frames of the other kernels."""

import pytest
import torch

from bench.s1_resident import drawn_network, parity
from engines.s1.frame_step import make_decoder
from engines.s1.network import DualAR


@pytest.fixture(scope="module")
def network() -> DualAR:
    return drawn_network()


def test_its_logits_are_as_close_to_float32_and_its_codes_equal_the_other_kernels(network: DualAR) -> None:
    found = parity(network)
    assert found["logits_from_float32"] <= found["logits_from_float32_as_written"]
    assert found["codes_differ"] <= 0.05  # draws between near-equal scores, which rounding decides
    assert found["caches_differ"] <= 0.02


@torch.inference_mode()
def test_a_decoder_uses_it_until_another_row_joins(network: DualAR) -> None:
    decoder = make_decoder(network, 2, 256, compile=True)
    if decoder.single is None:
        pytest.skip("this GPU has too few multiprocessors or too little shared memory")
    for rows in (1, 2):
        decoder.warm(rows)
    own = decoder.single.drawn
    before = int(decoder.state.numbers[0])
    for rows in (1, 1, 2, 1):
        own.fill_(-1)
        codes = decoder.step(rows, 255).value()
        assert torch.equal(own.cpu(), codes) == (rows == 1)  # nothing else writes there
    assert int(decoder.state.numbers[0]) == before + 4
    torch.cuda.synchronize()
