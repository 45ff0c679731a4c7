"""A session's clips: deleted, brought back, forgotten; and what mended ones are called."""

import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import soundfile

from engines.errors import BadAudio
from studio.disk.housekeeping import Housekeeping
from studio.references.library import AUDIO, ClipStore, UnknownClip
from studio.references.repairs import repaired_name
from studio.references.session_clips import SessionClips
from studio.references.window import Window
from tests.studio.house import samples_folder, write_clip
from tests.studio.losing import WAYS, backed_up, put_back, removed

DAY_S = 86_400.0


class Clock:
    now_s = 0.0

    def __call__(self) -> float:
        return self.now_s


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def session_clips(tmp_path: Path, clock: Clock) -> SessionClips:
    return SessionClips(ClipStore(tmp_path / "data", samples_folder(tmp_path / "samples")), tmp_path / "data", clock)


def test_a_deleted_clip_is_gone_and_comes_back_to_its_place(
    session_clips: SessionClips, clock: Clock, tmp_path: Path
) -> None:
    ids = []
    for seed in (1, 2, 3):
        clock.now_s += 1.0
        ids.insert(0, session_clips.add("ann", write_clip(tmp_path / "clip.wav", seed=seed), "clip.wav").id)
    session_clips.delete("ann", ids[1])
    assert list(session_clips.mine("ann")) == [ids[0], ids[2]]
    with pytest.raises(UnknownClip):
        session_clips.get("ann", ids[1])
    assert session_clips.restore("ann", ids[1]).id == ids[1]
    assert list(session_clips.mine("ann")) == ids


def test_a_part_of_a_clip_is_cut_once_and_again_after_its_file_changed(
    session_clips: SessionClips, tmp_path: Path
) -> None:
    clip = session_clips.add("ann", write_clip(tmp_path / "clip.wav", seed=1), "clip.wav")
    asked = "ann", clip.id, Window(0.5, 2.0), "some words"
    reference = session_clips.reference(*asked)
    assert session_clips.reference(*asked) is reference
    assert session_clips.reference("ann", clip.id, Window(0.5, 1.5), "some words").audio.duration_s == pytest.approx(
        1.0
    )
    with pytest.raises(UnknownClip):
        session_clips.reference("bob", *asked[1:])
    soundfile.write(tmp_path / "data" / "clips" / clip.id / AUDIO, np.zeros(24_000, np.float32), 24_000)
    with pytest.raises(BadAudio, match="changed on disk"):
        session_clips.reference(*asked)


def test_nobody_deletes_or_brings_back_a_sample_or_a_clip_of_somebody_else(
    session_clips: SessionClips, tmp_path: Path
) -> None:
    clip = session_clips.add("ann", write_clip(tmp_path / "clip.wav", seed=1), "clip.wav")
    for id in (clip.id, session_clips.samples()[0].clip_id):
        with pytest.raises(UnknownClip):
            session_clips.delete("bob", id)
    session_clips.delete("ann", clip.id)
    with pytest.raises(UnknownClip):
        session_clips.restore("bob", clip.id)


def test_the_sound_of_a_clip_deleted_a_day_ago_is_erased_unless_somebody_has_it(
    session_clips: SessionClips, clock: Clock, tmp_path: Path
) -> None:
    path = write_clip(tmp_path / "clip.wav", seed=1)
    own, shared = session_clips.add("ann", path, "own"), session_clips.add("ann", write_clip(path, seed=2), "shared")
    session_clips.add("bob", path, "shared")
    for clip in (own, shared):
        session_clips.delete("ann", clip.id)
    clock.now_s = DAY_S - 1.0
    assert session_clips.purge(DAY_S) == 0
    clock.now_s = DAY_S + 1.0
    assert session_clips.purge(DAY_S) == 2
    kept = {folder.name for folder in (tmp_path / "data" / "clips").iterdir()}
    assert own.id not in kept
    assert session_clips.get("bob", shared.id).id == shared.id
    with pytest.raises(UnknownClip):
        session_clips.restore("ann", own.id)


def test_a_clip_erased_for_one_session_stays_for_another_that_brought_the_same_sound(
    session_clips: SessionClips, tmp_path: Path
) -> None:
    path = write_clip(tmp_path / "clip.wav", seed=1)
    own, shared = session_clips.add("ann", path, "own"), session_clips.add("ann", write_clip(path, seed=2), "shared")
    session_clips.add("bob", path, "shared")
    session_clips.delete("ann", own.id)
    kept = session_clips.kept(["ann"])
    assert [(one.deleted, one.bytes > 0) for one in kept] == [(False, True), (True, True)]
    assert session_clips.erase(kept) == 2
    assert {folder.name for folder in (tmp_path / "data" / "clips").iterdir()} >= {shared.id}
    assert not (tmp_path / "data" / "clips" / own.id).exists()
    assert (list(session_clips.mine("ann")), list(session_clips.mine("bob"))) == ([], [shared.id])


def opened(data: Path) -> SessionClips:
    """As the next start opens it, days later, a round of housekeeping included."""
    session_clips = SessionClips(ClipStore(data, data.parent / "samples"), data)
    Housekeeping([session_clips], {}).tidy()
    return session_clips


