"""Champions over HTTP: everybody may list and hear them; only the owner creates, changes, packages and imports them."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import date
from functools import partial
from pathlib import PurePath
from typing import Annotated, Any

from anyio import to_thread
from fastapi import APIRouter, Request
from fastapi.responses import FileResponse
from pydantic import AfterValidator, BaseModel, Field

from engines.scheduling.manager import Manager
from studio.api.errors import ProblemRoute, SessionId, owners_only
from studio.api.jobs import job_json
from studio.api.texts import Name, Text, Transcript
from studio.api.uploads import received
from studio.champion_format.champion import BadChampion, Champion, ChampionConflict, Consent, UnknownChampion
from studio.champion_format.members import PORTRAITS, REFERENCE
from studio.champions.saved import SavedChampion
from studio.champions.serializers import ROOT, champion_json
from studio.languages import tag_of
from studio.order import read_order
from studio.references.session_clips import UPLOADS
from studio.studio import Studio
from studio.web.ownership import Ownership
from studio.web.problems import problem

PICTURE_TYPES = {".png": "image/png", ".jpg": "image/jpeg", ".webp": "image/webp"}
WEIGHTS_ENDINGS = (".pt", ".safetensors")


def _iso(value: str) -> str:
    try:
        return date.fromisoformat(value).isoformat() if value else ""
    except ValueError:
        raise ValueError("write the date as year-month-day, such as 2026-11-21") from None


class ConsentForm(BaseModel):
    by: Name
    at: Annotated[str, AfterValidator(_iso)]
    statement: Text


class ChampionForm(BaseModel):
    """The editable fields of a champion. Absent fields stay unchanged."""

    id: Name = ""
    name: Name = ""
    transcript: Transcript = ""
    engine: Name = ""
    settings: Mapping[str, int | float] = Field(default_factory=dict)
    consent: ConsentForm | None = None
    notes: Text = ""
    colour: Name = ""
    line: Text = ""
    language: Name = ""

    def applied_to(self, champion: Champion, manager: Manager) -> Champion:
        """Return the champion with the given fields. Raises BadChampion, BadSetting."""
        given = {name: getattr(self, name) for name in self.model_fields_set}
        if self.language:  # a name such as German is as good as a tag
            given["language"] = tag_of(self.language) or self.language
        if self.consent is not None:
            given["consent"] = Consent(**self.consent.model_dump())
        after = replace(champion, **given)
        if (after.engine, after.settings) != (champion.engine, champion.settings):
            _check_settings(after, champion, manager)
        return after


def _check_settings(champion: Champion, before: Champion, manager: Manager) -> None:
    """Check changed settings and a changed engine. Raises BadSetting, and BadChampion if the engine does not run here.

    An engine that came with an imported archive may stay.
    """
    read_order(champion.settings)
    limits = {status.name: status.settings for status in manager.statuses()}
    if champion.engine != before.engine and champion.engine not in limits:
        raise BadChampion(f"unknown engine {champion.engine!r}; choose one of {', '.join(limits)}")
    own = limits.get(champion.engine, {})
    for name in champion.settings.keys() & own.keys():
        own[name].check(champion.settings[name])


class CreateForm(BaseModel):
    take: Name
    champion: ChampionForm
    expected: Name = ""  # the version to replace; empty = the champion is new


class EditForm(BaseModel):
    expected: Name
    champion: ChampionForm


class RevertForm(BaseModel):
    version: Name
    expected: Name


class DuplicateForm(BaseModel):
    as_id: Name


def router(studio: Studio, ownership: Ownership) -> APIRouter:
    routes = _writing(studio, ownership)
    routes.routes.extend([*_importing(studio, ownership).routes, *_reading(studio, ownership).routes])
    return routes


def _reading(studio: Studio, ownership: Ownership) -> APIRouter:
    """Build the routes for everybody. Versions are not secret, because takes name the version that they were made with."""
    routes = APIRouter(prefix=ROOT, tags=["champions"], route_class=ProblemRoute)
    champions = studio.champions

    @routes.get("")
    def every(request: Request) -> list[dict[str, Any]]:
        owner = ownership.holds(request)
        return [champions.as_json(saved, owner=owner) for saved in champions.list()]

    @routes.get("/{id}")
    def one(id: str, request: Request, version: str = "") -> dict[str, Any]:
        return champions.as_json(champions.get(id, version), owner=ownership.holds(request))

    @routes.get("/{id}/reference.wav")
    def reference(id: str, version: str = "") -> FileResponse:
        path = champions.path(champions.get(id, version), REFERENCE)
        return FileResponse(path, media_type="audio/wav", headers=_cached(version))

    @routes.get("/{id}/portrait")
    def portrait(id: str, version: str = "") -> FileResponse:
        saved = champions.get(id, version)
        name = next((name for name in PORTRAITS if name in saved.members), None)
        if name is None:
            raise UnknownChampion(f"{saved.champion.title} has no portrait; show the default picture of the id instead")
        kind = PICTURE_TYPES[PurePath(name).suffix]
        return FileResponse(champions.path(saved, name), media_type=kind, headers=_cached(version))

    return routes


def _writing(studio: Studio, ownership: Ownership) -> APIRouter:
    """Build the routes for text, metadata, portraits and versions. A conflict returns the current version."""
    routes = APIRouter(prefix=ROOT, tags=["champions"], route_class=ProblemRoute, dependencies=[owners_only(ownership)])
    champions = studio.champions

    def answer(id: str, save: Callable[[], SavedChampion]) -> Any:
        try:
            return champions.as_json(save(), owner=True)
        except ChampionConflict as conflict:
            saved = next((saved for saved in champions.list() if saved.champion.id == id), None)
            current = saved and champions.as_json(saved, owner=True)
            return problem(str(conflict), 409, code="champion_conflict", current=current)

    @routes.post("")
    def create(form: CreateForm, session_id: SessionId) -> Any:
        voice = studio.take_voices.get(session_id, form.take)
        champion = form.champion.applied_to(champions.draft(voice), studio.manager)
        return answer(champion.id, lambda: champions.create(voice, champion, expected=form.expected))

    @routes.put("/{id}")
    def edit(id: str, form: EditForm) -> Any:
        champion = form.champion.applied_to(champions.get(id, form.expected).champion, studio.manager)
        if champion.id != id:
            raise BadChampion("the id of a champion cannot change; duplicate the champion with a new id")
        return answer(id, lambda: champions.edit(champion, expected=form.expected))

    @routes.put("/{id}/portrait")
    async def set_portrait(id: str, expected: str, request: Request) -> Any:
        picture = await request.body()
        save = partial(champions.set_portrait, id, picture, expected=expected)
        return await to_thread.run_sync(answer, id, save)

    @routes.delete("/{id}/portrait")
    def remove_portrait(id: str, expected: str) -> Any:
        return answer(id, lambda: champions.set_portrait(id, None, expected=expected))

    @routes.get("/{id}/versions")
    def versions(id: str) -> list[dict[str, Any]]:
        current = champions.get(id).version
        every = champions.versions(id)
        return [champions.as_json(saved, owner=True) | {"current": saved.version == current} for saved in every]

    @routes.post("/{id}/revert")
    def revert(id: str, form: RevertForm) -> Any:
        return answer(id, lambda: champions.revert(id, form.version, expected=form.expected))

    @routes.post("/{id}/duplicate")
    def duplicate(id: str, form: DuplicateForm) -> Any:
        return answer(form.as_id, lambda: champions.duplicate(id, form.as_id))

    @routes.delete("/{id}")
    def delete(id: str) -> dict[str, str]:
        studio.disk.delete(lambda: champions.delete(id))
        return {"deleted": id}

    @routes.post("/{id}/restore")
    def restore(id: str) -> dict[str, Any]:
        return champions.as_json(champions.restore(id), owner=True)

    return routes


def _importing(studio: Studio, ownership: Ownership) -> APIRouter:
    """Build the routes for archives and weights. They start jobs, listed at /studio/jobs; large uploads go to the disk."""
    routes = APIRouter(
        prefix="/studio", tags=["champions"], route_class=ProblemRoute, dependencies=[owners_only(ownership)]
    )
    champions, uploads = studio.champions, studio.settings.data_dir / UPLOADS

    @routes.get("/drafts/{take}")
    def draft(session_id: SessionId, take: str) -> dict[str, Any]:
        """Return the champion that would be created from this take."""
        return champion_json(champions.draft(studio.take_voices.get(session_id, take)), owner=True)

    @routes.post("/champions/{id}/package")
    def package(id: str, version: str = "") -> dict[str, Any]:
        return job_json(champions.package(id, version), champions)

    @routes.post("/champions/import")
    async def import_(request: Request, as_id: str = "", expected: str = "") -> dict[str, Any]:
        async with received(request, uploads) as archive:
            begin = partial(champions.import_archive, archive, as_id=as_id, expected=expected)
            return job_json(await to_thread.run_sync(begin), champions)

    @routes.post("/champions/{id}/weights")
    async def attach(id: str, request: Request) -> dict[str, Any]:
        await to_thread.run_sync(champions.get, id)
        async with received(request, uploads, WEIGHTS_ENDINGS) as weights:
            return job_json(await to_thread.run_sync(champions.attach, id, weights), champions)

    @routes.post("/attachments/{id}/keep")
    def save_attachment(id: str) -> dict[str, Any]:
        return champions.as_json(champions.save_attachment(id), owner=True)

    @routes.delete("/attachments/{id}")
    def drop_attachment(id: str) -> dict[str, str]:
        champions.drop_attachment(id)
        return {"dropped": id}

    return routes


def _cached(version: str) -> dict[str, str]:
    """Return cache headers: a version never changes, but the current version may."""
    return {"cache-control": "private, max-age=3600" if version else "private, no-cache"}
