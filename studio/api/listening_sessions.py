"""Listening sessions over HTTP for the owner: create, render, invite, results."""

import time
from dataclasses import replace
from datetime import date
from typing import Annotated, Any

from fastapi import APIRouter, Body, Request, Response
from pydantic import BaseModel, ConfigDict, Field

from engines.errors import BadText
from engines.text import parse
from studio.api.errors import ProblemRoute, owners_only
from studio.listening.sessions.evidence import winner_votes
from studio.listening.sessions.export import votes_csv
from studio.listening.sessions.report import report
from studio.listening.sessions.serializers import invitation_json, results_json, session_json
from studio.listening.sessions.session import (
    ARMS_MAX,
    LINES_MAX,
    NAME_MAX,
    QUESTIONS_MAX,
    TRIALS_MAX,
    BadSession,
    Method,
    Name,
    Question,
    Sentence,
    SessionArm,
    SessionPlan,
)
from studio.named_voices import NamedVoices
from studio.studio import Studio
from studio.web.ownership import Ownership

ROOT = "/studio/listening-sessions"
ShortText = Annotated[str, Field(max_length=NAME_MAX)]


class ArmForm(BaseModel):
    """An arm. `voice` is the id of a champion or the name of a sample."""

    model_config = ConfigDict(extra="forbid")

    name: Name
    voice: ShortText
    engine: ShortText = ""
    settings: Annotated[dict[ShortText, float | None], Field(max_length=40)] = {}

    def arm(self, voices: NamedVoices) -> SessionArm:
        """Return the arm. Raises UnknownChampion, UnknownEngine, BadSetting."""
        order = voices.order("", self.voice, self.engine, self.settings)
        limits = voices.engine(order.engine).settings
        for name in order.settings.keys() & limits.keys():
            limits[name].check(order.settings[name])
        return SessionArm(name=self.name, voice=self.voice, order=order)


class PlanForm(BaseModel):
    """The plan of a listening session."""

    model_config = ConfigDict(extra="forbid")

    name: Name
    title: ShortText = ""
    question: Sentence
    method: Method
    arms: Annotated[list[ArmForm], Field(max_length=ARMS_MAX)]
    lines: Annotated[list[Sentence], Field(max_length=LINES_MAX)]
    trials: Annotated[int, Field(ge=1, le=TRIALS_MAX)] = 10
    practice: Annotated[int, Field(ge=0, le=10)] = 1
    catches: bool = True
    headphones: bool = False
    arena: bool = False
    shows_text: bool = True
    reference: int = 0
    questions: Annotated[list[Question], Field(max_length=QUESTIONS_MAX)] = []

    def plan(self, voices: NamedVoices) -> SessionPlan:
        """Return the plan. Raises UnknownChampion, UnknownEngine, BadSetting, BadText."""
        for number, line in enumerate(self.lines, 1):
            try:
                parse(line)
            except BadText as error:
                raise BadText(f"line {number}: {error}") from error
        given = {name: getattr(self, name) for name in type(self).model_fields}
        lists = {"arms": tuple(one.arm(voices) for one in self.arms), "questions": tuple(self.questions)}
        return SessionPlan(**{**given, **lists, "lines": tuple(self.lines)})


class WinnerForm(BaseModel):
    """Name and id of the champion. Without an id, the studio derives one from the name of the voice."""

    name: ShortText = ""
    id: ShortText = ""


class InvitationForm(BaseModel):
    """A new link; `days` is its validity, null without limit."""

    note: ShortText = ""
    days: Annotated[float, Field(gt=0, le=3_650)] | None = None


def router(studio: Studio, ownership: Ownership) -> APIRouter:
    routes = APIRouter(
        prefix=ROOT, tags=["listening sessions"], route_class=ProblemRoute, dependencies=[owners_only(ownership)]
    )
    for part in (_sessions, _states, _invitations, _results):
        part(studio, routes)
    return routes


def _sessions(studio: Studio, routes: APIRouter) -> None:
    sessions, voices = studio.listening_sessions, studio.named_voices

    @routes.get("")
    def every() -> list[dict[str, Any]]:
        """Return the sessions, newest first."""
        return [session_json(status) for status in sessions.list()]

    @routes.post("", status_code=201)
    def create(form: PlanForm) -> dict[str, Any]:
        """Store a session, and begin to make its takes."""
        return session_json(sessions.create(form.plan(voices)))

    @routes.get("/{id}")
    def one(id: str) -> dict[str, Any]:
        return session_json(sessions.status(id))

    @routes.put("/{id}")
    def edit(id: str, form: PlanForm) -> dict[str, Any]:
        """Replace the plan of a session without votes."""
        return session_json(sessions.edit(id, form.plan(voices)))

    @routes.delete("/{id}", status_code=204)
    def delete(id: str) -> None:
        sessions.delete(id)


