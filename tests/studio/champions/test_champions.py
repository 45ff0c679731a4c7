"""A take's voice becomes a champion, travels as an archive and through a store, and speaks again."""

import shutil
import tarfile
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from engines.types import Request
from studio.archive import verify
from studio.champion_format.champion import BadChampion, Champion, ChampionConflict, UnknownChampion
from studio.champion_format.members import METADATA, PORTRAITS, TRANSCRIPT
from studio.champions.champions import ARCHIVE_S, ARCHIVES, TRANSFER_S, TRANSFERS
from studio.champions.library import Library
from studio.champions.saved import SavedChampion
from studio.disk.housekeeping import Housekeeping
from studio.jobs import Job
from studio.order import Order
from studio.progress import format_bytes
from studio.settings import Settings
from studio.studio import Studio
from tests.engines.metronome import Metronome
from tests.studio.archive.archives import EARLIER, silent
from tests.studio.champions.voices import keep as keep_champion
from tests.studio.disk.test_housekeeping import aged
from tests.studio.house import ENGINE, studio_of
from tests.waiting import until

OWNER = "anna"
SAID = "one two three four"
PNG = b"\x89PNG\r\n\x1a\n" + bytes(64)


@pytest.fixture
def metronome() -> Metronome:
    return Metronome(click_s=0.1)


@pytest.fixture
def studio(tmp_path: Path, metronome: Metronome) -> Iterator[Studio]:
    folder_store = tmp_path / "shelf"
    folder_store.mkdir()
    settings = Settings(data_dir=tmp_path / "data", stores=(f"shelf=folder:{folder_store}",))
    with studio_of(tmp_path, metronome, settings=settings) as running:
        yield running


def speak(studio: Studio, **order: object) -> str:
    """The id of a take of the sample's first three seconds, or of whatever the order says."""
    clip = studio.session_clips.samples()[0].clip_id
    parts = {"text": "tick", "clip_id": clip, "start_s": 0.0, "end_s": 3.0, "transcript": SAID, "seed": 7} | order
    performance = studio.speaking.speak(Order(engine=ENGINE, **parts), session_id=OWNER)  # type: ignore[arg-type]
    assert performance.wait(10.0)
    return performance.result().id


def keep(studio: Studio) -> SavedChampion:
    return create(studio, speak(studio))


def draft(studio: Studio, take: str) -> Champion:
    return studio.champions.draft(studio.take_voices.get(OWNER, take))


def create(studio: Studio, take: str, champion: Champion | None = None) -> SavedChampion:
    return studio.champions.create(studio.take_voices.get(OWNER, take), champion or draft(studio, take))


def done(job: Job) -> Job:
    until(lambda: job.state != "running")
    assert job.state == "done", job.error
    return job


def emptied(studio: Studio) -> None:
    for kept in studio.champions.list():
        studio.champions.delete(kept.champion.id)
    studio.champions.purge(older_than_s=-1)


def test_the_name_of_a_sample_is_no_id_of_a_new_champion(studio: Studio, tmp_path: Path) -> None:
    voice = replace(studio.take_voices.get(OWNER, speak(studio)), name="Amber")
    drawn = studio.champions.draft(voice)
    assert drawn.id == "amber-2"
    with pytest.raises(BadChampion, match="amber is the name of a sample; choose another id"):
        studio.champions.create(voice, replace(drawn, id="amber"))
    kept = studio.champions.create(voice, drawn)
    with pytest.raises(BadChampion, match="name of a sample"):
        studio.champions.duplicate(kept.champion.id, "amber")
    refused = studio.champions.import_copy(EARLIER, as_id="amber")
    until(lambda: refused.state != "running")
    assert "name of a sample" in refused.error
    assert [one.champion.id for one in studio.champions.list()] == ["amber-2"]


def test_a_champion_that_already_has_a_sample_s_name_can_be_edited(studio: Studio) -> None:
    old = keep_champion(Library(studio.settings.data_dir), "amber")
    edited = studio.champions.edit(replace(old.champion, notes="warm"), expected=old.version)
    assert (edited.champion.id, edited.champion.notes) == ("amber", "warm")


def test_a_draft_has_everything_filled_in(studio: Studio) -> None:
    drawn = draft(studio, speak(studio))
    assert (drawn.id, drawn.name, drawn.transcript, drawn.line) == ("anna", "Anna", SAID, "tick")
    assert (drawn.engine, dict(drawn.settings)) == (ENGINE, {"seed": 7})
    assert drawn.licence


