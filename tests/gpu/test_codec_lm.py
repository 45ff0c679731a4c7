"""A codec language model other than S1 on a GPU: its steps, prompts and packets run in CUDA graphs."""

from pathlib import Path

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from engines.base import Checkpoint
from engines.codec_lm import fused_layers
from engines.codec_lm import plan as planning
from engines.codec_lm.decode_state import DecodeState, Sampling
from engines.codec_lm.decoding import Decoder
from engines.codec_lm.engine import CodecLmEngine
from engines.codec_lm.layers import RMSNorm
from engines.codec_lm.streaming import Packet
from engines.codec_lm.token_step import TokenStep
from engines.codec_lm.windowed_streams import WindowedStreams
from engines.registry import EngineOptions
from tests.engines.codec_lm.test_toy import job
from tests.engines.codec_lm.toy import CODES, HOP, STACK, STEPS, ToyCodec, ToyNetwork, make_engine
from tests.engines.s1.test_engine import Listener

CARD = torch.device("cuda", 0)
ROWS, LENGTH, FRAMES = 3, 256, 60


@pytest.fixture(autouse=True)
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    """Stop speech of random weights, which rarely ends by itself, sooner than that of trained ones."""
    monkeypatch.setattr(planning, "ROOM_S", 0.3)
    monkeypatch.setattr(planning, "SLOWEST_CHARACTERS_PER_S", 20.0)


@torch.inference_mode()
def started(compile: bool) -> Decoder:
    torch.manual_seed(3)
    network = ToyNetwork().requires_grad_(False).to(CARD)
    state = DecodeState(network, ROWS, LENGTH)
    decoder = Decoder(TokenStep(network, state, compile), state, compile)
    for rows in range(1, ROWS + 1):
        decoder.warm(rows)
    generator = torch.Generator().manual_seed(1)
    for slot in range(ROWS):
        prompt = torch.randn(20 + slot, STACK.dim, generator=generator).to(CARD)
        state.prefill(slot, prompt[:-1], 0)
        sampling = Sampling(seed=slot, temperature=0.9, top_p=0.9, repetition_penalty=1.2)
        state.start_row(slot, prompt[-1], len(prompt) - 1, sampling)
    return decoder


def test_recorded_steps_give_the_codes_of_eager_steps() -> None:
    eager, recorded = started(compile=False), started(compile=True)
    assert [choice.backend for choice in recorded.choices] == ["triton", "graphs"]
    with torch.inference_mode():
        codes = [[each.step(ROWS, 25 + number).value() for number in range(FRAMES)] for each in (eager, recorded)]
    assert recorded.compiled is not None and recorded.compiled.active
    assert torch.equal(torch.stack(codes[0]), torch.stack(codes[1]))


def test_recorded_windows_give_the_audio_of_eager_windows() -> None:
    torch.manual_seed(2)
    codec = ToyCodec().requires_grad_(False).to(CARD)
    codes = torch.randint(CODES, (STEPS, 40))
    made = []
    for compile in (False, True):
        streams = WindowedStreams(codec, 2, compile)
        for _ in streams.warm():
            pass
        slot, audio = streams.open(), []
        for packet in codes.split([3, 6, 12, 19], 1):
            sound = streams.decode([Packet(slot, packet, last=packet.shape[1] == 19)])
            audio.append(sound.samples.value()[0, : sound.lengths[0]])
        made.append(torch.cat(audio))
    assert len(made[0]) == HOP * 40
    assert torch.allclose(*made, atol=1e-4)


@torch.inference_mode()
def test_fused_layers_rotate_halves_like_the_layers() -> None:
    from engines.codec_lm.fused_layers import FusedLayers  # imports Triton, which only CUDA builds of torch bring

    torch.manual_seed(4)
    network = ToyNetwork().requires_grad_(False).to(CARD)
    eager, fused = DecodeState(network, 2, LENGTH), DecodeState(network, 2, LENGTH)
    layers = FusedLayers(STACK, network.layers, network.table, rows=2)
    for number in range(40):
        x = torch.randn(2, STACK.dim, generator=torch.Generator().manual_seed(number)).to(CARD)
        positions = torch.full((2,), number, device=CARD)
        wanted = network.hidden_states(x[:, None], positions[:, None], eager.cache)[:, 0]
        layers.run(x, fused.cache, layers.newest(positions, 2))
        assert torch.allclose(x, wanted, atol=1e-4)