def _states(studio: Studio, routes: APIRouter) -> None:
    sessions = studio.listening_sessions

    @routes.post("/{id}/restore")
    def restore(id: str) -> dict[str, Any]:
        """Undo the deletion of a session."""
        return session_json(sessions.restore(id))

    @routes.post("/{id}/render")
    def render(id: str, on: Annotated[bool, Body(embed=True)]) -> dict[str, Any]:
        """Continue or pause the making of takes."""
        return session_json(sessions.set_rendering(id, on))

    @routes.post("/{id}/close")
    def close(id: str, closed: Annotated[bool, Body(embed=True)]) -> dict[str, Any]:
        """Close the session for listeners, or open it again."""
        return session_json(sessions.set_closed(id, closed))


def _invitations(studio: Studio, routes: APIRouter) -> None:
    sessions = studio.listening_sessions

    @routes.get("/{id}/invitations")
    def every(id: str) -> list[dict[str, Any]]:
        return [invitation_json(row, time.time()) for row in sessions.invitations.of(sessions.get(id).id)]

    @routes.post("/{id}/invitations", status_code=201)
    def invite(id: str, form: InvitationForm, request: Request) -> dict[str, Any]:
        """Return a new link. Its secret is not stored, so that only this answer contains the link."""
        made = sessions.invitations.create(sessions.get(id).id, form.note, form.days)
        link = f"{request.scope.get('root_path', '')}/listen/{made.secret}"
        return {**invitation_json(made.row, time.time()), "path": link}

    @routes.delete("/{id}/invitations/{invitation}", status_code=204)
    def revoke(id: str, invitation: str) -> None:
        sessions.invitations.revoke(id, invitation)


def _results(studio: Studio, routes: APIRouter) -> None:
    sessions = studio.listening_sessions

    @routes.get("/{id}/results")
    def results(id: str) -> dict[str, Any]:
        """Return the results of the votes so far."""
        found, listeners = sessions.results(id)
        return results_json(sessions.get(id, deleted=True).plan, found, listeners, sessions.scores(id))

    @routes.get("/{id}/votes.csv")
    def csv(id: str) -> Response:
        """Return one row for each side of each vote, with the name of the arm."""
        found, listeners = sessions.results(id)
        content = votes_csv(sessions.get(id).plan, sessions.votes(id), found, listeners)
        return _file(content, "text/csv; charset=utf-8", f"listening-{id}.csv")

    @routes.get("/{id}/report.html")
    def html(id: str) -> Response:
        """Return the results as one HTML file without external parts."""
        found, listeners = sessions.results(id)
        plan = sessions.get(id).plan
        content = report(plan, results_json(plan, found, listeners, sessions.scores(id)))
        return _file(content, "text/html; charset=utf-8", f"listening-{id}.html")

    @routes.get("/{id}/sounds/{arm}/{line}.wav")
    def sound(id: str, arm: int, line: int) -> Response:
        """Return the take of an arm and a line, so that the owner can hear it beside the results."""
        take = sessions.take(id, arm, line)
        content = studio.history.encoded(take.session_id, take.id, "wav")
        return Response(content, media_type="audio/wav", headers={"cache-control": "no-store"})

    @routes.post("/{id}/champion", status_code=201)
    def make_champion(id: str, form: WinnerForm) -> dict[str, Any]:
        """Make a champion from the best arm. Its metadata contain the votes, the method, the interval and the date."""
        plan, (found, _) = sessions.get(id).plan, sessions.results(id)
        if found.best is None:
            abx = "ABX does not show which arm is better; use A/B to choose a winner"
            raise BadSession(abx if plan.method == "abx" else "no arm has votes yet; collect votes first")
        take = sessions.take(id, found.best, 0)
        votes = winner_votes(plan, found, date.today())
        voice = replace(studio.take_voices.get(take.session_id, take.id), votes=votes)
        draft = studio.champions.draft(voice)
        settings = dict(draft.settings)
        if plan.arms[found.best].order.seed is None:  # each line had another seed
            settings.pop("seed", None)
        named = replace(draft, name=form.name.strip() or draft.name, id=form.id or draft.id, settings=settings)
        return studio.champions.as_json(studio.champions.create(voice, replace(named, votes=votes)), owner=True)


def _file(content: str, media_type: str, name: str) -> Response:
    headers = {"content-disposition": f'attachment; filename="{name}"', "cache-control": "no-store"}
    return Response(content.encode(), media_type=media_type, headers=headers)
