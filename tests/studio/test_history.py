"""Takes survive whatever happens to the process and belong to their session alone."""

import io
import json
import os
import signal
import sqlite3
import subprocess
import sys
import zipfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import soundfile

from engines.types import Audio, Cost, Reference, Request, Take
from studio.disk.database import NotSaved
from studio.disk.housekeeping import UNDO_S
from studio.history import History, UnknownTake, take_json
from studio.order import Order

ROOT = Path(__file__).parents[2]
ORDER = Order(
    text="Welcome to the rift, [pause:0.8s] summoner! More words follow.",
    clip_id="clip",
    start_s=0.25,
    end_s=6.5,
    transcript="what was said",
    seed=42,
    settings={"speed": 1.1, "steps": 16},
)


def take(seconds: float = 0.5, seed: int = 0) -> Take:
    """Loud noise, beyond full scale here and there, as an engine may make it."""
    samples = np.random.default_rng(seed).standard_normal(int(seconds * 24_000)).astype(np.float32)
    audio = Audio(samples, 24_000)
    request = Request(engine="f5", text=ORDER.text, reference=Reference(audio, "what was said"), seed=42)
    cost = Cost(queued_s=0.1, ttfa_s=0.4, total_s=2.0, compute_s=1.5, audio_s=seconds)
    return Take(request, audio, cost, "embedded")


@pytest.fixture
def history(tmp_path: Path) -> History:
    return History(tmp_path)


def folder(history: History) -> Path:
    return history.audio_path("anna", history.list("anna")[0].id).parent


def test_a_take_comes_back_exactly_after_a_restart(tmp_path: Path) -> None:
    made = take()
    stored = History(tmp_path).add("anna", ORDER, made)
    again = History(tmp_path)
    assert again.get("anna", stored.id) == stored
    assert again.get("anna", stored.id).order == ORDER
    np.testing.assert_array_equal(again.audio("anna", stored.id).samples, made.audio.samples)


def test_an_engines_note_on_a_take_is_saved_and_returned(tmp_path: Path) -> None:
    note = "The speech of “Welcome” did not end after 9.0 s and was cut."
    stored = History(tmp_path).add("anna", ORDER, replace(take(), notes=(note,)))
    (tmp_path / "studio.sqlite").unlink()
    again = History(tmp_path).get("anna", stored.id)
    assert again.notes == (note,)
    assert take_json(again)["notes"] == [note]


def test_takes_are_listed_newest_first(tmp_path: Path) -> None:
    times = iter(range(100, 200))
    history = History(tmp_path, now=lambda: float(next(times)))
    ids = [history.add("anna", ORDER, take()).id for _ in range(3)]
    assert [one.id for one in history.list("anna")] == ids[::-1]


def test_another_owners_take_is_unknown(history: History) -> None:
    id = history.add("anna", ORDER, take()).id
    assert history.list("bert") == []
    for act in (
        lambda: history.get("bert", id),
        lambda: history.audio("bert", id),
        lambda: history.star("bert", id, True),
        lambda: history.delete("bert", id),
        lambda: history.restore("bert", id),
        lambda: history.export("bert", [id], "wav"),
        lambda: history.get("anna", "../../etc/passwd"),
    ):
        with pytest.raises(UnknownTake):
            act()
    assert not history.get("anna", id).starred


def test_deleting_hides_and_restoring_brings_back(history: History) -> None:
    stored = history.add("anna", ORDER, take())
    history.delete("anna", stored.id)
    assert history.list("anna") == []
    with pytest.raises(UnknownTake):
        history.get("anna", stored.id)
    assert history.restore("anna", stored.id) == stored
    assert history.audio("anna", stored.id).duration_s == 0.5


def test_a_star_stays(tmp_path: Path) -> None:
    history = History(tmp_path)
    id = history.add("anna", ORDER, take()).id
    assert history.star("anna", id, True).starred
    assert History(tmp_path).get("anna", id).starred
    assert not history.star("anna", id, False).starred


