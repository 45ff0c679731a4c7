"""Loading checkpoints: upstream's layouts, folders, files, and invalid ones."""

import shutil
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file

from bench.checkpoints import ARCH, SYMBOLS, redraw, write
from engines.base import Checkpoint
from engines.errors import BadCheckpoint
from engines.f5.config import DiTConfig
from engines.f5.frontend import Vocabulary
from engines.f5.model import F5Model, load
from engines.f5.network import DiT
from engines.runtime.background import ended
from engines.runtime.placement import Placement
from engines.runtime.weights import restore


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    network = redraw(DiT(DiTConfig.from_mapping(ARCH, len(SYMBOLS))))
    return write(tmp_path / "voice", network, ARCH)


def loaded(source: Path | str, dtype: torch.dtype = torch.float32) -> F5Model:
    return ended(load(Checkpoint(str(source)), Placement(torch.device("cpu"), dtype)))


def same(one: F5Model, other: F5Model) -> bool:
    pairs = zip(one.network.parameters(), other.network.parameters(), strict=True)
    return all(torch.equal(a, b) for a, b in pairs)


def test_a_folder_loads_with_its_defaults(folder: Path) -> None:
    voice = loaded(folder)
    assert voice.steps == 5 and voice.guidance == 2.0
    assert voice.vocabulary.characters == frozenset(SYMBOLS)


@pytest.mark.parametrize("layout", ["ema", "plain", "bare"])
def test_every_upstream_layout_of_pt_loads_the_same(folder: Path, layout: str) -> None:
    wanted = loaded(folder)
    averaged = load_file(folder / "model_1.safetensors")
    (folder / "model_1.safetensors").unlink()
    plain = {name.removeprefix("ema_model."): tensor for name, tensor in averaged.items()}
    extra = {"initted": torch.tensor(True), "step": torch.tensor(7), "ema_model.mel_spec.window": torch.ones(4)}
    held = {
        "ema": {"ema_model_state_dict": {**averaged, **extra}, "update": 7},
        "plain": {"model_state_dict": plain},
        "bare": plain,
    }[layout]
    torch.save(held, folder / "model_1.pt")
    assert same(loaded(folder / "model_1.pt"), wanted)


def test_int8_per_channel_is_converted_at_load(folder: Path) -> None:
    wanted = loaded(folder)
    state = load_file(folder / "model_1.safetensors")
    small = {}
    for name, tensor in state.items():
        if tensor.dim() < 2:
            small[name] = tensor
            continue
        scale = tensor.flatten(1).abs().amax(1).clamp(min=1e-8) / 127
        small[name + ".scale"] = scale
        small[name] = (tensor / scale.view(-1, *[1] * (tensor.dim() - 1))).round().to(torch.int8)
    save_file(small, folder / "model_1.safetensors")
    for restored, original in zip(loaded(folder).network.parameters(), wanted.network.parameters(), strict=True):
        assert (restored - original).abs().max() <= original.abs().max() / 127


def test_a_scale_without_int8_is_an_ordinary_tensor() -> None:
    assert restore({"grn.scale": torch.ones(2)}).keys() == {"grn.scale"}


def test_a_missing_vocabulary_is_named(folder: Path) -> None:
    (folder / "vocab.txt").unlink()
    with pytest.raises(BadCheckpoint, match=r"vocab\.txt is missing"):
        loaded(folder)


def test_another_architecture_is_named(folder: Path) -> None:
    text = (folder / "config.yaml").read_text()
    (folder / "config.yaml").write_text(text.replace("depth: 3", "depth: 4"))
    with pytest.raises(BadCheckpoint, match="another architecture: transformer_blocks"):
        loaded(folder)


def test_another_size_is_named(folder: Path) -> None:
    (folder / "vocab.txt").write_text("\n".join(SYMBOLS[:-3]) + "\n")
    with pytest.raises(BadCheckpoint, match="does not have the size"):
        loaded(folder)


def test_a_damaged_file_is_named(folder: Path) -> None:
    (folder / "model_1.safetensors").write_bytes(b"not a checkpoint at all")
    with pytest.raises(BadCheckpoint, match="is damaged"):
        loaded(folder)


def test_a_pickle_that_runs_code_is_refused_and_not_run(folder: Path, tmp_path: Path) -> None:
    canary = tmp_path / "canary"

    class Attack:
        def __reduce__(self) -> object:
            return (Path.touch, (canary,))

    (folder / "model_1.safetensors").unlink()
    torch.save({"model_state_dict": Attack()}, folder / "model_1.pt")
    with pytest.raises(BadCheckpoint):
        loaded(folder)
    assert not canary.exists()


def test_a_missing_path_is_named() -> None:
    with pytest.raises(BadCheckpoint, match="STUDIO_F5_CHECKPOINT"):
        loaded("/nowhere/at/all.safetensors")


def test_a_hub_name_without_a_file_asks_for_one() -> None:
    with pytest.raises(BadCheckpoint, match="add the file of the weights"):
        loaded("hf://someone/voice")


def test_an_unreachable_hub_is_reported(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path))
    with pytest.raises(BadCheckpoint, match="Hub cannot be reached"):
        loaded("hf://SWivid/F5-TTS")


def test_pinyin_vocabularies_use_upstreams_converter(tmp_path: Path) -> None:
    from importlib.util import find_spec

    package = find_spec("f5_tts")
    assert package is not None and package.submodule_search_locations
    published = Path(package.submodule_search_locations[0]) / "infer" / "examples" / "vocab.txt"
    vocabulary = Vocabulary.read(Path(shutil.copy(published, tmp_path)))
    assert vocabulary.pinyin and vocabulary.size == 2545
    tokens = vocabulary.tokens("Hi, 你好")
    names = {number + 1: symbol for symbol, number in vocabulary.index.items()}
    assert [names[int(token)] for token in tokens] == ["H", "i", ",", " ", " ", "ni2", " ", "hao3"]
