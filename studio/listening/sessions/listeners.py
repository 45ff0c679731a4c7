"""Listening sessions, the listener's use case: join, hear, vote, undo, answer questions."""

import hashlib
import hmac
import io
import json
import secrets
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import soundfile

from studio.errors import Conflict, StudioError, Unauthenticated
from studio.listening.sessions import headphones
from studio.listening.sessions.arena import arena_weights
from studio.listening.sessions.conduct import TRIAL, needs_further_catches
from studio.listening.sessions.invitations import Invitations, digest
from studio.listening.sessions.results import results_of
from studio.listening.sessions.rows import InvitationRow, ListenerRow, SessionTables, VoteRow
from studio.listening.sessions.session import PAIRED, InvalidInvitation, ListeningSession, UnknownSession
from studio.listening.sessions.sounds import TrialSounds
from studio.listening.sessions.trials import SessionTrial, trials_of
from studio.listening.sessions.votes import CHOICES, NAMES, ListenerVote
from studio.listening.trial import HEARD_S, HEARD_SHARE, UnknownTrial

ListenerStage = Literal["headphones", "practice", "trials", "questions", "done"]
LISTENERS_MAX = 1_000  # of one session
ANSWER_MAX = 2_000  # characters
QUIET = 0.01  # level of the end of a sound re its highest level; the noise of `sounds.py` is below it
REMEMBERED = 5_000  # trials whose opening time is remembered


class UnknownListener(Unauthenticated):
    """The request has no valid secret of a listener."""


class AlreadyVoted(Conflict):
    """The trial of the request is not the listener's current trial."""


