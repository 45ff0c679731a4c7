"""A studio as it is started, with its own voices, that already knows two champions."""

from collections.abc import Iterator
from pathlib import Path

import pytest
import soundfile
from safetensors.torch import save_file

from engines.base import Checkpoint
from engines.types import Audio
from studio.champion_format.champion import Champion
from studio.champion_format.members import WEIGHTS, write_members
from studio.champions.library import Library
from tests.browser.serving import ROOT, Served, serving, wait_until_loaded
from tests.engines.f5.tuning import loaded

VOICE = ROOT / "assets" / "voices" / "references" / "amber"


def keep_amber(library: Library, id: str, weights: Path | None = None) -> None:
    """The shipped voice, with weights of its own or none."""
    samples, rate = soundfile.read(VOICE.with_suffix(".flac"), dtype="float32")
    transcript = VOICE.with_suffix(".txt").read_text("utf-8").strip()
    champion = Champion(id=id, name=id.title(), transcript=transcript, fine_tuned=weights is not None)
    with library.staging() as folder:
        write_members(folder, champion, Audio(samples, rate))
        if weights is not None:
            (folder / WEIGHTS).write_bytes(b"what the weights were verified from")
        library.publish(folder, expected="", weights=weights)


def write_weights(path: Path) -> Path:
    """The shipped voice's own weights, as vetting would leave them of somebody's fine-tuned ones."""
    network = loaded(Checkpoint("embedded")).model.network
    save_file({name: parameter.contiguous() for name, parameter in network.named_parameters()}, path)
    return path


@pytest.fixture(scope="session")
def speaking_studio(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """It knows `ahri`, and `yasuo` with weights of its own."""
    folder = tmp_path_factory.mktemp("speaking")
    library = Library(folder / "data")
    keep_amber(library, "ahri")
    keep_amber(library, "yasuo", write_weights(folder / "yasuo.safetensors"))
    with serving(folder / "data") as served:
        wait_until_loaded(served)
        yield served
