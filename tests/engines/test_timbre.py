"""The novelty of a voice for a checkpoint, its effect, and the file of known voices."""

from pathlib import Path

import numpy as np
import pytest
import torch
from torch import Tensor

from engines.errors import BadCheckpoint
from engines.f5.mel import log_mel
from engines.s1.timbre import spectra
from engines.timbre import SIMILAR, VOICES, KnownVoices, Timbre
from training.known_voices import known_to, write_known_voices
from training.references import HELDOUT, SHIPPED, checkpoint, read_references

KNOWN_FRAMES = 281  # of each shipped reference in the checkpoints' files
ALIKE = ["basil", "corin", "edgar"]  # the voices of amber and delia vary more over time


def samples(folder: Path, name: str) -> Tensor:
    return torch.from_numpy(read_references(folder)[name][0])


def timbre(mel: Tensor, known: KnownVoices | None = None) -> Timbre:
    found = Timbre.of(mel, known)
    assert found is not None
    return found


@pytest.fixture(scope="module")
def known() -> KnownVoices:
    found = KnownVoices.read(checkpoint("f5"))
    assert found is not None
    return found


@pytest.mark.parametrize("engine", ["f5", "s1"])
def test_the_shipped_files_match_the_references(engine: str, tmp_path: Path) -> None:
    write_known_voices(tmp_path)
    with np.load(tmp_path / VOICES) as made, np.load(checkpoint(engine) / VOICES) as shipped:
        assert made.files == shipped.files == list(known_to())
        assert all(np.abs(made[name].astype(int) - shipped[name]).max() <= 1 for name in made.files)


@pytest.mark.parametrize("name", sorted(read_references(SHIPPED)))
def test_a_shipped_voice_is_not_corrected(name: str, known: KnownVoices) -> None:
    for mel in (log_mel(samples(SHIPPED, name)), spectra(24_000).mel_of(samples(SHIPPED, name))):
        found = timbre(mel, known)
        assert found.strength == 0.0
        assert not found.mean_correction(torch.ones(100)).any()
        assert not found.shape_correction(found.shapes + 1, found.neighbourhoods + 1, 1.0).any()


@pytest.mark.parametrize("name", ALIKE)
def test_a_known_voice_is_recognised_with_other_words(name: str, known: KnownVoices) -> None:
    assert timbre(log_mel(samples(SHIPPED, name))[KNOWN_FRAMES:], known).strength == 0.0


def test_an_unseen_voice_is_corrected_fully_and_a_similar_one_less(known: KnownVoices) -> None:
    strange, between = log_mel(samples(HELDOUT, "espeak-man")), log_mel(samples(HELDOUT, "rms-deep"))
    assert timbre(strange, known).strength == 1.0
    part, whole = timbre(between, known), timbre(between)
    assert 0 < part.strength < 1 == whole.strength
    for shape_correction in ("mean_correction", "shape_correction"):
        arguments = (
            [torch.zeros(100), 0.5]
            if shape_correction == "mean_correction"
            else [whole.shapes[:9], whole.neighbourhoods[9:18], 0.5]
        )
        assert torch.allclose(
            getattr(part, shape_correction)(*arguments),
            part.strength * getattr(whole, shape_correction)(*arguments),
            atol=1e-5,
        )


def test_a_frame_without_a_similar_one_is_corrected_less() -> None:
    one = Timbre(torch.zeros(100), torch.ones(1, 100), torch.zeros(1, 500), 1.0)
    near, far = torch.zeros(1, 500), torch.zeros(1, 500)
    near[0, 0], far[0, 0] = SIMILAR / 2, SIMILAR * 2
    assert torch.allclose(one.shape_correction(torch.zeros(1, 100), near, 0.6), torch.full((1, 100), 0.6))
    assert torch.allclose(one.shape_correction(torch.zeros(1, 100), far, 0.6), torch.full((1, 100), 0.3))


def test_a_checkpoint_may_have_no_known_voices(tmp_path: Path) -> None:
    assert KnownVoices.read(tmp_path) is None


@pytest.mark.parametrize("content", ["", "no archive", "cut", "bands", "objects"])
def test_a_damaged_file_is_named(content: str, tmp_path: Path) -> None:
    path, whole = tmp_path / VOICES, (checkpoint("f5") / VOICES).read_bytes()
    if content == "bands":
        np.savez(path, amber=np.zeros((50, 7), np.uint8))
    elif content == "objects":
        np.savez(path, amber=np.array([{}], dtype=object))
    else:
        path.write_bytes(whole[:5000] if content == "cut" else content.encode())
    with pytest.raises(BadCheckpoint, match=r"^voices\.npz cannot be read; fetch it again, or remove it$"):
        KnownVoices.read(tmp_path)