@pytest.mark.parametrize("lose", WAYS.values(), ids=WAYS)
def test_clips_outlive_the_database_on_their_own_shelves(
    lose: Callable[[Path], None], session_clips: SessionClips, clock: Clock, tmp_path: Path
) -> None:
    clips = []
    for seed in (1, 2, 3):
        clock.now_s += 1.0
        clips.append(session_clips.add("ann", write_clip(tmp_path / "clip.wav", seed=seed), "clip.wav").id)
    clock.now_s = time.time()
    session_clips.delete("ann", clips[1])
    lose(tmp_path / "data")
    again = opened(tmp_path / "data")
    assert (list(again.mine("ann")), list(again.mine("bob"))) == ([clips[2], clips[0]], [])
    assert again.restore("ann", clips[1]).id == clips[1]


def test_a_clip_somebody_shelved_after_the_backup_is_not_erased_with_anothers(
    session_clips: SessionClips, clock: Clock, tmp_path: Path
) -> None:
    path = write_clip(tmp_path / "clip.wav", seed=1)
    clip = session_clips.add("ann", path, "shared")
    session_clips.delete("ann", clip.id)
    backup = backed_up(tmp_path / "data")
    session_clips.add("bob", path, "shared")
    put_back(tmp_path / "data", backup)
    again = opened(tmp_path / "data")
    assert (list(again.mine("ann")), again.get("bob", clip.id).id) == ([], clip.id)


def test_a_clip_brought_back_after_the_backup_is_not_erased_on_its_word(
    session_clips: SessionClips, tmp_path: Path
) -> None:
    clip = session_clips.add("ann", write_clip(tmp_path / "clip.wav", seed=1), "mine")
    session_clips.delete("ann", clip.id)
    backup = backed_up(tmp_path / "data")
    session_clips.restore("ann", clip.id)
    put_back(tmp_path / "data", backup)
    assert opened(tmp_path / "data").get("ann", clip.id).id == clip.id


def test_clips_of_an_earlier_studio_are_described_by_housekeeping(session_clips: SessionClips, tmp_path: Path) -> None:
    clip = session_clips.add("ann", write_clip(tmp_path / "clip.wav", seed=1), "mine")
    for path in (tmp_path / "data" / "shelves").iterdir():
        path.unlink()
    opened(tmp_path / "data")
    removed(tmp_path / "data")
    assert list(opened(tmp_path / "data").mine("ann")) == [clip.id]


def twice(session_clips: SessionClips, folder: Path) -> str:
    """The same sound as Ann brought it, of two channels, and as Bob did, of one."""
    alone = write_clip(folder / "bob.wav", seed=1)
    sound, rate = soundfile.read(alone, dtype="float32")
    soundfile.write(folder / "ann.wav", np.stack([sound, sound], axis=1), rate, subtype="FLOAT")
    ids = {
        session_clips.add("ann", folder / "ann.wav", "private demo.wav").id,
        session_clips.add("bob", alone, "bob.wav").id,
    }
    (id,) = ids
    return id


def answer(session_clips: SessionClips, session_id: str, id: str) -> tuple[str, int]:
    clip = session_clips.get(session_id, id, deleted=True)
    return clip.name, clip.source.channels


def test_the_same_sound_is_called_by_each_what_they_called_it(session_clips: SessionClips, tmp_path: Path) -> None:
    id = twice(session_clips, tmp_path)
    assert answer(session_clips, "ann", id) == ("private demo.wav", 2)
    assert answer(session_clips, "bob", id) == ("bob.wav", 1)
    session_clips.delete("bob", id)
    assert answer(session_clips, "bob", id) == ("bob.wav", 1)
    assert session_clips.restore("bob", id).name == "bob.wav"


@pytest.mark.parametrize("lose", WAYS.values(), ids=WAYS)
def test_what_each_called_it_outlives_the_database(
    lose: Callable[[Path], None], session_clips: SessionClips, tmp_path: Path
) -> None:
    id = twice(session_clips, tmp_path)
    lose(tmp_path / "data")
    again = opened(tmp_path / "data")
    assert (answer(again, "ann", id), answer(again, "bob", id)) == (("private demo.wav", 2), ("bob.wav", 1))


def test_a_sample_keeps_its_name_where_somebody_uploaded_it_first(session_clips: SessionClips, tmp_path: Path) -> None:
    mine = session_clips.add("ann", tmp_path / "samples" / "anna.wav", "private demo.wav")
    assert answer(session_clips, "bob", mine.id) == ("anna", 1)


@pytest.mark.parametrize(
    ("name", "mended"),
    [
        ("Ahri.wav", "Ahri · trimmed"),
        ("Ahri · normalised", "Ahri · trimmed"),
        ("Dr. Mundo", "Dr. Mundo · trimmed"),
        ("Ahri · whispered.flac", "Ahri · whispered · trimmed"),
    ],
)
def test_a_mended_clip_is_named_after_its_ancestor_and_the_last_mend(name: str, mended: str) -> None:
    assert repaired_name(name, "trim") == mended