def test_a_folder_stays_and_is_one_however_it_is_written(tmp_path: Path) -> None:
    history = History(tmp_path)
    ids = [history.add("anna", ORDER, take(0.1)).id for _ in range(2)]
    for id, name in zip(ids, ("Éclair", " E\u0301clair "), strict=True):
        history.move("anna", [id], name)
    assert {one.folder for one in History(tmp_path).list("anna")} == {"Éclair"}
    assert [one.folder for one in history.move("anna", ids, "")] == ["", ""]


def test_what_fails_on_the_last_of_many_takes_leaves_all_as_they_were(history: History) -> None:
    ids = [history.add("anna", ORDER, take(0.1)).id for _ in range(2)]
    kept = history.list("anna")
    first, last = (folder(history) / f"{id}.json" for id in ids)
    before = first.read_bytes()
    last.unlink()
    last.mkdir()  # nothing can be written in its place
    for act in (lambda: history.move("anna", ids, "Act 2"), lambda: history.delete_all("anna", ids)):
        with pytest.raises(NotSaved):
            act()
        assert history.list("anna") == kept
        assert first.read_bytes() == before


def test_what_was_deleted_over_a_day_ago_is_purged(tmp_path: Path) -> None:
    clock = [1_000_000.0]
    history = History(tmp_path, now=lambda: clock[0])
    old, young, kept = (history.add("anna", ORDER, take()).id for _ in range(3))
    history.delete("anna", old)
    clock[0] += 80_000
    history.delete("anna", young)
    clock[0] += 10_000
    again = History(tmp_path, now=lambda: clock[0])
    assert again.purge(UNDO_S) == 1
    with pytest.raises(UnknownTake):
        again.restore("anna", old)
    assert again.restore("anna", young).id == young
    assert {path.stem for path in (tmp_path / "takes").iterdir()} == {young, kept}


def test_a_take_deleted_before_the_clock_was_set_back_is_purged_a_day_later(tmp_path: Path) -> None:
    clock = [2_000_000_000.0]
    history = History(tmp_path, now=lambda: clock[0])
    history.delete("anna", history.add("anna", ORDER, take()).id)
    clock[0] = 1_000_000.0
    assert history.purge(UNDO_S) == 0
    clock[0] += UNDO_S + 1
    assert history.purge(UNDO_S) == 1


def test_many_threads_may_add_read_and_delete_at_once(history: History) -> None:
    def life(number: int) -> tuple[str, bool]:
        made = take(0.05, number)
        id = history.add("anna", ORDER, made).id
        same = bool(np.array_equal(history.audio("anna", id).samples, made.audio.samples))
        history.star("anna", id, True)
        history.list("anna")
        if number % 2:
            history.delete("anna", id)
        return id, same

    with ThreadPoolExecutor(24) as pool:
        lives = list(pool.map(life, range(120)))
    assert all(same for _, same in lives)
    assert {one.id for one in history.list("anna")} == {id for id, _ in lives[::2]}
    assert all(one.starred for one in history.list("anna"))


ENDLESS = """
import sys
from pathlib import Path
from studio.history import History
from tests.studio.test_history import ORDER, take
history = History(Path(sys.argv[1]))
while True:
    print(history.add("anna", ORDER, take(2.0)).id, flush=True)
"""


@pytest.mark.long
def test_every_take_reported_saved_survives_kill_9(tmp_path: Path) -> None:
    writer = subprocess.Popen(
        [sys.executable, "-c", ENDLESS, str(tmp_path)], cwd=ROOT, stdout=subprocess.PIPE, text=True
    )
    assert writer.stdout is not None
    reported = [writer.stdout.readline().strip() for _ in range(8)]
    writer.send_signal(signal.SIGKILL)
    reported += [line.strip() for line in writer.stdout if line.endswith("\n")]
    writer.wait()
    writer.stdout.close()
    history = History(tmp_path)
    listed = history.list("anna")
    assert set(reported) <= {one.id for one in listed}
    for one in listed:
        np.testing.assert_array_equal(history.audio("anna", one.id).samples, take(2.0).audio.samples)


@pytest.fixture
def small_disk(tmp_path: Path) -> Path:
    disk = tmp_path / "disk"
    disk.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "none", str(disk)], check=False).returncode:
        pytest.skip("mounting a small disk needs root")
    return disk