class BadAnswer(StudioError):
    """An answer to a question is too long, or not one of its choices."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CurrentTrial:
    """The facts of the current trial that a listener may see. A token is the address of a sound."""

    id: str
    text: str | None
    tokens: Mapping[str, str]  # by name of the side
    reference: tuple[str, str] | None  # name and token
    choices: tuple[str, ...]
    must_hear_s: float


@dataclass(frozen=True, slots=True, kw_only=True)
class ListenerState:
    """The stage and the current trial of a listener."""

    session: ListeningSession
    stage: ListenerStage
    number: int  # of the trial within the stage, from 1
    count: int
    trial: CurrentTrial | None
    can_undo: bool
    completion_code: str | None


@dataclass(frozen=True, slots=True)
class Visit:
    """A listener with the session and the votes."""

    row: ListenerRow
    session: ListeningSession
    trials: tuple[SessionTrial, ...]
    checks: int  # answered headphone checks
    votes: int

    @property
    def planned_count(self) -> int:
        """Return the number of trials without the catch trials that follow a wrong answer.

        Before the listener has voted on all these, the page must not show that more follow, because this would reveal the wrong
        answer.
        """
        return len(trials_of(self.session.plan, self.row.seed, json.loads(self.row.weights)))

    @property
    def stage(self) -> ListenerStage:
        plan = self.session.plan
        if self.row.completed_at is not None:
            return "done"
        if plan.headphones and self.checks < headphones.CHECKS:
            return "headphones"
        if self.votes < len(self.trials):
            return "practice" if self.trials[self.votes].kind == "practice" else "trials"
        return "questions"  # also without questions: the listener confirms the end, and can undo until then


class Listeners:
    """The listeners of all sessions. Thread-safe."""

    def __init__(
        self,
        tables: SessionTables,
        invitations: Invitations,
        session_of: Callable[[str], ListeningSession],
        sounds: TrialSounds,
        now: Callable[[], float],
    ) -> None:
        self._tables, self._invitations, self._session_of = tables, invitations, session_of
        self._sounds, self._now = sounds, now
        # By listener and trial: when each sound was first sent, by token. After a restart, a page loads the sounds again.
        self._opened: OrderedDict[str, dict[str, float]] = OrderedDict()

    def join(self, invitation: str) -> str:
        """Add a listener and return the secret of the listener. Raises InvalidInvitation, NotSaved."""
        link, session = self._open(invitation)
        if len(self._tables.listeners.where(listening_id=session.id)) >= LISTENERS_MAX:
            raise InvalidInvitation("this session has the maximum number of listeners; you cannot take part")
        secret = secrets.token_urlsafe(16)
        row = ListenerRow(
            id=digest(secret),
            listening_id=session.id,
            invitation_id=link.id,
            seed=secrets.randbits(48),
            weights=json.dumps(self._weights(session)),
            joined_at=self._now(),
        )
        self._tables.listeners.add(row)
        return secret

    def state(self, invitation: str, listener: str) -> ListenerState:
        """Return the state of a listener. Raises InvalidInvitation, UnknownListener, SessionNotReady."""
        return self._state(self._visit(invitation, listener))

    def sound(self, invitation: str, listener: str, token: str) -> bytes:
        """Return a sound of the listener's current trial. Raises UnknownTrial if the token is of another trial."""
        visit = self._visit(invitation, listener)
        trial, files = _trial_id(visit), self._files(visit)
        place = next((at for at in range(len(files)) if _token(visit, at) == token), None)
        if place is None:
            raise UnknownTrial("this trial is over; reload the page")
        self._opened.setdefault(f"{visit.row.id} {trial}", {}).setdefault(token, self._now())
        while len(self._opened) > REMEMBERED:
            self._opened.popitem(last=False)
        return files[place]

    def vote(self, invitation: str, listener: str, vote: ListenerVote) -> ListenerState:
        """Store a vote durably. If the response was lost and the page sends the vote again, nothing changes.

        Raises AlreadyVoted, NotHeard, BadVote, NotSaved.
        """
        visit = self._visit(invitation, listener)
        current = self._state(visit).trial
        if current is None or vote.trial != current.id:
            if self._is_stored(visit, vote):
                return self._state(visit)
            raise AlreadyVoted("this is not your current trial; reload the page")
        open_s = self._check(visit, current, vote)
        checks = visit.stage == "headphones"
        number = visit.checks if checks else visit.votes
        row = VoteRow(
            id=f"{visit.row.id}-{current.id}",
            listening_id=visit.session.id,
            listener_id=visit.row.id,
            stage="headphones" if checks else "trials",
            number=number,
            trial="{}" if checks else TRIAL.dump_json(visit.trials[number]).decode(),
            choice=vote.choice,
            scores=_scores(vote),
            took_s=min(vote.took_s, open_s),
            voted_at=self._now(),
        )
        if not self._tables.votes.add(row):
            raise AlreadyVoted("this trial already has a vote; go on with the next one")
        return self.state(invitation, listener)

    def undo(self, invitation: str, listener: str) -> ListenerState:
        """Take back the last vote. Raises AlreadyVoted if there is none, or if it can no longer be taken back."""
        visit = self._visit(invitation, listener)
        if not _can_undo(visit):
            raise AlreadyVoted("there is no vote that can be undone; reload the page")
        self._tables.votes.remove(f"{visit.row.id}-trials-{visit.votes - 1}")
        return self.state(invitation, listener)

    def answer(self, invitation: str, listener: str, answers: Mapping[str, str]) -> ListenerState:
        """Store the listener's answers to the questions, if any, and complete the listener's part.

        Raises AlreadyVoted, BadAnswer.
        """
        visit = self._visit(invitation, listener)
        if visit.row.completed_at is not None:  # the response to an earlier request was lost
            return self._state(visit)
        if visit.stage != "questions":
            raise AlreadyVoted("vote on all trials before you finish; reload the page")
        for at, question in enumerate(visit.session.plan.questions):
            answer = answers.get(str(at), "")
            if len(answer) > ANSWER_MAX or (answer and question.choices and answer not in question.choices):
                raise BadAnswer(f'correct the answer to "{question.text}", then send the answers again')
        known = {str(at): answers.get(str(at), "") for at in range(len(visit.session.plan.questions))}
        return self._complete(visit, json.dumps(known))

    def _weights(self, session: ListeningSession) -> Sequence[float]:
        if not session.plan.arena:
            return []
        listeners = self._tables.listeners.where(listening_id=session.id)
        votes = self._tables.votes.where(listening_id=session.id)
        return arena_weights(session.plan, results_of(session.plan, listeners, votes))

    def _is_stored(self, visit: Visit, vote: ListenerVote) -> bool:
        stored = self._tables.votes.get(f"{visit.row.id}-{vote.trial}")
        return stored is not None and (stored.choice, stored.scores) == (vote.choice, _scores(vote))

    def _complete(self, visit: Visit, answers: str) -> ListenerState:
        code = secrets.token_hex(4).upper()
        self._tables.listeners.change(visit.row.id, answers=answers, completed_at=self._now(), completion_code=code)
        row = self._tables.listeners.get(visit.row.id) or visit.row
        return self._state(Visit(row, visit.session, visit.trials, visit.checks, visit.votes))

    def _open(self, invitation: str) -> tuple[InvitationRow, ListeningSession]:
        link = self._invitations.open(invitation)
        session = self._session(link)
        if session.closed:
            raise InvalidInvitation("this listening session is closed; thank you")
        return link, session

    def _session(self, link: InvitationRow) -> ListeningSession:
        """Return the session of a link. Raises InvalidInvitation, SessionNotReady."""
        try:
            return self._session_of(link.listening_id)
        except UnknownSession as error:
            raise InvalidInvitation("the owner deleted this listening session; you need not do anything") from error

    def _visit(self, invitation: str, listener: str) -> Visit:
        link = self._invitations.open(invitation)
        session = self._session(link)
        row = self._tables.listeners.get(digest(listener)) if listener else None
        if row is None or row.listening_id != session.id or row.invitation_id != link.id:
            raise UnknownListener("this browser has not joined the session; reload the page to join")
        votes = self._tables.votes.where(listener_id=row.id)
        checks = sum(vote.stage == "headphones" for vote in votes)
        trials = trials_of(
            session.plan, row.seed, json.loads(row.weights), further_catches=needs_further_catches(votes)
        )
        visit = Visit(row, session, trials, checks, len(votes) - checks)
        if session.closed and visit.stage not in ("questions", "done"):
            raise InvalidInvitation("this listening session is closed; thank you")
        return visit

    def _state(self, visit: Visit) -> ListenerState:
        stage, practice = visit.stage, visit.session.plan.practice
        shown = len(visit.trials) if visit.votes >= visit.planned_count else visit.planned_count
        number, count = {
            "headphones": (visit.checks + 1, headphones.CHECKS),
            "practice": (visit.votes + 1, practice),
            "trials": (visit.votes - practice + 1, shown - practice),
        }.get(stage, (1, 1))
        return ListenerState(
            session=visit.session,
            stage=stage,
            number=number,
            count=count,
            trial=self._current(visit) if stage in ("headphones", "practice", "trials") else None,
            can_undo=_can_undo(visit),
            completion_code=visit.row.completion_code or None,
        )

    def _current(self, visit: Visit) -> CurrentTrial:
        plan, files = visit.session.plan, self._files(visit)
        tokens = [_token(visit, at) for at in range(len(files))]
        if visit.stage == "headphones":
            named = dict(zip(headphones.TONES, tokens, strict=True))
            return CurrentTrial(
                id=_trial_id(visit), text=None, tokens=named, reference=None, choices=headphones.TONES, must_hear_s=0.5
            )
        trial = visit.trials[visit.votes]
        sides = len(trial.sides)
        reference = ("X" if plan.method == "abx" else "Reference", tokens[-1]) if trial.reference else None
        return CurrentTrial(
            id=_trial_id(visit),
            text=plan.lines[trial.line] if plan.shows_text else None,
            tokens=dict(zip(NAMES, tokens[:sides], strict=False)),
            reference=reference,
            choices=CHOICES[plan.method],
            must_hear_s=round(min(HEARD_S, *(HEARD_SHARE * _sound_s(file) for file in files)), 2),
        )

    def _files(self, visit: Visit) -> Sequence[bytes]:
        if visit.stage == "headphones":
            return headphones.tones(visit.row.seed, visit.checks)
        if visit.stage not in ("practice", "trials"):
            return ()
        return self._sounds.files(visit.session.id, visit.trials[visit.votes])

    def _check(self, visit: Visit, current: CurrentTrial, vote: ListenerVote) -> float:
        """Check a vote, and return the seconds since the first sound was sent. Raises BadVote, NotHeard."""
        method = visit.session.plan.method
        if visit.stage == "headphones" or method in PAIRED:
            vote.check_choice(current.choices)
        else:
            vote.check_scores(method, "".join(current.tokens))
        names = dict(current.tokens) | (dict([current.reference]) if current.reference else {})
        sent = self._opened.get(f"{visit.row.id} {current.id}", {})
        vote.check_heard([name for name, token in names.items() if token not in sent], names, current.must_hear_s)
        open_s = self._now() - min(sent.values())
        vote.check_time(open_s, len(names) * current.must_hear_s)
        return open_s


