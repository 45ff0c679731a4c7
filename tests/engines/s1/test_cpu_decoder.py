"""The CPU kernels compared with torch: equal codes for equal noise in any batch, and the fallback."""

import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import Tensor

from engines.base import Checkpoint, EngineJob, Finished, Spoke
from engines.codec_lm.cpu_compiling import CpuCompiling
from engines.codec_lm.decode_state import Sampling
from engines.codec_lm.decoding import Decoder
from engines.codec_lm.engine import CodecLmEngine
from engines.registry import EngineOptions
from engines.s1.cpu_decoder import CpuDecoder
from engines.s1.engine import make_engine
from engines.s1.frame_step import CPU_KERNELS, make_decoder
from engines.s1.model import S1Model
from engines.s1.network import DualAR
from engines.types import Audio, Reference, Request, Samples
from tests.engines.s1.conftest import read

EMBEDDED = Path(__file__).parents[3] / "assets/voices/s1/checkpoint"
FRAMES, LENGTH = 200, 400
Drawing = Callable[[int], Tensor]


@pytest.fixture(scope="module", params=[pytest.param("random", marks=pytest.mark.long), "quantised", "embedded"])
def drawn_by(request: pytest.FixtureRequest, model: S1Model, folder: Path) -> S1Model:
    """Random weights have a projection between the stacks, a separate head and scaled frames; the shipped ones do not.

    The kernels of float32 weights take long to compile.
    """
    makers = {"random": lambda: model, "quantised": lambda: read(folder, "int8"), "embedded": lambda: read(EMBEDDED)}
    return makers[request.param]()


def started(model: S1Model, rows: list[int]) -> Decoder:
    decoder = make_decoder(model.network, len(rows), LENGTH)
    for slot, row in enumerate(rows):
        generator = torch.Generator().manual_seed(row)
        prompt = torch.randn(40 + 17 * row, model.network.config.slow.dim, generator=generator) * 0.5
        decoder.prefiller.state.prefill(slot, prompt[:-1], 0)
        sampling = Sampling(
            seed=2**33 + row, temperature=0.8, top_p=0.5 + 0.15 * row, repetition_penalty=1.0 + 0.4 * row
        )
        decoder.state.start_row(slot, prompt[-1], len(prompt) - 1, sampling)
    return decoder


def by_kernels(decoder: Decoder) -> Drawing:
    compiling = CpuCompiling(CPU_KERNELS, lambda: CpuDecoder(network_of(decoder), decoder.state), "")
    compiling.run()
    return compiling.draw


def network_of(decoder: Decoder) -> DualAR:
    network = decoder.state.network
    assert isinstance(network, DualAR)
    return network


def by_torch(decoder: Decoder) -> Drawing:
    return lambda rows: decoder.draw(rows, int(decoder.state.positions[:rows].max()))


@torch.inference_mode()
def frames(model: S1Model, rows: list[int], drawing: Callable[[Decoder], Drawing], count: int = FRAMES) -> Tensor:
    """Generate (count, rows, codebooks) codes."""
    decoder = started(model, rows)
    draw = drawing(decoder)
    return torch.stack([draw(len(rows)) for _ in range(count)])


@pytest.mark.long
def test_the_same_noise_gives_torchs_codes_for_200_frames(drawn_by: S1Model) -> None:
    wanted = frames(drawn_by, [0, 1, 2], by_torch)
    found = frames(drawn_by, [0, 1, 2], by_kernels)
    assert torch.equal(found, wanted)
    assert len(set(found[:, 0, 0].tolist())) > 25


def test_the_first_frames_of_a_dozen_rows_have_torchs_history(drawn_by: S1Model) -> None:
    rows = list(range(12))
    assert torch.equal(frames(drawn_by, rows, by_kernels, 20), frames(drawn_by, rows, by_torch, 20))


