"""Archives of the shipped voices, as a library exports them."""

from collections.abc import Iterator
from itertools import cycle
from pathlib import Path

import soundfile

from engines.types import Audio
from studio.champion_format.champion import Champion
from studio.champion_format.members import write_members
from studio.champions.library import Library
from tests.deploy.triton.serving import ROOT
from tests.studio.archive.archives import pack_now

VOICES = sorted((ROOT / "assets" / "voices" / "references").glob("*.flac"))


def exported(folder: Path, *ids: str) -> Iterator[Path]:
    """Export {id}.tar.gz for each id, using the shipped voices in turn."""
    library = Library(folder / "library")
    for id, voice in zip(ids, cycle(VOICES), strict=False):
        samples, rate = soundfile.read(voice, dtype="float32")
        champion = Champion(id=id, transcript=voice.with_suffix(".txt").read_text("utf-8").strip())
        with library.staging() as staged:
            write_members(staged, champion, Audio(samples, rate))
            saved = library.publish(staged, expected="")
        archive = folder / f"{id}.tar.gz"
        pack_now({name: library.path(saved, name) for name in saved.members}, archive)
        yield archive