def test_the_toy_engine_speaks_in_graphs(tmp_path: Path) -> None:
    engine: CodecLmEngine = make_engine(EngineOptions(name="cuda", max_batch=4, cache_dir=str(tmp_path)))
    for _ in engine.load(Checkpoint("embedded")):
        pass
    for _ in engine.warm():
        pass
    assert engine.info.compiled
    jobs = [job(number, "word " * (3 + number)) for number in range(4)]
    listener = Listener(engine)
    for each in jobs:
        engine.admit(each)
        listener.step()
    listener.finish(*jobs)
    assert all(len(listener.audio(each)) > 0 for each in jobs)
    engine.close()


@pytest.mark.parametrize(("outputs", "inputs", "gated"), [(5120, 3072, False), (8192, 3072, True), (3072, 8192, False)])
@torch.inference_mode()
def test_large_products_equal_those_of_torch_and_do_not_depend_on_the_number_of_rows(
    outputs: int, inputs: int, gated: bool
) -> None:
    """The sizes are those of Orpheus."""
    torch.manual_seed(4)
    linear, gate = (nn.Linear(inputs, outputs, bias=False, device=CARD, dtype=torch.bfloat16) for _ in range(2))
    assert linear.weight.numel() * (1 + gated) >= fused_layers.LARGE
    norm = RMSNorm(inputs, 1e-5).to(CARD, torch.bfloat16)
    x = torch.randn(2, inputs, device=CARD, dtype=torch.bfloat16)
    found = [
        fused_layers._product(rows, linear.weight, norm=norm, gate=gate.weight if gated else None).float()
        for rows in (x[:1].clone(), x)
    ]
    normed = F.rms_norm(x.double(), (inputs,), eps=1e-5)
    wanted = normed @ linear.weight.double().t()
    if gated:
        wanted = F.silu(wanted) * (normed @ gate.weight.double().t())
    assert (found[1] - wanted).norm() < 0.01 * wanted.norm()
    assert torch.equal(found[0][0], found[1][0])


# Temperature, nucleus and repetition penalty of each row.
SETTINGS = [(0.8, 0.95, 1.0), (0.6, 0.8, 1.3), (1.0, 1.0, 1.1), (1e-9, 0.9, 1.0)]


class Tokens(ToyNetwork):
    """A network whose hidden states are its logits."""

    ends, penalty_steps, device, dtype = 2, 70, CARD, torch.float32

    def __init__(self, codes: int, period: int, top_k: int) -> None:
        super().__init__()
        self.codes, self.period, self.top_k = codes, period, top_k
        self.norm = nn.Identity()  # type: ignore[assignment]
        self.rows = nn.Parameter(torch.randn(period * codes + self.ends, STACK.dim))
        self.to(CARD).requires_grad_(False)

    @property
    def code_head(self) -> torch.Tensor:
        return torch.eye(len(self.rows), device=CARD)

    @property
    def code_embeddings(self) -> torch.Tensor:
        return self.rows


@pytest.mark.parametrize(("codes", "period", "top_k"), [(8192, 1, 50), (4096, 7, 0)])
@torch.inference_mode()
def test_the_kernel_samples_torchs_tokens(codes: int, period: int, top_k: int) -> None:
    """The sizes are those of Spark-TTS and Orpheus."""
    from engines.codec_lm.fused_token_step import FusedTokenStep

    network = Tokens(codes, period, top_k)
    by_kernel, by_torch = (DecodeState(network, len(SETTINGS), 64) for _ in range(2))
    for state in (by_kernel, by_torch):
        for row, (temperature, top_p, penalty) in enumerate(SETTINGS):
            sampling = Sampling(seed=2**40 + row, temperature=temperature, top_p=top_p, repetition_penalty=penalty)
            state.start_row(row, torch.zeros(network.stack.dim, device=CARD), row, sampling)
    kernel = FusedTokenStep(network, by_kernel)
    for step in range(16):
        logits = 3 * torch.randn(len(SETTINGS), period * codes + network.ends, device=CARD)
        wanted = TokenStep(network, by_torch, compile=False)._choose(logits, len(SETTINGS))
        kernel._choose(logits)
        assert torch.equal(kernel._drawn, wanted[:, 0]), step
    for name in ("positions", "numbers", "recent", "pending"):
        assert torch.equal(getattr(by_kernel, name), getattr(by_torch, name)), name
