"""The persistent kernel on a CPU: every GPU thread is a fiber, and their order is random."""

import ctypes
import subprocess
from collections.abc import Callable
from copy import deepcopy
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from bench import s1_checkpoints
from engines.codec_lm.decode_state import DecodeState, Sampling
from engines.codec_lm.decoding import Decoder
from engines.s1.config import DualARConfig, StackConfig
from engines.s1.frame_step import make_decoder
from engines.s1.network import DualAR
from engines.s1.resident import compiling
from engines.s1.resident.compiling import SOURCES, machine_code
from engines.s1.resident.frame import Arguments, ResidentFrame
from engines.s1.resident.sizes import divides, sizes

SIZES = {"GRID": 4, "WARPS": 4, "SLOTS": 5}
RESIDUAL, LENGTH, PROMPT, FRAMES = 128, 200, 40, 2
MINI = DualARConfig.from_mapping(s1_checkpoints.FULL.network)
Run = Callable[[ResidentFrame, int], None]

SLOW = StackConfig(
    dim=512, layers=2, heads=4, kv_heads=2, head_dim=128, intermediate=1024, rope_base=1e6, norm_eps=1e-6,
    qkv_bias=False, o_bias=False, qk_norm=True,
)  # fmt: skip
CONFIG = DualARConfig(
    slow=SLOW, fast=replace(SLOW, heads=8, kv_heads=4, head_dim=64, qk_norm=False), vocabulary_size=600,
    codebook_size=256, codebooks=3, max_positions=256, tied=True, scaled=True,
)  # fmt: skip


@pytest.fixture(scope="module")
def network() -> DualAR:
    torch.manual_seed(0)
    made = DualAR(CONFIG, semantic_begin=300, semantic_count=256, end_token=290, residual_size=RESIDUAL)
    tables = made.slow_table, made.fast_table
    with torch.no_grad():
        for weight in made.parameters():
            if weight.dim() == 1:
                weight.uniform_(0.5, 1.5)
            else:
                weight.normal_(0, weight.shape[1] ** -0.5)
        made.embeddings.weight *= 8
        made.fast_output.weight *= 3
    made = made.to(torch.bfloat16).requires_grad_(False)
    made.slow_table, made.fast_table = tables
    return made


