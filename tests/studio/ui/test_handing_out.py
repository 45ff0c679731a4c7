"""What a named endpoint hands out lies in Gradio's folder, which is served to everybody who knows where."""

import time
from pathlib import Path

import pytest

from studio.order import read_order
from studio.telemetry.origin import RequestOrigin
from tests.engines.metronome import Metronome
from tests.studio.house import ENGINE, studio_of


def test_whoever_knows_a_takes_id_does_not_know_its_address(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from studio.ui.pages.speak import completed, perform  # takes seconds, which collecting other tests need not

    monkeypatch.setenv("GRADIO_TEMP_DIR", str(tmp_path / "gradio"))
    with studio_of(tmp_path, Metronome()) as studio:
        order = completed(studio, read_order({"engine": ENGINE, "text": "tick tock"}), "anna")
        *_, (_, audio, take) = perform(studio, order, "anna", time.monotonic(), RequestOrigin("an-id-of-hers", "page"))
        assert audio and take
        path = Path(audio)
        assert (path.stem, len(path.parent.name), path.parent.parent) == (take["id"], 22, tmp_path / "gradio")
        assert path.samefile(studio.history.audio_path("anna", take["id"]))  # on the disk once
