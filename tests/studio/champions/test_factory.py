"""The champions of a studio whose engines use no fine-tuned weights."""

from pathlib import Path
from unittest.mock import patch

import pytest

from engines.errors import BadInput
from engines.registry import ENGINES
from studio.champions.factory import open_champions
from studio.settings import Settings


@patch.dict(ENGINES)  # unlike monkeypatch.delitem, it also restores the order
def test_without_an_engine_for_fine_tuned_weights_the_library_opens_and_refuses_weights(tmp_path: Path) -> None:
    del ENGINES["f5"], ENGINES["s1"]
    champions = open_champions(Settings(data_dir=tmp_path))
    with pytest.raises(BadInput, match="no engine of this studio uses fine-tuned weights"):
        champions._attachments._vet(tmp_path / "weights.pt")