@torch.inference_mode()
def test_the_state_equals_torchs_up_to_rounding(drawn_by: S1Model) -> None:
    ours, theirs = (started(drawn_by, [0, 2]) for _ in range(2))
    draws = by_kernels(ours), by_torch(theirs)
    for _ in range(20):
        assert torch.equal(*(draw(2) for draw in draws))
    for name in ("positions", "numbers", "recent", "seeds"):
        assert torch.equal(getattr(ours.state, name), getattr(theirs.state, name))
    for name in ("pending", "cache"):
        found, wanted = getattr(ours.state, name), getattr(theirs.state, name)
        assert ((found - wanted).norm() / wanted.norm()).item() < 1e-5


def test_a_single_row_has_exactly_its_codes_in_a_batch(drawn_by: S1Model) -> None:
    company = frames(drawn_by, [2, 0, 1], by_kernels, 40)
    for place, row in enumerate([2, 0, 1]):
        assert torch.equal(frames(drawn_by, [row], by_kernels, 40)[:, 0], company[:, place])


@pytest.mark.long
def test_a_change_of_one_weight_in_fifty_by_two_percent_is_detected(drawn_by: S1Model) -> None:
    def broken(decoder: Decoder) -> Drawing:
        draw = by_kernels(decoder)
        norms: Samples = draw.__self__._arguments[1].attention_norm  # type: ignore[attr-defined]
        norms[:, ::50] *= 1.02
        return draw

    assert not torch.equal(frames(drawn_by, [0], broken), frames(drawn_by, [0], by_torch))


def test_exact_int8_weights_are_stored_as_int8_and_others_unchanged(model: S1Model) -> None:
    assert [CpuDecoder(each.network, started(each, [0]).state).dtype for each in (model, read(EMBEDDED))] == [
        "float32",
        "int8",
    ]


def warmed(folder: Path, cache: str, compile: str = "auto") -> CodecLmEngine:
    engine = make_engine(EngineOptions(name="cpu", max_batch=2, cache_dir=cache, compile=compile))
    for _ in engine.load(Checkpoint(str(folder))):
        pass
    for _ in engine.warm():
        pass
    return engine


def spoken(engine: CodecLmEngine, seed: int, company: bool = False) -> Samples:
    noise = np.random.default_rng(1).normal(0, 0.1, 16_000).astype(np.float32)
    request = Request(
        text="some words that are to be said.", engine="s1", seed=seed,
        reference=Reference(Audio(noise, 16_000), "what was said."),
    )  # fmt: skip
    engine.admit(EngineJob("wanted", request))
    if company:
        engine.step()
        engine.admit(EngineJob("other", Request(**{name: getattr(request, name) for name in request.__slots__})))
    heard: list[Samples] = []
    while True:
        for event in engine.step():
            if isinstance(event, Spoke) and event.job_id == "wanted":
                heard.append(event.audio.samples)
            if isinstance(event, Finished) and event.job_id == "wanted":
                engine.drop("other")
                return np.concatenate(heard)


@pytest.mark.long
def test_a_compiled_engine_on_a_cpu_speaks_like_torch_and_depends_only_on_its_seed(tmp_path: Path) -> None:
    plain, engine = (warmed(EMBEDDED, str(tmp_path), compile) for compile in ("off", "auto"))
    assert engine.info.compiled and not plain.info.compiled
    wanted = spoken(plain, 5)
    alone, company = spoken(engine, 5), spoken(engine, 5, company=True)
    for found in (alone, company):
        assert len(found) == len(wanted)
        assert np.abs(found - wanted).max() < 1e-4


def test_without_a_compiler_it_uses_torch_and_reports_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("numba.config.CACHE_DIR", str(tmp_path))  # an empty cache
    monkeypatch.setattr("sys.executable", shutil.which("false"))
    engine = warmed(EMBEDDED, str(tmp_path))
    assert not engine.info.compiled
    assert "slower" in engine.info.note
    assert len(spoken(engine, 5)) > 24_000


@pytest.mark.long
def test_an_engine_is_imported_without_numba() -> None:
    code = "import sys, engines.s1.engine; sys.exit('numba' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False, cwd=EMBEDDED.parents[3]).returncode == 0
