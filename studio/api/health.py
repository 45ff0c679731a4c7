"""Alive, and able to speak."""

from fastapi import APIRouter
from fastapi.responses import JSONResponse

from engines.types import EngineStatus
from studio.studio import Studio


def router(studio: Studio) -> APIRouter:
    routes = APIRouter(tags=["health"])

    @routes.get("/health")
    def health() -> dict[str, str]:
        return {"status": "alive"}

    @routes.get("/ready")
    def ready() -> JSONResponse:
        """200 as soon as one engine can speak; 503 with the reason until then."""
        reason = why_not_ready(studio.manager.statuses())
        if reason:
            return JSONResponse({"ready": False, "reason": reason}, 503, headers={"retry-after": "5"})
        return JSONResponse({"ready": True})

    return routes


def can_speak(status: EngineStatus) -> bool:
    """An engine that is warming is loaded and can."""
    return status.state in ("ready", "warming")


def why_not_ready(statuses: list[EngineStatus]) -> str:
    """Empty when some engine can speak."""
    if any(can_speak(status) for status in statuses):
        return ""
    return "; ".join(f"{status.title}: {status.message}" for status in statuses) or "no engine is configured"
