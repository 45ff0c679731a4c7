"""Wire all services of the studio, for `app.py` and for the commands of `studio.script`."""

import os

from studio.champions.creation import TakeVoices
from studio.champions.factory import open_champions
from studio.data_folder import opening
from studio.disk_space import DiskSpace
from studio.ears.ears import Ears
from studio.engines import open_manager
from studio.hearing import TakeHearing
from studio.history import History
from studio.housekeeping import sweep_leftovers
from studio.listening import Listening
from studio.named_voices import NamedVoices
from studio.references.library import SAMPLES, ClipStore
from studio.references.session_clips import SessionClips
from studio.script.checks.checker import Checker
from studio.script.factory import open_scripts
from studio.script.judging import TakeJudge
from studio.settings import Settings
from studio.speaking import SpeechService
from studio.studio import Studio
from studio.telemetry import Telemetry
from studio.telemetry.gauges import open_gauge
from studio.web.visitors import Visitors

CORES_A_CHILD = 4  # the other cores are for engines and the page


def compose(settings: Settings) -> Studio:
    """Wire all services of the studio without starting them. Raises UnusableDataFolder."""
    with opening(settings.data_dir):
        sweep_leftovers(settings.data_dir)
        DiskSpace(settings.data_dir).release_if_short()
        return _wired(settings)


def _wired(settings: Settings) -> Studio:
    manager = open_manager(settings)
    clips, history = ClipStore(settings.data_dir, SAMPLES), History(settings.data_dir)
    session_clips = SessionClips(clips, settings.data_dir)
    telemetry = Telemetry(manager, open_gauge(settings.device), disk=DiskSpace(settings.data_dir).reading)
    manager.listen(telemetry.record)
    listening = Listening(history, settings.data_dir)
    champions = open_champions(settings)
    children = max(1, (os.cpu_count() or 1) // CORES_A_CHILD)
    ears = Ears(settings.recognizer, on=settings.ears, children=children)
    hearing = TakeHearing(ears, history, busy=manager.queue, directions=settings.stage_directions)
    speaking = SpeechService(
        manager, session_clips, history, champions, directions=settings.stage_directions, kept=hearing.add
    )
    named_voices = NamedVoices(manager, champions, session_clips, settings.engines, settings.aliases)
    judge = TakeJudge(Checker(ears), lambda order: speaking.reference(order, ""))
    scripts = open_scripts(settings, manager, speaking, history, named_voices, judge, ears.align)
    return Studio(
        settings=settings,
        manager=manager,
        speaking=speaking,
        clips=clips,
        session_clips=session_clips,
        history=history,
        ears=ears,
        hearing=hearing,
        listening=listening,
        champions=champions,
        named_voices=named_voices,
        scripts=scripts,
        visitors=Visitors(settings, history, session_clips),
        disk=DiskSpace(settings.data_dir, [scripts, history, session_clips, champions]),
        take_voices=TakeVoices(history, session_clips, listening, lambda engine: manager.status(engine).licence),
        telemetry=telemetry,
    )
