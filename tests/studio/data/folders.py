"""Small data folders with every kind of content."""

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from engines.types import Progress
from studio.champions.library import Library
from studio.history import History
from studio.idle_unload import FILE as IDLE_UNLOAD
from studio.listening import Ballot, Listening
from studio.listening.sessions.rows import InvitationRow, ListenerRow, SessionRow, SessionTables, VoteRow
from studio.references.library import ClipStore
from studio.references.session_clips import SessionClips
from studio.script.format.script import SheetForm, Table
from studio.script.projects import Projects
from tests.browser.serving import ROOT
from tests.studio.champions.voices import keep
from tests.studio.house import write_clip
from tests.studio.listening.takes import keep as keep_take

SESSION = "anna"
HEARD_S = 2.0
NONE: Mapping[str, str] = {}


def report_nothing(progress: Progress) -> None:
    """Report nothing."""


def fill_folder(data: Path) -> Path:
    """Fill a data folder with two takes, a vote on both, a listening session with a vote, a champion, a clip and a sheet."""
    history = History(data)
    a, b = (keep_take(history, seed=seed, checkpoint=name) for seed, name in ((1, "brass"), (2, "nickel")))
    voted(Listening(history, data, now=iter(range(1_000, 9_000, 100)).__next__), a.id, b.id)
    history.close()
    vote_in_session(data)
    keep(Library(data))
    SessionClips(ClipStore(data), data).add(SESSION, write_clip(data / "clip.wav"), "clip.wav")
    (data / "clip.wav").unlink()
    projects = Projects(data)
    table = Table(columns=("id", "text"), rows=(("L1", "one two"), ("L2", "three")), form=SheetForm(kind="csv"))
    projects.add_sheet(projects.create("Act 2").id, "act2.csv", table, {"id": 0, "text": 1})
    (data / IDLE_UNLOAD).parent.mkdir()
    (data / IDLE_UNLOAD).write_text('{"f5": 900.0}')
    return data


def voted(listening: Listening, a: str, b: str) -> None:
    trial = listening.open(SESSION, a, b)
    for side in trial.sides:
        listening.sound(SESSION, side.token)
    listening.vote(SESSION, trial.id, Ballot(choice="a", heard_a_s=HEARD_S, heard_b_s=HEARD_S))
    listening.reveal(SESSION, trial.id)


def vote_in_session(data: Path) -> None:
    """Store a session, a link, a listener and a vote."""
    tables = SessionTables(data)
    tables.sessions.add(SessionRow(id="s1", created_at=1.0, plan="{}"))
    tables.invitations.add(InvitationRow(id="i1", listening_id="s1", note="ann", created_at=2.0))
    tables.listeners.add(ListenerRow(id="l1", listening_id="s1", invitation_id="i1", seed=7, joined_at=3.0))
    cast = {"stage": "trials", "number": 0, "trial": "{}", "choice": "a", "took_s": 4.0, "voted_at": 5.0}
    tables.votes.add(VoteRow(id="l1-trials-0", listening_id="s1", listener_id="l1", **cast))


def content(data: Path) -> dict[str, Any]:
    """Return all content of a data folder as the services read it, with the bytes of the audio."""
    history, library, projects = History(data), Library(data), Projects(data)
    clips = SessionClips(ClipStore(data), data)
    takes, tables = history.list(SESSION), SessionTables(data)
    return {
        "idle unload": (data / IDLE_UNLOAD).read_text(),
        "takes": {take.id: (take, history.audio_path(SESSION, take.id).read_bytes()) for take in takes},
        "votes": Listening(history, data).tally(SESSION),
        "listening": [
            [row.model_dump() for row in table.where()]
            for table in (tables.sessions, tables.invitations, tables.listeners, tables.votes)
        ],
        "champions": library.list(),
        "members": {name: library.path(one, name).read_bytes() for one in library.list() for name in one.members},
        "clips": {id: clips.get(SESSION, id).audio.digest for id in clips.mine(SESSION)},
        "projects": projects.list(),
        "sheets": [projects.sheets(project.id) for project in projects.list()],
    }


def run_command(*arguments: object, environment: Mapping[str, str] = NONE) -> subprocess.CompletedProcess[str]:
    """Run the command in a new process, as an operator does."""
    command = [sys.executable, "-m", "studio.data", *map(str, arguments)]
    variables = {**os.environ, **environment}
    return subprocess.run(command, cwd=ROOT, env=variables, capture_output=True, text=True, check=False)
