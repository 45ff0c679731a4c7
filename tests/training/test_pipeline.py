"""What a call that trains both voices brings home."""

import json
import logging
from dataclasses import asdict
from pathlib import Path

import pytest
import torch

from training.corpus.recordings import write_index
from training.pipeline import Call, PipelineOptions, make_corpus, pack_up, train_s1
from training.s1.language import checkpoint
from training.s1.language.dual_ar import LanguageModel, Shape
from training.shards import save_shards

SHAPE = Shape(dim=32, n_layer=1, n_fast_layer=1, n_head=1, n_local_heads=1, intermediate_size=32)


@pytest.fixture
def call(tmp_path: Path) -> Call:
    """One whose language model is trained and whose flow was cut off while it was written."""
    torch.manual_seed(0)
    call = Call(PipelineOptions(out=tmp_path / "out", work=tmp_path / "work", seconds=1.0))
    call.options.out.mkdir()
    named = {checkpoint.MODEL + name: value for name, value in LanguageModel(SHAPE).named_parameters()}
    save_shards(named, call.folder("language"), "language", {"shape": json.dumps(asdict(SHAPE))})
    call.folder("flow").mkdir()
    (call.folder("flow") / "dit-00001.safetensors").write_bytes(b"cut off")
    return call


def test_a_part_that_cannot_be_packed_costs_no_other(call: Call, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.ERROR):
        pack_up(call)
    assert call.failed == ["flow"]
    assert "flow could not be packed" in caplog.text
    assert (call.options.out / "language" / "model.safetensors").exists()


def test_a_packed_language_model_is_loaded_in_its_own_shape(call: Call) -> None:
    pack_up(call)
    model = checkpoint.load(call.options.out / "language")
    assert model.shape == SHAPE
    for name, value in checkpoint.load(call.folder("language")).named_parameters():
        torch.testing.assert_close(
            dict(model.named_parameters())[name], value, rtol=0, atol=float(value.detach().abs().max()) / 100
        )


def test_without_a_share_for_the_codec_the_language_model_learns_an_earlier_calls_codes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    earlier, began = tmp_path / "earlier", []
    save_shards({"weight": torch.zeros(1)}, earlier / "codec", "codec", {})
    monkeypatch.setattr(Call, "run", lambda _, part, *arguments: began.append((part, arguments)))
    call = Call(PipelineOptions(out=tmp_path, work=tmp_path, seconds=600, resume=earlier, codec_share=0))
    call.corpus_made.set()
    train_s1(call, ())
    ((part, arguments),) = began
    assert part == "language"
    assert arguments[arguments.index("--codec") + 1] == str(earlier / "codec")


def test_a_corpus_that_lies_there_whole_is_not_made_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[str] = []
    monkeypatch.setattr(Call, "run", lambda _, part, *arguments, nice=0: made.append(part))
    call = Call(PipelineOptions(out=tmp_path, work=tmp_path, seconds=600))
    call.folder("corpus").mkdir()
    write_index(call.folder("corpus"), [24_000], [0], ["Who goes there?"])
    make_corpus(call)
    assert call.corpus_made.is_set()
    assert not made
