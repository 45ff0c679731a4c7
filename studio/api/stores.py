"""Stores: which there are, what they hold, what goes there and comes from there. The owner's alone."""

from dataclasses import asdict
from typing import Any
from urllib.parse import urlsplit

from fastapi import APIRouter

from studio.api.errors import SayingRoute, owners_only
from studio.api.jobs import job_teller
from studio.champions.champions import Shown
from studio.champions.disclosure import teller
from studio.jobs import Job, Jobs
from studio.stores import StoreError, TransferPlan
from studio.stores.places import FolderPlace, Place, S3Place
from studio.studio import Studio
from studio.web.ownership import Ownership


def router(studio: Studio, ownership: Ownership) -> APIRouter:
    routes = APIRouter(
        prefix="/studio/stores", tags=["stores"], route_class=SayingRoute, dependencies=[owners_only(ownership)]
    )
    champions, told = studio.champions, job_teller(teller(studio.champions.library))
    places = {place.name: where(place) for place in studio.settings.stores}

    @routes.get("")
    def stores() -> list[dict[str, str]]:
        return [{"name": name, "kind": store.kind, "where": places[name]} for name, store in champions.stores.items()]

    @routes.get("/{name}")
    def browse(name: str) -> list[dict[str, Any]]:
        return [shown_json(shown) for shown in champions.browse(name)]

    @routes.post("/{name}/{id}/push")
    def push(name: str, id: str, dry_run: bool = False) -> dict[str, Any]:
        if dry_run:
            return asdict(_planned(champions.plan_push(id, name), champions.jobs))
        return told(champions.push(id, name))

    @routes.post("/{name}/{id}/pull")
    def pull(name: str, id: str, dry_run: bool = False, as_id: str = "", expected: str = "") -> dict[str, Any]:
        if dry_run:
            return asdict(champions.store(name).plan_pull(id))
        return told(champions.pull(name, id, as_id=as_id, expected=expected))

    @routes.delete("/{name}/{id}")
    def delete(name: str, id: str, dry_run: bool = False) -> dict[str, Any]:
        store = champions.store(name)
        if dry_run:
            return asdict(store.plan_delete(id))
        store.delete(id)
        return {"deleted": id}

    return routes


def shown_json(shown: Shown) -> dict[str, Any]:
    held = shown.held
    return {
        "id": held.id,
        "bytes": held.bytes,
        "sha256": held.sha256,
        "identity": held.identity,
        "changed_at": held.changed_at.isoformat() if held.changed_at else None,
        "here": shown.here,
    }


def where(place: Place) -> str:
    """What a person reads of where a store is; an endpoint without the rest of its address."""
    if isinstance(place, FolderPlace):
        return str(place.folder)
    if isinstance(place, S3Place):
        at = f" at {urlsplit(place.endpoint).netloc}" if place.endpoint else ""
        return f"s3://{place.bucket}/{place.prefix}{at}"
    return f"hf://{place.repo}"


def _planned(job: Job, jobs: Jobs) -> TransferPlan:
    """What came of a plan, once it is made, which takes as long as packaging; meanwhile it is told among the jobs.

    Raises StoreError.
    """
    job.wait()
    jobs.forget(job.id)
    if not isinstance(job.result, TransferPlan):
        raise StoreError(job.error or "the look was cancelled; ask again")
    return job.result
