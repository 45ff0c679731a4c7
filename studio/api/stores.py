"""Stores over HTTP, for the owner: list, browse, send and fetch archives."""

from dataclasses import asdict
from typing import Any

from fastapi import APIRouter

from studio.api.errors import ProblemRoute, owners_only
from studio.api.jobs import job_json
from studio.champions.champions import ListedArchive
from studio.jobs import Job, Jobs
from studio.stores.entry import TransferPlan
from studio.stores.errors import StoreError
from studio.studio import Studio
from studio.web.ownership import Ownership


def router(studio: Studio, ownership: Ownership) -> APIRouter:
    routes = APIRouter(
        prefix="/studio/stores", tags=["stores"], route_class=ProblemRoute, dependencies=[owners_only(ownership)]
    )
    champions = studio.champions

    @routes.get("")
    def stores() -> list[dict[str, Any]]:
        """List the stores; `deliveries` is true for stores that accept deliveries."""
        taking = studio.scripts.deliveries.stores
        return [
            {"name": each.name, "title": each.title, "where": each.address, "deliveries": each.name in taking}
            for each in studio.settings.stores
        ]

    @routes.get("/{name}")
    def browse(name: str) -> list[dict[str, Any]]:
        return [listed_json(listed) for listed in champions.browse(name)]

    @routes.post("/{name}/{id}/push")
    def push(name: str, id: str, dry_run: bool = False) -> dict[str, Any]:
        if dry_run:
            return asdict(_planned(champions.plan_push(id, name), champions.jobs))
        return job_json(champions.push(id, name), champions)

    @routes.post("/{name}/{id}/pull")
    def pull(name: str, id: str, dry_run: bool = False, as_id: str = "", expected: str = "") -> dict[str, Any]:
        if dry_run:
            return asdict(champions.plan_pull(name, id))
        return job_json(champions.pull(name, id, as_id=as_id, expected=expected), champions)

    @routes.delete("/{name}/{id}")
    def delete(name: str, id: str, dry_run: bool = False) -> dict[str, Any]:
        if dry_run:
            return asdict(champions.plan_store_deletion(name, id))
        champions.delete_from_store(name, id)
        return {"deleted": id}

    return routes


def listed_json(listed: ListedArchive) -> dict[str, Any]:
    entry = listed.entry
    return {
        "id": entry.id,
        "bytes": entry.bytes,
        "sha256": entry.sha256,
        "identity": entry.identity,
        "changed_at": entry.changed_at.isoformat() if entry.changed_at else None,
        "here": listed.here,
        "note": entry.note,
    }


def _planned(job: Job, jobs: Jobs) -> TransferPlan:
    """Wait for a plan's job, which packs the archive first, and return the plan. Meanwhile the job is listed.

    Raises StoreError.
    """
    job.wait()
    jobs.forget(job.id)
    if not isinstance(job.result, TransferPlan):
        raise StoreError(job.error or "preparing the upload was cancelled; try again")
    return job.result
