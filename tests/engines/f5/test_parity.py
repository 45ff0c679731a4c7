"""The network and the sampler compared with f5-tts 1.1.22 on equal weights, noise and time grids."""

from collections.abc import Callable
from typing import Any

import pytest
import torch
import yaml
from torch import Tensor, nn

from bench.checkpoints import ARCH, SYMBOLS, redraw
from engines.f5.config import DiTConfig
from engines.f5.files import EMBEDDED
from engines.f5.frontend import Vocabulary
from engines.f5.mel import log_mel
from engines.f5.network import DiT
from engines.f5.sampling import FlowRow, make_schedule, start_row, time_grid
from engines.f5.stepping import EagerStepper, Flow
from tests.engines.f5.conftest import VOICES, reference
from tests.engines.f5.test_model import loaded

# Relative differences; each comment has the values measured on AVX-512 processors.
ROUNDING = 2e-6  # float32, random weights through a whole grid, and rows in a batch against alone: 3e-7 to 7e-7
TRAINED = 1e-5  # float32, trained weights through a whole grid, which amplifies rounding: 2e-6
HALF = 0.05  # bfloat16, trained weights through a whole grid: 0.025, where upstream's network in it differs by 0.6
EXACT = 1.5e-7  # float64 but for our rotation of queries and keys: 3e-8 to 7e-8; a norm's epsilon of 1e-5 gives 3e-7 or more

VARIANTS = {
    "v1": {},
    "average upsampling": {"text_embedding_average_upsampling": True},
    "v0": {"text_mask_padding": False, "pe_attn_head": 1},
    "qk norm, long skip": {"qk_norm": "rms_norm", "long_skip_connection": True},
}


def upstream_network(**arch: Any) -> nn.Module:
    from f5_tts.model.backbones.dit import (
        DiT as UpstreamDiT,
    )  # this import takes seconds, which collecting other tests does not need

    return UpstreamDiT(**arch, mel_dim=100, dropout=0.0)


def pair(**changes: object) -> tuple[nn.Module, DiT]:
    """Provide upstream's network and ours with equal random weights."""
    arch = {**ARCH, **changes}
    upstream = redraw(upstream_network(**arch, text_num_embeds=len(SYMBOLS))).eval()
    ours = DiT(DiTConfig.from_mapping(arch, len(SYMBOLS)))
    state = {name: value for name, value in upstream.state_dict().items() if not name.startswith("rotary_embed")}
    ours.load_state_dict(state)
    return upstream, ours.eval()


@pytest.fixture
def embedded() -> tuple[nn.Module, DiT, Vocabulary]:
    """Provide the shipped weights in upstream's network and in ours."""
    voice = loaded("embedded")
    arch = yaml.safe_load((EMBEDDED / "config.yaml").read_text())["model"]["arch"]
    upstream = upstream_network(**arch, text_num_embeds=voice.vocabulary.size)
    wrong = upstream.load_state_dict(voice.network.state_dict(), strict=False)
    assert wrong.unexpected_keys == [] and all(name.startswith("rotary_embed") for name in wrong.missing_keys)
    return upstream.eval(), voice.network, voice.vocabulary


def spoken(name: str, line: str, vocabulary: Vocabulary) -> tuple[Tensor, Tensor]:
    """Return a shipped reference and a line, as the engine passes them to the network."""
    voice = reference(VOICES / "references" / f"{name}.flac")
    return log_mel(torch.from_numpy(voice.audio.samples)), vocabulary.tokens(f"{voice.transcript} {line}")


def relative(found: Tensor, wanted: Tensor) -> float:
    return ((found - wanted).norm() / wanted.norm()).item()


def upstream_mel(network: nn.Module, reference: Tensor, tokens: Tensor, frames: int, steps: int, seed: int) -> Tensor:
    from f5_tts.model.cfm import CFM

    model = CFM(transformer=network, num_channels=100).eval()
    settings = {"steps": steps, "cfg_strength": 2.0, "sway_sampling_coef": -1.0, "seed": seed}
    mel, _ = model.sample(reference[None], (tokens - 1)[None], frames, **settings)
    return mel[0, len(reference) :]


def our_row(network: DiT, reference: Tensor, tokens: Tensor, frames: int, steps: int, seed: int) -> FlowRow:
    noise = torch.randn(frames, 100, generator=torch.Generator().manual_seed(seed))
    return start_row(network.context, reference, tokens, noise, make_schedule(network, time_grid(steps)), 2.0)


def finish(rows: list[FlowRow], network: DiT) -> list[Tensor]:
    flow = Flow(EagerStepper(network))
    with torch.inference_mode():
        while active := [row for row in rows if not row.done]:
            flow.advance(active)
    return [row.x for row in rows]


def inputs(seed: int, reference_frames: int, characters: int) -> tuple[Tensor, Tensor]:
    generator = torch.Generator().manual_seed(seed)
    reference = torch.randn(reference_frames, 100, generator=generator)
    return reference, torch.randint(1, len(SYMBOLS) + 1, (characters,), generator=generator)