def test_a_draft_proposes_an_id_that_is_free(studio: Studio) -> None:
    keep(studio)
    assert draft(studio, speak(studio)).id == "anna-2"


def test_the_transcript_is_kept_as_it_was_typed(studio: Studio) -> None:
    take = speak(studio)
    typed = replace(draft(studio, take), transcript="  One,\r\n two… \t")
    kept = create(studio, take, typed)
    assert studio.champions.path(kept, TRANSCRIPT).read_bytes() == "  One,\r\n two… \t".encode()


def test_a_champion_speaks_with_exactly_its_reference(studio: Studio, metronome: Metronome) -> None:
    kept = keep(studio)
    take = studio.history.get(OWNER, speak(studio, champion="anna", clip_id=""))
    heard: Request = list(metronome.requests.values())[-1]
    expected = studio.champions.voice("anna").reference
    assert heard.reference.digest == expected.digest
    assert heard.reference.transcript == SAID
    assert expected.audio.duration_s == pytest.approx(3.0, abs=1e-3)
    assert (take.order.champion, take.order.version, take.order.clip_id) == ("anna", kept.version, "")


def test_a_take_of_an_older_version_can_be_made_again(studio: Studio, metronome: Metronome) -> None:
    first = keep(studio)
    studio.champions.edit(replace(first.champion, transcript="other words"), expected=first.version)
    speak(studio, champion="anna", version=first.version)
    assert list(metronome.requests.values())[-1].reference.transcript == SAID


def test_a_champion_that_is_not_there_is_refused(studio: Studio) -> None:
    with pytest.raises(UnknownChampion):
        speak(studio, champion="nobody")


def test_what_a_champion_spoke_can_be_kept_as_another(studio: Studio) -> None:
    first = keep(studio)
    take = speak(studio, champion="anna")
    second = create(studio, take)
    assert second.champion.id == "anna-2"
    assert second.members["reference.wav"] == first.members["reference.wav"]


def test_a_champion_goes_out_as_an_archive_and_comes_back_the_same(studio: Studio) -> None:
    kept = keep(studio)
    archive = done(studio.champions.package("anna")).result
    assert isinstance(archive, Path)
    copy = archive.with_name("copy.tar.gz")
    copy.write_bytes(archive.read_bytes())
    emptied(studio)
    assert done(studio.champions.import_archive(copy)).result == replace(
        kept, saved_at=studio.champions.get("anna").saved_at
    )
    assert not copy.exists()


def test_an_archive_of_what_is_here_already_changes_nothing(studio: Studio) -> None:
    kept = keep(studio)
    archive = done(studio.champions.package("anna")).result
    assert isinstance(archive, Path)
    assert done(studio.champions.import_archive(archive)).result == kept


def test_an_archive_of_another_voice_under_a_used_id_is_a_conflict_that_another_id_solves(studio: Studio) -> None:
    first = keep(studio)
    archive = done(studio.champions.package("anna")).result
    assert isinstance(archive, Path)
    studio.champions.edit(replace(first.champion, notes="changed"), expected=first.version)
    again = archive.with_name("again.tar.gz")
    again.write_bytes(archive.read_bytes())
    job = studio.champions.import_archive(archive)
    until(lambda: job.ended)
    assert job.state == "failed" and "champion id anna is already used" in job.error
    brought = done(studio.champions.import_archive(again, as_id="anna-old")).result
    assert isinstance(brought, SavedChampion) and brought.champion.id == "anna-old"


def test_an_archive_whose_id_is_none_of_ours_comes_in_under_one_that_is(studio: Studio, tmp_path: Path) -> None:
    keep(studio)
    kept = studio.champions.get("anna")
    folder = tmp_path / "foreign"
    folder.mkdir()
    Library(studio.settings.data_dir).stage(kept, folder, without=(METADATA,))
    (folder / METADATA).write_bytes(b'{"model_type": "base", "use_base_model": true, "champion_id": "Ahri Prime"}')
    for number in (1, 2):
        with tarfile.open(tmp_path / f"{number}.tar.gz", "w:gz") as archive:
            for path in folder.iterdir():
                archive.add(path, path.name)
    refused = studio.champions.import_archive(tmp_path / "1.tar.gz")
    until(lambda: refused.ended)
    assert "id" in refused.error
    brought = done(studio.champions.import_archive(tmp_path / "2.tar.gz", as_id="ahri-prime")).result
    assert isinstance(brought, SavedChampion) and brought.champion.id == "ahri-prime"
    assert studio.champions.get("ahri-prime").champion.transcript == SAID


