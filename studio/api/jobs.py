"""Jobs over HTTP, for the owner: progress, pause, resume, cancel, and the archives that jobs made."""

from dataclasses import asdict
from pathlib import Path
from typing import Any

from fastapi import APIRouter
from fastapi.responses import FileResponse

from studio.api.errors import ProblemRoute, owners_only
from studio.champion_format.champion import ChampionConflict
from studio.champions.attachments import Attachment
from studio.champions.champions import Champions
from studio.champions.saved import SavedChampion
from studio.jobs import Job, UnknownJob
from studio.stores.entry import TransferPlan, archive_name
from studio.studio import Studio
from studio.telemetry.records import kind_of
from studio.web.downloads import attachment
from studio.web.ownership import Ownership

ROOT = "/studio/jobs"


def router(studio: Studio, ownership: Ownership) -> APIRouter:
    routes = APIRouter(prefix=ROOT, tags=["jobs"], route_class=ProblemRoute, dependencies=[owners_only(ownership)])
    champions, jobs = studio.champions, studio.champions.jobs

    @routes.get("")
    def every() -> list[dict[str, Any]]:
        return [job_json(job, champions) for job in jobs.list()]

    @routes.get("/{id}")
    def one(id: str) -> dict[str, Any]:
        return job_json(jobs.get(id), champions)

    @routes.get("/{id}/archive")
    def archive(id: str) -> FileResponse:
        job = jobs.get(id)
        if not isinstance(job.result, Path) or not job.result.is_file():
            raise UnknownJob("the archive is no longer available; export the archive again")
        return FileResponse(job.result, media_type="application/gzip", headers=attachment(archive_name(job.subject)))

    @routes.post("/{id}/pause")
    def pause(id: str) -> dict[str, Any]:
        return job_json(jobs.pause(id), champions)

    @routes.post("/{id}/resume")
    def resume(id: str) -> dict[str, Any]:
        return job_json(jobs.resume(id), champions)

    @routes.post("/{id}/cancel")
    def cancel(id: str) -> dict[str, Any]:
        return job_json(jobs.cancel(id), champions)

    @routes.delete("/{id}")
    def forget(id: str) -> dict[str, str]:
        jobs.forget(id)
        return {"forgotten": id}

    return routes


def job_json(job: Job, champions: Champions) -> dict[str, Any]:
    """Return the state of a job, and its result once it is done."""
    state, progress = job.state, job.progress  # read once, because the job's thread changes them
    return {
        "id": job.id,
        "kind": job.kind,
        "champion": job.subject,
        "store": job.store,
        "state": state,
        "fraction": round(progress.fraction, 4),
        "message": progress.message,
        "error": job.error,
        "code": kind_of(job.failure) if job.failure else "",
        "conflict": job.failure.id if isinstance(job.failure, ChampionConflict) else "",
        "resumable": job.resumable,
        "result": _result(job, champions) if state == "done" else None,
    }


def _result(job: Job, champions: Champions) -> dict[str, Any] | None:
    match job.result:
        case Path():
            size = job.result.stat().st_size if job.result.is_file() else 0
            return {"archive": f"{ROOT}/{job.id}/archive", "name": archive_name(job.subject), "bytes": size}
        case SavedChampion():
            return champions.as_json(job.result, owner=True)
        case TransferPlan():
            return asdict(job.result)
        case Attachment():
            vetted = job.result.vetted
            named = {"id": job.result.id, "champion": job.result.champion}
            return named | {"parameters": vetted.parameters, "dtype": vetted.dtype}
    return None