def _trial_id(visit: Visit) -> str:
    return f"headphones-{visit.checks}" if visit.stage == "headphones" else f"trials-{visit.votes}"


def _token(visit: Visit, place: int) -> str:
    """Return the address of a sound. It cannot be computed without the listener's seed, and says nothing about the side."""
    said = f"{_trial_id(visit)} {place}"
    return hmac.digest(f"{visit.row.seed} {visit.row.id}".encode(), said.encode(), hashlib.sha256).hex()[:22]


def _scores(vote: ListenerVote) -> str:
    """Return the scores by index of the side, as JSON."""
    return json.dumps({NAMES.find(name): score for name, score in sorted(vote.scores.items())})


def _sound_s(file: bytes) -> float:
    """Return the length of a WAV file without the quiet end. All files of a trial have the same length."""
    samples, rate = soundfile.read(io.BytesIO(file), dtype="float32")
    levels = np.abs(samples)
    return (int(np.flatnonzero(levels > QUIET * levels.max()).max(initial=-1)) + 1) / rate


def _can_undo(visit: Visit) -> bool:
    is_open = visit.row.completed_at is None and not visit.session.closed
    # When the further catch trials appear, the listener could correct the wrong answer.
    reveals = visit.votes == visit.planned_count and len(visit.trials) > visit.votes
    return visit.votes > 0 and is_open and visit.stage != "headphones" and not reveals
