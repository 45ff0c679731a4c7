"""How strange a voice is to a checkpoint, and what it reads to know."""

from pathlib import Path

import numpy as np
import pytest
import torch
from torch import Tensor

from engines.errors import BadCheckpoint
from engines.f5.mel import log_mel
from engines.timbre import VOICES, KnownVoices, Timbre
from training.known_voices import write_known_voices
from training.references import HELDOUT, SHIPPED, checkpoint, read_references

ENGINES = ["f5", "s1"]


def mel(folder: Path, name: str) -> Tensor:
    return log_mel(torch.from_numpy(read_references(folder)[name][0]))


@pytest.mark.parametrize("engine", ENGINES)
def test_what_is_shipped_is_as_it_is_written(engine: str, tmp_path: Path) -> None:
    write_known_voices(tmp_path)
    with np.load(tmp_path / VOICES) as made, np.load(checkpoint(engine) / VOICES) as shipped:
        assert made.files == shipped.files == sorted(read_references(SHIPPED))
        assert all(np.abs(made[name].astype(int) - shipped[name]).max() <= 1 for name in made.files)


@pytest.mark.parametrize("name", sorted(read_references(SHIPPED)))
def test_a_shipped_voice_is_not_strange(name: str) -> None:
    found = Timbre.of(mel(SHIPPED, name), KnownVoices.read(checkpoint("f5")))
    assert found is not None
    assert found.strength == 0.0
    assert not found.colour(torch.zeros(100)).any()
    assert not found.lent(found.shapes, found.neighbourhoods + 1, 1.0).any()


def test_a_synthesizer_that_was_not_shipped_is(tmp_path: Path) -> None:
    heard = mel(HELDOUT, "espeak-man")
    strange = Timbre.of(heard, KnownVoices.read(checkpoint("f5")))
    anybody = Timbre.of(heard, KnownVoices.read(tmp_path))
    assert strange is not None and anybody is not None
    assert strange.strength == anybody.strength == 1.0


def test_a_file_that_is_broken_is_named(tmp_path: Path) -> None:
    (tmp_path / VOICES).write_bytes(b"PK not a zip")
    with pytest.raises(BadCheckpoint, match=r"voices\.npz cannot be read"):
        KnownVoices.read(tmp_path)