def test_a_champion_goes_to_a_store_and_comes_back_the_same(studio: Studio) -> None:
    kept = keep(studio)
    done(studio.champions.push("anna", "shelf"))
    assert [(one.entry.id, one.here) for one in studio.champions.browse("shelf")] == [("anna", "same")]
    emptied(studio)
    assert [one.here for one in studio.champions.browse("shelf")] == ["absent"]
    pulled = done(studio.champions.pull("shelf", "anna")).result
    assert isinstance(pulled, SavedChampion)
    assert (pulled.champion, pulled.version, pulled.members) == (kept.champion, kept.version, kept.members)


def test_the_same_content_is_not_sent_twice(studio: Studio) -> None:
    keep(studio)
    done(studio.champions.push("anna", "shelf"))
    assert done(studio.champions.plan_push("anna", "shelf")).result.action == "nothing"  # type: ignore[attr-defined]


def test_an_earlier_archive_in_a_store_is_renewed_when_it_is_pulled_and_pushed(studio: Studio, tmp_path: Path) -> None:
    shelved = tmp_path / "shelf" / "ahri.tar.gz"
    shutil.copyfile(EARLIER, shelved)
    done(studio.champions.pull("shelf", "ahri"))
    done(studio.champions.push("ahri", "shelf"))
    verdict = verify(shelved, silent, threading.Event())
    assert (verdict.whole, verdict.outdated) == (True, False)


def test_packaging_replaces_an_earlier_archive_of_the_same_voice(studio: Studio) -> None:
    done(studio.champions.import_copy(EARLIER))
    packaged = done(studio.champions.package("ahri")).result
    assert isinstance(packaged, Path)
    shutil.copyfile(EARLIER, packaged)
    assert done(studio.champions.package("ahri")).result == packaged
    assert not verify(packaged, silent, threading.Event()).outdated


def test_a_job_that_is_done_says_what_became_of_it(studio: Studio) -> None:
    keep(studio)
    packaged = done(studio.champions.package("anna"))
    assert isinstance(packaged.result, Path)
    size = format_bytes(packaged.result.stat().st_size)
    copied = done(studio.champions.import_copy(packaged.result))
    pushed = done(studio.champions.push("anna", "shelf"))
    emptied(studio)
    pulled = done(studio.champions.pull("shelf", "anna"))
    assert [job.progress.message for job in (packaged, copied, pushed, pulled)] == [
        f"exported the archive of anna, {size}",
        "anna is already up to date",
        f"uploaded anna to shelf, {size}, SHA-256 verified",
        "Anna is saved as anna",
    ]


def test_a_portrait_is_a_new_version_and_can_be_taken_away(studio: Studio) -> None:
    kept = keep(studio)
    drawn = studio.champions.set_portrait("anna", PNG, expected=kept.version)
    assert PORTRAITS[0] in drawn.members
    assert studio.champions.set_portrait("anna", None, expected=drawn.version).version == kept.version
    with pytest.raises(BadChampion):
        studio.champions.set_portrait("anna", b"GIF89a", expected=kept.version)
    with pytest.raises(ChampionConflict):
        studio.champions.set_portrait("anna", PNG + b"2", expected=drawn.version)


def test_a_reference_of_two_channels_from_elsewhere_is_mixed(studio: Studio) -> None:
    keep(studio)
    samples = studio.champions.voice("anna").reference.audio.samples
    assert samples.ndim == 1 and samples.dtype == np.float32


def test_a_paused_transfer_is_kept_longer_than_an_archive_that_can_be_made_again(studio: Studio) -> None:
    champions = studio.champions
    folder = Library(studio.settings.data_dir).folder
    transfers = folder / TRANSFERS / "shelf"
    archive = aged(folder / ARCHIVES / "ahri.tar.gz", ARCHIVE_S + 60)
    paused, given_up = (aged(transfers / f"{age_s:.0f}.part", age_s) for age_s in (TRANSFER_S - 60, TRANSFER_S + 60))
    Housekeeping([], champions.swept).tidy()
    assert [path.exists() for path in (archive, paused, given_up)] == [False, True, False]