def test_a_full_disk_is_said_clearly_and_leaves_nothing_behind(small_disk: Path) -> None:
    try:
        history = History(small_disk)
        kept = history.add("anna", ORDER, take(1.0))
        with pytest.raises(NotSaved, match="disk is full"):
            history.add("anna", ORDER, take(20.0))
        assert history.list("anna") == [kept]
        assert {path.stem for path in (small_disk / "takes").iterdir()} == {kept.id}
        history.close()
    finally:
        subprocess.run(["umount", str(small_disk)], check=True)


def test_a_disk_too_full_for_a_row_is_said_clearly(small_disk: Path) -> None:
    try:
        history = History(small_disk)
        kept = history.add("anna", ORDER, take(0.1))
        free = os.statvfs(small_disk).f_bavail * os.statvfs(small_disk).f_frsize
        (small_disk / "filler").write_bytes(b"x" * free)
        with pytest.raises(NotSaved, match="disk is full"):
            for _ in range(2000):  # the write-ahead log may have room for some rows still
                history.star("anna", kept.id, True)
        (small_disk / "filler").unlink()
        assert history.star("anna", kept.id, True).starred
        history.close()
    finally:
        subprocess.run(["umount", str(small_disk)], check=True)


def test_a_lost_audio_file_is_said_clearly(history: History, tmp_path: Path) -> None:
    id = history.add("anna", ORDER, take()).id
    (tmp_path / "takes" / f"{id}.wav").unlink()
    with pytest.raises(UnknownTake, match="missing on disk"):
        history.audio("anna", id)


def test_a_zip_holds_each_takes_audio_and_request_under_readable_names(history: History) -> None:
    made = [take(seed=number) for number in range(2)]
    ids = [history.add("anna", ORDER, one).id for one in made]
    packed = b"".join(history.export("anna", ids, "wav", lambda order: "Mira (studio)"))
    archive = zipfile.ZipFile(io.BytesIO(packed))
    stem = "mira-studio-f5-42-welcome-to-the-rift-summoner-more"
    assert archive.namelist() == [f"{stem}.wav", f"{stem}.json", f"{stem}-(2).wav", f"{stem}-(2).json"]
    samples, rate = soundfile.read(io.BytesIO(archive.read(f"{stem}-(2).wav")), dtype="float32")
    np.testing.assert_array_equal(samples, made[1].audio.samples)
    described = json.loads(archive.read(f"{stem}.json"))
    assert (rate, described["order"]["text"], described["order"]["seed"]) == (24_000, ORDER.text, 42)
    assert "anna" not in archive.read(f"{stem}.json").decode()


def test_a_zip_is_streamed_take_by_take(history: History) -> None:
    ids = [history.add("anna", ORDER, take(1.0)).id for _ in range(5)]
    pieces = [len(piece) for piece in history.export("anna", ids, "wav")]
    assert len(pieces) == 6
    assert max(pieces) < 110_000  # one take of 96 kB, never two


@pytest.mark.parametrize("format", ["flac", "mp3"])
def test_other_formats_hold_the_same_length_of_sound(history: History, format: str) -> None:
    id = history.add("anna", ORDER, take(2.0)).id
    sound = soundfile.info(io.BytesIO(history.encoded("anna", id, format)))  # type: ignore[arg-type]
    assert sound.format == format.upper()
    assert sound.frames / sound.samplerate == pytest.approx(2.0, abs=0.1)


def test_peaks_draw_the_take(history: History) -> None:
    stored = history.add("anna", ORDER, take(2.0))
    assert len(stored.peaks) == 200
    assert all(0.0 <= peak <= 1.0 for peak in stored.peaks)


def test_a_row_of_an_older_studio_without_newer_settings_is_read(history: History, tmp_path: Path) -> None:
    id = history.add("anna", ORDER, take()).id
    older = {"text": "t", "clip_id": "c", "start_s": 0, "end_s": 1, "transcript": "x", "dropped_setting": 1}
    with sqlite3.connect(tmp_path / "studio.sqlite") as rows:
        rows.execute('update take set "order" = ? where id = ?', (json.dumps(older), id))
    assert history.get("anna", id).order.engine == "f5"
