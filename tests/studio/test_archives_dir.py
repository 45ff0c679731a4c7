"""STUDIO_ARCHIVES_DIR: archives that lie ready become champions at the start, before an engine can speak."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from engines.base import Checkpoint
from engines.registry import EngineOptions
from engines.scheduling.manager import Manager, Policy
from engines.types import Progress
from studio.champions.library import Library
from studio.listening.sessions.sessions import ListeningSessions
from studio.script.factory import open_scripts
from studio.script.word_alignment import WordAlignment
from studio.settings import Settings
from tests.engines.metronome import Metronome, spec_of
from tests.studio.archive.archives import base, files, pack_now
from tests.studio.champions.voices import keep
from tests.studio.house import ENGINE, knows_every_language, passing, studio_of, unaligned
from tests.waiting import until


class Latecomer(Metronome):
    """Notes which champions are there when it loads."""

    def __init__(self, library: Library) -> None:
        super().__init__()
        self.library, self.found = library, set[str]()

    def load(self, checkpoint: Checkpoint) -> Iterator[Progress]:
        self.found = {saved.champion.id for saved in self.library.list()}
        yield from super().load(checkpoint)


def test_archives_become_champions_named_like_their_files_and_kept_ones_stay(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    from app import begin  # takes seconds, which collecting other tests need not

    folder = tmp_path / "archives"
    folder.mkdir()
    pack_now(files(tmp_path / "members", base()), folder / "ahri.tar.gz")
    for copy in ("yasuo", "kept"):
        (folder / f"{copy}.tar.gz").write_bytes((folder / "ahri.tar.gz").read_bytes())
    (folder / "broken.tar.gz").write_bytes(b"no archive")
    (folder / "Misnamed.tar.gz").write_bytes(b"no archive")
    (folder / "notes.txt").write_text("no archive")
    settings = Settings(data_dir=tmp_path / "data", archives_dir=folder)
    library = Library(settings.data_dir)
    kept, metronome = keep(library, id="kept"), Latecomer(library)
    with studio_of(tmp_path, metronome, settings=settings) as studio:
        until(lambda: studio.manager.status(ENGINE).state == "ready")
        manager = Manager({ENGINE: Checkpoint("brass")}, EngineOptions(), Policy(), specs=spec_of)
        rendering = (
            studio.speaking,
            studio.history,
            studio.named_voices,
            passing,
            WordAlignment(unaligned, knows_every_language),
        )
        sessions = ListeningSessions(settings.data_dir, manager, studio.history, studio.speaking, studio.ears)
        scripts = open_scripts(settings, manager, *rendering)
        beginning = replace(studio, manager=manager, scripts=scripts, listening_sessions=sessions)
        begin(beginning)
        until(lambda: manager.status(ENGINE).state == "ready")
        beginning.scripts.renderer.close()
        sessions.renderer.close()
        manager.close(0.0)
        assert metronome.found == {"ahri", "yasuo", "kept"}
        assert studio.champions.get("kept").version == kept.version
    logged = [record.getMessage() for record in caplog.records if "is not imported" in record.getMessage()]
    assert len(logged) == 2
    assert "rename the file, for example to misnamed.tar.gz" in logged[0]
    assert "broken.tar.gz" in logged[1]