@pytest.fixture(scope="module")
def run(network: DualAR, tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Generate a frame; the number seeds the order of threads and copies."""
    library = tmp_path_factory.mktemp("resident") / "frame.so"
    command = ["g++", "-std=c++20", "-O2", "-shared", "-fPIC", f"-I{SOURCES[0].parent}", "-o", str(library)]
    command += [f"-D{name}={value}" for name, value in sizes(CONFIG, 256, RESIDUAL, **SIZES).items()]
    subprocess.run([*command, str(Path(__file__).with_name("emulated.cpp"))], check=True)
    emulated = ctypes.CDLL(str(library))
    assert emulated.arguments_bytes() == ctypes.sizeof(Arguments)

    def draw(frame: ResidentFrame, order: int) -> None:
        assert emulated.run(ctypes.c_void_p(frame.arguments.data_ptr()), order) == 0, "it went on no more"

    return draw


def begun(network: DualAR, length: int = PROMPT) -> Decoder:
    decoder = make_decoder(network, 1, LENGTH)
    prompt = torch.randn(length, CONFIG.slow.dim, generator=torch.Generator().manual_seed(3)).bfloat16()
    decoder.state.prefill(0, prompt[:-1], 0)
    decoder.state.start_row(
        0, prompt[-1], length - 1, Sampling(seed=5, temperature=0.7, top_p=0.7, repetition_penalty=1.2)
    )
    return decoder


def resident(network: DualAR, state: DecodeState) -> ResidentFrame:
    return ResidentFrame(network, state, SIZES)


def logits(network: DualAR, state: DecodeState) -> torch.Tensor:
    """Return the next semantic logits by PyTorch, in the network's precision."""
    dtype, stop = network.norm.weight.dtype, int(state.positions[0]) + 1
    cache = state.cache[..., :stop, :].to(dtype, copy=True)
    hidden = network.hidden_states(state.pending[:, None].to(dtype), state.positions[:, None], cache)
    return network.semantic_logits(hidden[:, 0]).float()


@pytest.fixture(scope="module")
def exact(network: DualAR) -> DualAR:
    made = deepcopy(network).float()
    made.slow_table, made.fast_table = network.slow_table, network.fast_table
    return made


def test_a_frame_has_the_codes_of_torchs_frame(network: DualAR, exact: DualAR, run: Run) -> None:
    decoder, alone = begun(network), begun(network).state
    decoder.state.numbers.fill_(5)
    decoder.state.recent.random_(RESIDUAL, generator=torch.Generator().manual_seed(1))
    frame = resident(network, alone)
    for number in range(FRAMES):
        for held, other in zip(
            (alone.cache, *alone.changing), (decoder.state.cache, *decoder.state.changing), strict=True
        ):
            held.copy_(other)
        right, written = logits(exact, alone), logits(network, alone)
        run(frame, number)
        assert torch.equal(frame.drawn, decoder.draw(1, LENGTH - 1))
        assert (frame.semantic_logits() - right).norm() <= (written - right).norm()
        for held, other in zip(alone.changing, decoder.state.changing, strict=True):
            torch.testing.assert_close(held, other, atol=0.01, rtol=0)  # torch rounds after each embedding
        torch.testing.assert_close(alone.cache, decoder.state.cache, atol=0.05, rtol=0.02)  # products round differently


@pytest.mark.parametrize("length", [1, LENGTH])
def test_its_logits_are_close_to_float32_at_the_first_and_last_position(
    network: DualAR, exact: DualAR, run: Run, length: int
) -> None:
    state = begun(network, length).state
    frame, right, written = resident(network, state), logits(exact, state), logits(network, state)
    run(frame, 0)
    assert (frame.semantic_logits() - right).norm() <= (written - right).norm()


def test_it_does_not_depend_on_the_order_of_threads(network: DualAR, run: Run) -> None:
    made = []
    for order in range(2):
        state = begun(network).state
        run(resident(network, state), order)
        made.append((state.cache.clone(), state.pending.clone()))
    assert torch.equal(made[0][0], made[1][0])
    assert torch.equal(made[0][1], made[1][1])


def test_it_ends_at_once_with_empty_arguments(network: DualAR, run: Run) -> None:
    state = begun(network).state
    frame = resident(network, state)
    frame.arguments.zero_()
    run(frame, 0)
    assert int(state.positions[0]) == PROMPT - 1


def test_an_uninitialised_row_ends_too(network: DualAR, run: Run) -> None:
    state = DecodeState(network, 1, LENGTH)  # temperature, nucleus and penalty are 0
    state.numbers.fill_(5)
    frame = resident(network, state)
    run(frame, 0)
    assert frame.drawn.min() >= 0 and frame.drawn[0, 0] <= 256 and frame.drawn[0, 1:].max() < RESIDUAL


def test_it_compiles_for_s1_mini_and_is_cached_unless_the_file_is_damaged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mini = sizes(MINI, semantic=4096, residual=1024)
    made = machine_code(mini, "sm_90", tmp_path)
    (kept,) = tmp_path.iterdir()
    monkeypatch.setattr(compiling, "_compile_in_process", lambda *_: b"compiled again")
    assert machine_code(mini, "sm_90", tmp_path) == made
    kept.write_bytes(kept.read_bytes()[:-1])
    assert machine_code(mini, "sm_90", tmp_path) == b"compiled again"


def test_sizes_that_do_not_fit_raise_the_compilers_message(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError, match="assertion failed"):
        machine_code(sizes(MINI, semantic=4096, residual=1024, SLOTS=64), "sm_90", tmp_path)
    assert not list(tmp_path.iterdir())


def test_it_supports_evenly_divided_sizes() -> None:
    assert divides(MINI, 4096, 1024)
    assert not divides(MINI, 4096, 1000)
    assert not divides(replace(MINI, slow=replace(MINI.slow, qkv_bias=True)), 4096, 1024)
    assert not divides(CONFIG, 256, RESIDUAL)
