"""Every service of the studio, wired: app.py serves them, the shell of scripts renders with them."""

import os
from pathlib import Path

from studio.champions.creation import TakeVoices
from studio.champions.factory import open_champions
from studio.engines import open_manager
from studio.history import History
from studio.listening import Listening
from studio.named_voices import NamedVoices
from studio.references.library import ClipStore
from studio.references.session_clips import SessionClips
from studio.script.checks.alignment import align
from studio.script.checks.checker import Checker
from studio.script.factory import open_scripts
from studio.script.judging import TakeJudge
from studio.settings import Settings
from studio.speaking import SpeechService
from studio.studio import Studio
from studio.telemetry import Telemetry
from studio.telemetry.gauges import open_gauge

CORES_A_CHECKER = 4  # engines and the page need the others
SAMPLES = Path(__file__).parents[1] / "assets" / "voices" / "references"


def compose(settings: Settings) -> Studio:
    """Every service of the studio, wired; nothing runs yet."""
    manager = open_manager(settings)
    clips, history = ClipStore(settings.data_dir, SAMPLES), History(settings.data_dir)
    session_clips = SessionClips(clips, settings.data_dir)
    telemetry = Telemetry(manager, open_gauge(settings.device))
    manager.listen(telemetry.record)
    listening = Listening(history, settings.data_dir)
    champions = open_champions(settings)
    speaking = SpeechService(manager, session_clips, history, champions)
    named_voices = NamedVoices(manager, champions, session_clips, settings.engines, settings.aliases)
    checkers = [Checker() for _ in range(max(1, (os.cpu_count() or 1) // CORES_A_CHECKER))]
    judge = TakeJudge(checkers, lambda order: speaking.reference(order, ""))
    return Studio(
        settings=settings,
        manager=manager,
        speaking=speaking,
        clips=clips,
        session_clips=session_clips,
        history=history,
        listening=listening,
        champions=champions,
        named_voices=named_voices,
        scripts=open_scripts(settings, manager, speaking, history, named_voices, judge, align),
        take_voices=TakeVoices(history, session_clips, listening, lambda engine: manager.status(engine).licence),
        telemetry=telemetry,
    )
