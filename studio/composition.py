"""Wire all services of the studio, for `app.py` and for the commands of `studio.script`."""

import os
import sys

from studio.champions.creation import TakeVoices
from studio.champions.factory import open_champions
from studio.disk.data_folder import opening
from studio.disk.disk_space import DiskSpace
from studio.disk.housekeeping import sweep_leftovers
from studio.ears.ears import Ears
from studio.engines import open_manager
from studio.hearing.pauses import EarsPauses
from studio.hearing.service import TakeHearing
from studio.history import History
from studio.idle_unload import IdleUnload
from studio.listening import Listening
from studio.listening.sessions.sessions import ListeningSessions
from studio.named_voices import NamedVoices
from studio.passages import Passages
from studio.references.library import SAMPLES, ClipStore
from studio.references.report_processes import ReportProcesses
from studio.references.session_clips import SessionClips
from studio.script.checks.checker import Checker
from studio.script.factory import open_scripts
from studio.script.take_checker import TakeChecker
from studio.script.word_alignment import WordAlignment
from studio.settings import Settings
from studio.speaking import SpeechService
from studio.studio import Studio
from studio.telemetry import Telemetry
from studio.telemetry.cloudwatch import CloudWatch
from studio.telemetry.gauges import open_gauge
from studio.telemetry.recorder import Recorder
from studio.telemetry.traces import open_traces
from studio.web.visitors import Visitors

AGAIN_S = 60.0  # time for another take in place of one that ran away
# Cores of the machine for each child process of a kind, which leaves cores for the engines and the page. A machine with too few
# cores for two children makes reports on references in threads.
CORES_A_CHILD = 4
REPORTS_AT_ONCE = 4  # each process takes about 100 MB


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
    telemetry = Telemetry(
        manager,
        open_gauge(settings.device),
        disk=DiskSpace(settings.data_dir).reading,
        recorder=Recorder(lambda engine: manager.status(engine).info, settings.data_dir),
        cloudwatch=CloudWatch(_write_stdout) if settings.cloudwatch_metrics else None,
        traces=open_traces(),
    )
    manager.listen(telemetry.record)
    idle_unload = IdleUnload(manager, settings.data_dir, telemetry.queued_engines)
    manager.listen(idle_unload.record)
    telemetry.show_idle(idle_unload.states)
    listening = Listening(history, settings.data_dir)
    champions = open_champions(settings)
    named_voices = NamedVoices(manager, champions, session_clips, settings.engines, settings.aliases)
    children = max(1, (os.cpu_count() or 1) // CORES_A_CHILD)
    ears = Ears(settings.recognizer, on=settings.ears, children=children)
    hearing = TakeHearing(
        ears,
        history,
        busy=manager.queue,
        directions=settings.stage_directions,
        again=lambda take: speaking.speak_again(take, AGAIN_S),
    )
    passages = Passages(manager, lambda voice, engine: named_voices.order("", voice, engine, {}))
    speaking = SpeechService(
        manager,
        session_clips,
        history,
        champions,
        passages=passages,
        directions=settings.stage_directions,
        kept=hearing.add,
        recorder=telemetry.recorder,
        # With fewer than 2 * CORES_A_CHILD cores, the ears would delay the first audio.
        submitted=EarsPauses(ears).follow if children < 2 else lambda ticket: None,
    )
    check_take = TakeChecker(
        Checker(ears),
        lambda order: speaking.reference(order, ""),
        speaking.uses_reference,
        passages.pace,
        lambda order, voice: speaking.voice_pace(order, voice, ""),
    )
    alignment = WordAlignment(ears.align, ears.why_unheard)
    scripts = open_scripts(settings, manager, speaking, history, named_voices, check_take, alignment)
    return Studio(
        settings=settings,
        manager=manager,
        speaking=speaking,
        clips=clips,
        session_clips=session_clips,
        history=history,
        ears=ears,
        report_processes=ReportProcesses(0 if children < 2 else min(children, REPORTS_AT_ONCE)),
        hearing=hearing,
        listening=listening,
        listening_sessions=ListeningSessions(settings.data_dir, manager, history, speaking, ears),
        champions=champions,
        named_voices=named_voices,
        scripts=scripts,
        visitors=Visitors(settings, history, session_clips),
        disk=DiskSpace(settings.data_dir, [scripts.projects, history, session_clips, champions]),
        take_voices=TakeVoices(
            history,
            session_clips,
            listening,
            lambda engine: manager.status(engine).licence,
            directions=settings.stage_directions,
        ),
        telemetry=telemetry,
        idle_unload=idle_unload,
    )


def _write_stdout(line: str) -> None:
    sys.stdout.write(line)
    sys.stdout.flush()
