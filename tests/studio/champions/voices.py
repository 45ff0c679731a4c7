"""Champions for tests, small and real: sound that looks like speech, words, facts."""

from pathlib import Path

from engines.types import Audio
from studio.champion_format.champion import Champion, Consent, Votes
from studio.champion_format.members import write_members
from studio.champions.library import Library
from studio.champions.saved import SavedChampion
from tests.studio.house import SAMPLE_RATE, speechlike

TRANSCRIPT = "one two three, four five six.\r\n"  # line ends as they were typed


def champion(id: str = "ahri", **facts: object) -> Champion:
    reported = {
        "name": "Ahri",
        "consent": Consent(by="the speaker", at="2026-11-21", statement="May be used in this game."),
        "votes": Votes(won=3, tied=1, lost=2),
        "settings": {"speed": 1.1, "seed": 7},
        "licence": "Apache-2.0",
        "line": "Don't you trust me?",
    }
    return Champion(id=id, transcript=TRANSCRIPT, **(reported | facts))  # type: ignore[arg-type]


def reference(seed: int = 0) -> Audio:
    return Audio(speechlike(4.0, seed), SAMPLE_RATE)


def keep(library: Library, id: str = "ahri", expected: str = "", seed: int = 0, **facts: object) -> SavedChampion:
    with library.staging() as folder:
        write_members(folder, champion(id, **facts), reference(seed))
        return library.publish(folder, expected=expected)


def files_of(folder: Path) -> set[Path]:
    return {path for path in folder.rglob("*") if path.is_file()}
