"""A champion that went through an archive into another data folder is the same, to the sample of what it says."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
import torch

from engines.runtime import weights
from studio.archive import verify
from studio.champion_format.members import WEIGHTS
from studio.champions.attachments import Attachment
from studio.champions.saved import SavedChampion
from studio.composition import compose
from studio.order import Order
from studio.settings import Settings
from studio.studio import Studio
from tests.studio.champions.test_champions import done

OWNER = "anna"
LINE = "The gate is open."
SHIPPED = Path(__file__).parents[3] / "assets" / "voices" / "f5" / "checkpoint" / "model.safetensors"


@contextmanager
def speaking(data_dir: Path) -> Iterator[Studio]:
    studio = compose(Settings(data_dir=data_dir, engines=("f5",), device="cpu"))
    studio.manager.start()
    try:
        yield studio
    finally:
        studio.manager.close(0.0)
        studio.history.close()


def spoken(studio: Studio, **voice: object) -> np.ndarray[tuple[int], np.dtype[np.float32]]:
    parts = {"clip_id": "", "start_s": 0.0, "end_s": 0.0, "transcript": ""} | voice
    performance = studio.speaking.speak(Order(text=LINE, seed=7, settings={"steps": 4}, **parts), session_id=OWNER)  # type: ignore[arg-type]
    assert performance.wait(90.0)
    return studio.history.audio(OWNER, performance.result().id).samples


Trip = tuple[Studio, SavedChampion, Studio, SavedChampion]


@pytest.fixture(scope="module")
def trip(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Trip]:
    """A studio with a champion of a shipped sample, and another one that got it as an archive."""
    with (
        speaking(tmp_path_factory.mktemp("here")) as here,
        speaking(tmp_path_factory.mktemp("there")) as there,
    ):
        sample = here.session_clips.samples()[0]
        clip = here.session_clips.get(OWNER, sample.clip_id)
        spoken(here, clip_id=sample.clip_id, end_s=clip.audio.duration_s, transcript=sample.transcript)
        take = here.history.list(OWNER)[0].id
        voice = here.take_voices.get(OWNER, take)
        kept = here.champions.create(voice, here.champions.draft(voice))
        archive = done(here.champions.package(kept.champion.id)).result
        assert isinstance(archive, Path)
        verdict = verify(archive, lambda progress: None, threading.Event())
        assert verdict.whole and verdict.identity == kept.version
        brought = done(there.champions.import_archive(archive)).result
        assert isinstance(brought, SavedChampion)
        yield here, kept, there, brought


def test_every_voice_member_is_the_same_byte_for_byte(
    trip: Trip,
) -> None:
    here, kept, there, brought = trip
    assert brought.members == kept.members and brought.version == kept.version
    for name in kept.members:
        same = here.champions.path(kept, name).read_bytes() == there.champions.path(brought, name).read_bytes()
        assert same, name


def test_a_line_with_the_same_seed_is_the_same_sound(trip: Trip) -> None:
    here, kept, there, _ = trip
    original, travelled = (spoken(studio, champion=kept.champion.id) for studio in (here, there))
    assert len(original) > 10_000
    assert np.array_equal(original, travelled)


def tuned_weights(path: Path) -> Path:
    """The shipped voice's own weights in f5-tts's layout, each a little off, as training would leave them."""
    tensors = weights.read(SHIPPED)
    draw = torch.Generator().manual_seed(5)
    moved = {
        name: t + 0.02 * t.std() * torch.randn(t.shape, generator=draw) for name, t in tensors.items() if t.dim() > 1
    }
    kept = {name: tensor for name, tensor in tensors.items() if tensor.dim() <= 1}
    torch.save({"ema_model_state_dict": moved | kept}, path)
    return path


@pytest.mark.long
def test_attached_weights_are_tried_then_saved_and_exported_with_the_champion(trip: Trip, tmp_path: Path) -> None:
    here, kept, there, _ = trip
    id = kept.champion.id
    base = spoken(here, champion=id)
    brought = tuned_weights(tmp_path / "tuned.pt")
    original = brought.read_bytes()
    attachment = done(here.champions.attach(id, brought)).result
    assert isinstance(attachment, Attachment)
    tried = spoken(here, champion=id, attachment=attachment.id)
    assert not np.array_equal(tried, base)
    tuned = here.champions.save_attachment(attachment.id)
    assert tuned.champion.fine_tuned and here.champions.path(tuned, WEIGHTS).read_bytes() == original
    assert np.array_equal(spoken(here, champion=id), tried)
    assert np.array_equal(spoken(here, champion=id, version=kept.version), base)

    archive = done(here.champions.package(id)).result
    assert isinstance(archive, Path)
    done(there.champions.import_archive(archive, as_id="tuned"))
    assert np.array_equal(spoken(there, champion="tuned"), tried)
    last = there.telemetry.snapshot().caches
    assert [(cache.name, cache.found) for cache in last if cache.name == "weights"]


@pytest.mark.long
def test_switching_back_to_a_champion_that_is_in_memory_costs_no_load(
    trip: Trip,
) -> None:
    here, kept, *_ = trip
    loads: list[float] = []
    here.manager.listen(lambda event: loads.append(event.figures["weights_missed"]) if event.kind == "done" else None)
    for version in ("", kept.version, "", kept.version):
        spoken(here, champion=kept.champion.id, version=version)
    assert len(loads) == 4 and len(set(loads)) == 1
