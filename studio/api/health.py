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
    def health() -> dict[str, str]:
        """Return the version, with status 200 as soon as the studio answers; /healthz does the same."""
        return {"status": "alive", "version": VERSION}

    @routes.head("/ready", include_in_schema=False)
    @routes.get("/ready")
    def ready() -> JSONResponse:
        """Return status 200 as soon as one engine can speak; 503 with the reason until then."""
        reason = why_not_ready(studio.manager.statuses())
        if reason:
            return problem(reason, 503, code="not_ready", ready=False, reason=reason)
        return JSONResponse({"ready": True})

    return routes


def can_speak(status: EngineStatus) -> bool:
    """Return True if the engine is loaded; the engine may still be warming up."""
    return status.state in ("ready", "warming")


def why_not_ready(statuses: list[EngineStatus]) -> str:
    """Return why no engine can speak; empty if one can."""
    if any(can_speak(status) for status in statuses):
        return ""
    return "; ".join(f"{status.title}: {status.message}" for status in statuses) or "no engine is configured"
