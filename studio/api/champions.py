"""Champions over HTTP: anybody lists and hears them; keeping, changing, packaging and bringing is the owner's."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import date
from functools import partial
from pathlib import PurePath
from typing import Annotated, Any

from anyio import to_thread
from fastapi import APIRouter, Request
from fastapi.responses import FileResponse, JSONResponse
from pydantic import AfterValidator, BaseModel, Field

from engines.scheduling.manager import Manager
from studio.api.errors import Owner, SayingRoute, owners_only
from studio.api.jobs import job_teller
from studio.api.uploads import received
from studio.champions.champion import NAME_MAX, BadChampion, Champion, ChampionConflict, Consent, UnknownChampion
from studio.champions.disclosure import ROOT, Tell, facts, teller
from studio.champions.library import Kept
from studio.champions.members import PORTRAITS, REFERENCE
from studio.order import read_order
from studio.references.session_clips import UPLOADS
from studio.studio import Studio
from studio.web.ownership import Ownership

PICTURE_TYPES = {".png": "image/png", ".jpg": "image/jpeg", ".webp": "image/webp"}
WEIGHTS_ENDINGS = (".pt", ".safetensors")


def _iso(value: str) -> str:
    try:
        return date.fromisoformat(value).isoformat() if value else ""
    except ValueError:
        raise ValueError("a date is year-month-day, as in 2026-11-21") from None


class ConsentForm(BaseModel):
    by: Annotated[str, Field(max_length=NAME_MAX)]
    at: Annotated[str, AfterValidator(_iso)]
    statement: str


class ChampionForm(BaseModel):
    """What a person writes of a champion; what is left out stays as it was."""

    id: str = ""
    name: str = ""
    transcript: str = ""
    engine: Annotated[str, Field(max_length=32)] = ""
    settings: Mapping[str, int | float] = Field(default_factory=dict)
    consent: ConsentForm | None = None
    notes: str = ""
    colour: str = ""
    line: str = ""

    def over(self, champion: Champion, manager: Manager) -> Champion:
        """That champion with what was given. Raises BadChampion, BadSetting."""
        given = {name: getattr(self, name) for name in self.model_fields_set}
        if self.consent is not None:
            given["consent"] = Consent(**self.consent.model_dump())
        after = replace(champion, **given)
        if (after.engine, after.settings) != (champion.engine, champion.settings):
            _judge(after, champion, manager)
        return after


def _judge(champion: Champion, before: Champion, manager: Manager) -> None:
    """Whether it can speak like that. An engine that came with an archive and does not run here knows best itself."""
    read_order(champion.settings)
    limits = {status.name: status.settings for status in manager.statuses()}
    if champion.engine != before.engine and champion.engine not in limits:
        raise BadChampion(f"this studio has no engine {champion.engine!r}; choose one of {', '.join(limits)}")
    own = limits.get(champion.engine, {})
    for name in champion.settings.keys() & own.keys():
        own[name].check(name, champion.settings[name])


class Keep(BaseModel):
    take: str
    champion: ChampionForm
    expected: str = ""  # the version to save over; empty = there is none


class Edit(BaseModel):
    expected: str
    champion: ChampionForm


class Revert(BaseModel):
    version: str
    expected: str


class Duplicate(BaseModel):
    as_id: str


def router(studio: Studio, ownership: Ownership) -> APIRouter:
    tell = teller(studio.champions.library)
    routes = APIRouter()
    routes.include_router(_writing(studio, ownership, tell))
    routes.include_router(_bringing(studio, ownership, tell))
    routes.include_router(_reading(studio, ownership, tell))
    return routes


def _reading(studio: Studio, ownership: Ownership, tell: Tell) -> APIRouter:
    """For everybody. A version is no secret: takes that were made with it name it."""
    routes = APIRouter(prefix=ROOT, tags=["champions"], route_class=SayingRoute)
    library = studio.champions.library

    @routes.get("")
    def champions(request: Request) -> list[dict[str, Any]]:
        owner = ownership.holds(request)
        return [tell(kept, owner=owner) for kept in library.list()]

    @routes.get("/{id}")
    def champion(id: str, request: Request, version: str = "") -> dict[str, Any]:
        return tell(library.get(id, version), owner=ownership.holds(request))

    @routes.get("/{id}/reference.wav")
    def reference(id: str, version: str = "") -> FileResponse:
        path = library.path(library.get(id, version), REFERENCE)
        return FileResponse(path, media_type="audio/wav", headers=_kept(version))

    @routes.get("/{id}/portrait")
    def portrait(id: str, version: str = "") -> FileResponse:
        kept = library.get(id, version)
        name = next((name for name in PORTRAITS if name in kept.members), None)
        if name is None:
            raise UnknownChampion(f"{kept.champion.title} has no portrait; draw its mark from its id")
        kind = PICTURE_TYPES[PurePath(name).suffix]
        return FileResponse(library.path(kept, name), media_type=kind, headers=_kept(version))

    return routes


def _writing(studio: Studio, ownership: Ownership, tell: Tell) -> APIRouter:
    """Words, facts, portraits and versions. A conflict is answered with what somebody else saved meanwhile."""
    routes = APIRouter(prefix=ROOT, tags=["champions"], route_class=SayingRoute, dependencies=[owners_only(ownership)])
    keeping, library = studio.champions.keeping, studio.champions.library

    def saved(id: str, save: Callable[[], Kept]) -> Any:
        try:
            return tell(save(), owner=True)
        except ChampionConflict as conflict:
            current = next((tell(kept, owner=True) for kept in library.list() if kept.champion.id == id), None)
            return JSONResponse({"error": str(conflict), "current": current}, 409)

    @routes.post("")
    def keep(form: Keep, owner: Owner) -> Any:
        champion = form.champion.over(keeping.draft(owner, form.take), studio.manager)
        return saved(champion.id, lambda: keeping.keep(owner, form.take, champion, expected=form.expected))

    @routes.put("/{id}")
    def edit(id: str, form: Edit) -> Any:
        champion = form.champion.over(library.get(id, form.expected).champion, studio.manager)
        if champion.id != id:
            raise BadChampion("a champion keeps its id; duplicate it under another one")
        return saved(id, lambda: library.edit(champion, expected=form.expected))

    @routes.put("/{id}/portrait")
    async def draw(id: str, expected: str, request: Request) -> Any:
        picture = await request.body()
        return await to_thread.run_sync(saved, id, lambda: keeping.draw(id, picture, expected=expected))

    @routes.delete("/{id}/portrait")
    def undraw(id: str, expected: str) -> Any:
        return saved(id, lambda: keeping.draw(id, None, expected=expected))

    @routes.get("/{id}/versions")
    def versions(id: str) -> list[dict[str, Any]]:
        current = library.get(id).version
        return [tell(kept, owner=True) | {"current": kept.version == current} for kept in library.versions(id)]

    @routes.post("/{id}/revert")
    def revert(id: str, form: Revert) -> Any:
        return saved(id, lambda: library.revert(id, form.version, expected=form.expected))

    @routes.post("/{id}/duplicate")
    def duplicate(id: str, form: Duplicate) -> Any:
        return saved(form.as_id, lambda: library.duplicate(id, form.as_id))

    @routes.delete("/{id}")
    def delete(id: str) -> dict[str, str]:
        library.delete(id)
        return {"deleted": id}

    @routes.post("/{id}/restore")
    def restore(id: str) -> dict[str, Any]:
        return tell(library.restore(id), owner=True)

    return routes


def _bringing(studio: Studio, ownership: Ownership, tell: Tell) -> APIRouter:
    """Archives and weights: long work, told by /studio/jobs. What is sent may be gigabytes, and goes to the disk."""
    routes = APIRouter(
        prefix="/studio", tags=["champions"], route_class=SayingRoute, dependencies=[owners_only(ownership)]
    )
    champions, uploads, told = studio.champions, studio.settings.data_dir / UPLOADS, job_teller(tell)

    @routes.get("/drafts/{take}")
    def draft(owner: Owner, take: str) -> dict[str, Any]:
        """What a champion of this take would be."""
        return facts(champions.keeping.draft(owner, take), owner=True)

    @routes.post("/champions/{id}/package")
    def package(id: str, version: str = "") -> dict[str, Any]:
        return told(champions.package(id, version))

    @routes.post("/champions/import")
    async def bring(request: Request, as_id: str = "", expected: str = "") -> dict[str, Any]:
        async with received(request, uploads) as archive:
            begin = partial(champions.bring, archive, as_id=as_id, expected=expected)
            return told(await to_thread.run_sync(begin))

    @routes.post("/champions/{id}/weights")
    async def attach(id: str, request: Request) -> dict[str, Any]:
        await to_thread.run_sync(champions.library.get, id)
        async with received(request, uploads, WEIGHTS_ENDINGS) as weights:
            return told(await to_thread.run_sync(champions.attach, id, weights))

    @routes.post("/attachments/{id}/keep")
    def tune(id: str) -> dict[str, Any]:
        return tell(champions.attaching.keep(id), owner=True)

    @routes.delete("/attachments/{id}")
    def drop(id: str) -> dict[str, str]:
        champions.attaching.drop(id)
        return {"dropped": id}

    return routes


def _kept(version: str) -> dict[str, str]:
    """What a version holds never changes; the current one may be another at the next look."""
    return {"cache-control": "private, max-age=3600" if version else "private, no-cache"}
