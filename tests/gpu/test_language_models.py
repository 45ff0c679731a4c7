"""Orpheus and Spark-TTS on a GPU: their steps, prompts and packets run in CUDA graphs and give finite audio."""

from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from torch import nn

from bench import orpheus_checkpoints, spark_checkpoints
from engines.base import Checkpoint, Finished
from engines.codec_lm import fused_layers
from engines.codec_lm import plan as planning
from engines.codec_lm.engine import CodecLmEngine
from engines.codec_lm.layers import RMSNorm
from engines.registry import EngineOptions, spec
from engines.runtime import quantization as quantizing
from engines.spark.bicodec_files import read_bicodec
from engines.spark.features import read_features
from engines.spark.mel import SAMPLE_RATE
from engines.spark.reference_encoder import LENGTHS, BiCodecEncoder
from tests.engines.s1.test_engine import Listener, job
from tests.engines.spark.test_design import designed
from tests.engines.spark.test_engine import conversion

FEATURES = "wav2vec2-large-xlsr-53"
ENGINES: dict[str, Callable[[Path], Checkpoint]] = {
    "orpheus": lambda folder: orpheus_checkpoints.write(folder, orpheus_checkpoints.TINY),
    "spark": lambda folder: spark_checkpoints.write(folder, spark_checkpoints.TINY),
}


@pytest.fixture(autouse=True)
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    """Stop speech of random weights, which rarely ends by itself, sooner than that of trained ones."""
    monkeypatch.setattr(planning, "ROOM_S", 0.3)
    monkeypatch.setattr(planning, "SLOWEST_CHARACTERS_PER_S", 20.0)


@pytest.mark.parametrize("name", ENGINES)
def test_it_speaks_in_a_batch(name: str, tmp_path: Path) -> None:
    engine = spec(name).make(EngineOptions(name="cuda", max_batch=12))
    assert isinstance(engine, CodecLmEngine)
    for _ in engine.load(ENGINES[name](tmp_path / "tiny")):
        pass
    for _ in engine.warm():
        pass
    info = engine.info
    assert info.compiled, info.note
    assert [choice.failure for choice in info.backends] == [""] * 3
    jobs = [job(number, "word " * (3 + number)) for number in range(12)]
    listener = Listener(engine)
    for each in jobs:
        engine.admit(each)
        listener.step()
    listener.finish(*jobs)
    for each in jobs:
        sound = torch.from_numpy(listener.audio(each))
        assert len(sound) > 1_000
        assert sound.isfinite().all()
    engine.close()


def test_a_recording_is_spoken_beside_lines_as_on_the_cpu(tmp_path: Path) -> None:
    checkpoint, found = ENGINES["spark"](tmp_path / "tiny"), []
    for device in ("cuda", "cpu"):
        engine = spec("spark").make(EngineOptions(name=device, max_batch=3))
        for _ in (*engine.load(checkpoint), *engine.warm()):
            pass
        converted, *lines = jobs = [conversion(1), job(2, "word " * 9), job(3, "word " * 4)]
        listener = Listener(engine)
        for each in jobs:
            engine.admit(each)
            listener.step()
        listener.finish(*jobs)
        assert all(len(listener.audio(each)) > 1_000 for each in lines)
        found.append(torch.from_numpy(listener.audio(converted)))
        engine.close()
    on_gpu, on_cpu = found
    assert on_gpu.shape == on_cpu.shape
    assert (on_gpu - on_cpu).norm() < 0.05 * on_cpu.norm()


@torch.inference_mode()
@pytest.mark.parametrize("sides", [(896, 1152), (4864, 896), (104, 20)])
@pytest.mark.parametrize("kind", ["plain", "normed", "gated", "biased", "int8"])
def test_products_of_a_tile_equal_those_of_torch_for_any_number_of_rows(sides: tuple[int, int], kind: str) -> None:
    torch.manual_seed(1)
    inputs, outputs = sides
    made = {"device": "cuda", "dtype": torch.bfloat16}
    linear, gate = (nn.Linear(inputs, outputs, bias=kind == "biased", **made) for _ in range(2))
    if kind == "int8":
        quantizing.quantize([nn.ModuleList([linear])], "int8")
    norm = RMSNorm(inputs, 1e-6).to(**made) if kind in ("normed", "gated") else None
    chosen = gate if kind == "gated" else None
    x = torch.randn(fused_layers.TILE_ROWS, inputs, **made)
    added = torch.randn(fused_layers.TILE_ROWS, outputs, **made) if kind == "biased" else None

    def product(rows: int) -> torch.Tensor:
        held = None if added is None else added[:rows].clone()
        return fused_layers.product(x[:rows], linear, norm=norm, gate=chosen, residual=held)

    found = product(fused_layers.TILE_ROWS)
    wanted = fused_layers._composed(x, linear, norm, chosen, None if added is None else added.clone())
    assert (found - wanted).norm() < 0.01 * wanted.norm()
    for rows in range(fused_layers.ROW_BY_ROW + 1, fused_layers.TILE_ROWS):
        assert torch.equal(product(rows), found[:rows])


@torch.inference_mode()
def test_graphs_encode_references_like_eager_kernels(tmp_path: Path) -> None:
    ENGINES["spark"](tmp_path / "tiny")
    codec, features = read_bicodec(tmp_path / "tiny" / "BiCodec"), read_features(tmp_path / "tiny" / FEATURES)
    encoder = BiCodecEncoder(codec.to("cuda"), features.to("cuda"))
    noise = torch.randn(16 * SAMPLE_RATE, device="cuda") * 0.1
    clips = [noise[: int(seconds * SAMPLE_RATE)] for seconds in (0.5, 3.9, 4.0, 5.3, 10.9, 15.0, 16.0)]
    eager = [encoder.encode(clip) for clip in clips]
    assert len(list(encoder.warm())) == len(LENGTHS)
    for clip, wanted in zip(clips, eager, strict=True):
        found = encoder.encode(clip)
        assert found.shape == wanted.shape
        assert (found == wanted).float().mean() > 0.99
    assert encoder._graphed is not None and encoder._graphed.active


def test_a_voice_is_designed_beside_lines(tmp_path: Path) -> None:
    engine = spec("spark").make(EngineOptions(name="cuda", max_batch=3))
    assert isinstance(engine, CodecLmEngine)
    for _ in (*engine.load(ENGINES["spark"](tmp_path / "tiny")), *engine.warm()):
        pass
    voices = []
    for jobs in ([designed(1)], [job(2, "word " * 9), designed(1)]):
        listener = Listener(engine)
        for each in jobs:
            engine.admit(each)
            listener.step()
        ends = [event for _ in range(2_000) for event in listener.step() if isinstance(event, Finished)]
        assert len(ends) == len(jobs)
        assert all(len(listener.audio(each)) > 1_000 for each in jobs)
        voices += [event.voice_codes for event in ends if event.voice_codes]
    assert len(voices[0]) == 32
    assert voices[0] == voices[1]
    engine.close()
