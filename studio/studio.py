"""The studio's services, as routes and pages receive them."""

from dataclasses import dataclass

from engines.scheduling.manager import Manager
from studio.champions.champions import Champions
from studio.champions.creation import TakeVoices
from studio.disk.disk_space import DiskSpace
from studio.ears.ears import Ears
from studio.hearing.service import TakeHearing
from studio.history import History
from studio.idle_unload import IdleUnload
from studio.listening import Listening
from studio.listening.sessions.sessions import ListeningSessions
from studio.named_voices import NamedVoices
from studio.references.library import ClipStore
from studio.references.report_processes import ReportProcesses
from studio.references.session_clips import SessionClips
from studio.script.scripts import Scripts
from studio.settings import Settings
from studio.speaking import SpeechService
from studio.telemetry import Telemetry
from studio.web.visitors import Visitors


@dataclass(frozen=True, slots=True, kw_only=True)
class Studio:
    """All services of a studio."""

    settings: Settings
    manager: Manager
    speaking: SpeechService
    clips: ClipStore
    session_clips: SessionClips  # the clips of each session; pages and routes add and get clips through it
    history: History
    ears: Ears  # hears clips and takes
    report_processes: ReportProcesses  # reports on references that programs send
    hearing: TakeHearing  # hears the takes of the page after they are finished
    listening: Listening  # pairs of takes on the page Compare
    listening_sessions: ListeningSessions
    champions: Champions
    named_voices: NamedVoices  # voices that programs and scripts can name
    scripts: Scripts
    take_voices: TakeVoices  # takes from which champions are created
    telemetry: Telemetry
    idle_unload: IdleUnload
    disk: DiskSpace
    visitors: Visitors
