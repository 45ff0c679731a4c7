"""The champions of a studio whose engines use no fine-tuned weights."""

from pathlib import Path

import pytest

from engines.errors import BadInput
from engines.registry import ENGINES
from studio.champions.factory import open_champions
from studio.settings import Settings


def test_without_an_engine_for_fine_tuned_weights_the_library_opens_and_refuses_weights(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("f5", "s1"):
        monkeypatch.delitem(ENGINES, name)
    champions = open_champions(Settings(data_dir=tmp_path))
    with pytest.raises(BadInput, match="no engine of this studio uses fine-tuned weights"):
        champions._attachments._vet(tmp_path / "weights.pt")
