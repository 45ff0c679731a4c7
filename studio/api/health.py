"""Health checks: whether the studio answers, and whether it can speak."""

from fastapi import APIRouter
from fastapi.responses import JSONResponse

from engines.types import EngineStatus
from studio.api.errors import ProblemRoute
from studio.studio import Studio
from studio.version import VERSION
from studio.web.problems import problem


def router(studio: Studio) -> APIRouter:
    routes = APIRouter(tags=["health"], route_class=ProblemRoute)

    @routes.head("/healthz", include_in_schema=False)
    @routes.get("/healthz", include_in_schema=False)
    @routes.head("/health", include_in_schema=False)
    @routes.get("/health")
    def health() -> JSONResponse:
        """Return status 200 and the version. /healthz is another path for this check.

        The status is 503, with the reason, while the studio recovers from a hanging step or a failed scheduler.
        """
        if reason := studio.manager.failure:
            return problem(reason, 503, code="not_ready", version=VERSION, reason=reason)
        return JSONResponse({"status": "alive", "version": VERSION})

    @routes.head("/ready", include_in_schema=False)
    @routes.get("/ready")
    def ready() -> JSONResponse:
        """Return status 200 if an engine can speak, or was unloaded because it was idle: the next request loads it.

        Otherwise, and while a step hangs, return status 503 with the reason.
        """
        reason = why_not_ready(studio)
        if reason:
            return problem(reason, 503, code="not_ready", ready=False, reason=reason)
        return JSONResponse({"ready": True})

    return routes


def can_speak(status: EngineStatus) -> bool:
    """Return True if the engine is loaded; the engine may still be warming up."""
    return status.state in ("ready", "warming")


def why_not_ready(studio: Studio) -> str:
    """Return why no engine can speak; empty if an engine can speak, or was unloaded because it was idle."""
    manager = studio.manager
    statuses = manager.statuses()
    if reason := manager.failure or manager.delay:
        return reason
    if any(can_speak(status) or studio.idle_unload.asleep(status.name) for status in statuses):
        return ""
    return "; ".join(f"{status.title}: {status.message}" for status in statuses) or "no engine is configured"
