"""Long work of the library: how far it is, pause, go on, cancel, and the archives that came of it. The owner's alone."""

from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

from fastapi import APIRouter
from fastapi.responses import FileResponse

from studio.api.errors import SayingRoute, owners_only
from studio.champions.attachments import Attachment
from studio.champions.champion import ChampionConflict
from studio.champions.disclosure import Tell, teller
from studio.champions.library import Kept
from studio.jobs import Job, UnknownJob
from studio.stores.entry import TransferPlan, archive_name
from studio.studio import Studio
from studio.web.ownership import Ownership

ROOT = "/studio/jobs"
Told = Callable[[Job], dict[str, Any]]


def router(studio: Studio, ownership: Ownership) -> APIRouter:
    routes = APIRouter(prefix=ROOT, tags=["jobs"], route_class=SayingRoute, dependencies=[owners_only(ownership)])
    jobs, told = studio.champions.jobs, job_teller(teller(studio.champions.library))

    @routes.get("")
    def every() -> list[dict[str, Any]]:
        return [told(job) for job in jobs.list()]

    @routes.get("/{id}")
    def one(id: str) -> dict[str, Any]:
        return told(jobs.get(id))

    @routes.get("/{id}/archive")
    def archive(id: str) -> FileResponse:
        job = jobs.get(id)
        if not isinstance(job.result, Path) or not job.result.is_file():
            raise UnknownJob("there is no such archive, or no longer; package the champion again")
        return FileResponse(job.result, media_type="application/gzip", filename=archive_name(job.champion))

    @routes.post("/{id}/pause")
    def pause(id: str) -> dict[str, Any]:
        return told(jobs.pause(id))

    @routes.post("/{id}/resume")
    def resume(id: str) -> dict[str, Any]:
        return told(jobs.resume(id))

    @routes.post("/{id}/cancel")
    def cancel(id: str) -> dict[str, Any]:
        return told(jobs.cancel(id))

    @routes.delete("/{id}")
    def forget(id: str) -> dict[str, str]:
        jobs.forget(id)
        return {"forgotten": id}

    return routes


def job_teller(tell: Tell) -> Told:
    """A function that tells a job, and what came of it."""

    def told(job: Job) -> dict[str, Any]:
        state, progress = job.state, job.progress  # as they are now; its thread goes on
        return {
            "id": job.id,
            "kind": job.kind,
            "champion": job.champion,
            "store": job.store,
            "state": state,
            "fraction": round(progress.fraction, 4),
            "message": progress.message,
            "error": job.error,
            "conflict": job.failure.id if isinstance(job.failure, ChampionConflict) else "",
            "resumable": job.resumable,
            "result": _result(job, tell) if state == "done" else None,
        }

    return told


def _result(job: Job, tell: Tell) -> dict[str, Any] | None:
    match job.result:
        case Path():
            size = job.result.stat().st_size if job.result.is_file() else 0
            return {"archive": f"{ROOT}/{job.id}/archive", "name": archive_name(job.champion), "bytes": size}
        case Kept():
            return tell(job.result, owner=True)
        case TransferPlan():
            return asdict(job.result)
        case Attachment():
            vetted = job.result.vetted
            named = {"id": job.result.id, "champion": job.result.champion}
            return named | {"parameters": vetted.parameters, "dtype": vetted.dtype}
    return None