@pytest.mark.parametrize("hidden", [False, True], ids=["conditioned", "unconditioned"])
@pytest.mark.parametrize("variant", VARIANTS)
def test_a_velocity_in_float64_equals_upstreams(variant: str, hidden: bool) -> None:
    """Compare at time 0, whose sinusoids are exact in float32; the whole grids below cover other times."""
    upstream, ours = (network.double() for network in pair(**VARIANTS[variant]))
    reference, tokens = inputs(1, 40, 30)
    noise, _ = inputs(2, 130, 1)
    x, cond = noise[None].double(), nn.functional.pad(reference, (0, 0, 0, 90))[None].double()
    time, drop = torch.zeros(1), torch.tensor([hidden])
    with torch.inference_mode():
        wanted = upstream(x, cond, (tokens - 1)[None], time.double(), drop_audio_cond=hidden, drop_text=hidden)
        found = ours(x, ours.context(cond * (not hidden), tokens[None], drop), ours.modulation(time))
    assert relative(found, wanted) < EXACT


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("steps", [7, 16, 9])
def test_a_single_request_equals_upstream(variant: str, steps: int) -> None:
    upstream, ours = pair(**VARIANTS[variant])
    reference, tokens = inputs(1, 40, 30)
    with torch.inference_mode():
        wanted = upstream_mel(upstream, reference, tokens, 130, steps, seed=5)
        found = finish([our_row(ours, reference, tokens, 130, steps, seed=5)], ours)[0][40:]
    assert relative(found, wanted) < ROUNDING


def test_the_embedded_weights_equal_upstream(embedded: tuple[nn.Module, DiT, Vocabulary]) -> None:
    upstream, ours, vocabulary = embedded
    mel, tokens = spoken("amber", "The bridge is out, take the long way round.", vocabulary)
    frames, steps = len(mel) + 100, 5
    with torch.inference_mode():
        wanted = upstream_mel(upstream, mel, tokens, frames, steps, seed=5)
        found = finish([our_row(ours, mel, tokens, frames, steps, seed=5)], ours)[0][len(mel) :]
    assert relative(found, wanted) < TRAINED


@pytest.mark.long
def test_the_embedded_weights_in_bfloat16_are_closer_to_float32_than_upstream(
    embedded: tuple[nn.Module, DiT, Vocabulary],
) -> None:
    upstream, _, vocabulary = embedded
    mel, tokens = spoken("amber", "The bridge is out, take the long way round.", vocabulary)
    frames, steps = len(mel) + 100, 5
    ours = loaded("embedded", torch.bfloat16).network
    with torch.inference_mode():
        exact, wanted = (
            upstream_mel(network(), mel, tokens, frames, steps, seed=5).float()
            for network in (upstream.float, upstream.bfloat16)
        )
        found = finish([our_row(ours, mel, tokens, frames, steps, seed=5)], ours)[0][len(mel) :]
    assert ROUNDING < relative(found, exact) < min(HALF, relative(wanted, exact))


def test_a_batch_with_the_embedded_weights_equals_single_rows(
    embedded: tuple[nn.Module, DiT, Vocabulary],
) -> None:
    _, ours, vocabulary = embedded
    orders = [("amber", "Wait here.", 80, 2), ("basil", "The gate is open, so run.", 130, 1), ("delia", "No.", 40, 3)]

    def rows() -> list[FlowRow]:
        said = [(*spoken(name, line, vocabulary), more, steps) for name, line, more, steps in orders]
        return [our_row(ours, mel[:150], tokens, 150 + more, steps, seed=3) for mel, tokens, more, steps in said]

    with torch.inference_mode():
        together = finish(rows(), ours)
        alone = [finish([row], ours)[0] for row in rows()]
    assert max(relative(a, b) for a, b in zip(together, alone, strict=True)) < ROUNDING


@pytest.mark.parametrize("variant", VARIANTS)
def test_a_batch_equals_single_rows(variant: str) -> None:
    _, ours = pair(**VARIANTS[variant])
    sizes = [(40, 30, 130, 7), (25, 50, 90, 5), (60, 20, 161, 16)]
    make: Callable[[], list[FlowRow]] = lambda: [  # noqa: E731
        our_row(ours, *inputs(seed, frames, characters), total, steps, seed)
        for seed, (frames, characters, total, steps) in enumerate(sizes)
    ]
    with torch.inference_mode():
        together = finish(make(), ours)
        alone = [finish([row], ours)[0] for row in make()]
    assert max(relative(a, b) for a, b in zip(together, alone, strict=True)) < ROUNDING


@pytest.mark.parametrize("block", ["attn.to_v", "attn_norm.linear", "ff.ff.2"])
def test_a_broken_block_breaks_parity(block: str) -> None:
    upstream, ours = pair()
    reference, tokens = inputs(1, 40, 30)
    with torch.inference_mode():
        wanted = upstream_mel(upstream, reference, tokens, 130, 7, seed=5)
        ours.get_submodule(f"transformer_blocks.1.{block}").weight.mul_(0.98)  # type: ignore[operator, union-attr]
        found = finish([our_row(ours, reference, tokens, 130, 7, seed=5)], ours)[0][40:]
    assert relative(found, wanted) > 1e-3


def test_every_block_changes_the_output() -> None:
    """Check that every block changes the output; otherwise parity would prove nothing."""
    _, ours = pair()
    reference, tokens = inputs(1, 40, 30)
    with torch.inference_mode():
        whole = finish([our_row(ours, reference, tokens, 130, 5, seed=5)], ours)[0]
        for index in range(len(ours.transformer_blocks)):
            _, lesser = pair()
            lesser.transformer_blocks[index].attn.to_out[0].weight.zero_()
            lesser.transformer_blocks[index].ff.ff[2].weight.zero_()
            assert relative(finish([our_row(lesser, reference, tokens, 130, 5, seed=5)], lesser)[0], whole) > 0.01


def test_rows_join_and_leave_between_steps() -> None:
    _, ours = pair()
    with torch.inference_mode():
        early = our_row(ours, *inputs(1, 40, 30), 130, 7, seed=1)
        late = our_row(ours, *inputs(2, 30, 20), 100, 7, seed=2)
        flow = Flow(EagerStepper(ours))
        for _ in range(3):
            flow.advance([early])
        finish([early, late], ours)
        alone = finish([our_row(ours, *inputs(2, 30, 20), 100, 7, seed=2)], ours)[0]
    assert relative(late.x, alone) < ROUNDING
