"""All routes of the API in one router."""

from fastapi import APIRouter

from studio.api import (
    answers,
    champions,
    clips,
    conversions,
    engines,
    health,
    invocations,
    jobs,
    listening,
    listening_sessions,
    live,
    login,
    metrics,
    not_found,
    projects,
    script,
    speech,
    speech_socket,
    stores,
    takes,
    transcriptions,
    trials,
    voices,
)
from studio.api.programs import Programs
from studio.studio import Studio
from studio.web.ownership import Ownership


def router(studio: Studio, programs: Programs) -> APIRouter:
    """Return all routes except the page, for one studio."""
    routes, ownership = APIRouter(), Ownership(studio.settings)
    for part in (health, metrics, clips, script, takes, trials, live, listening):
        routes.include_router(part.router(studio))
    for owned in (engines, champions, projects, stores, jobs, listening_sessions):
        routes.include_router(owned.router(studio, ownership))
    routes.include_router(login.router(studio, ownership))
    routes.include_router(voices.router(studio, programs, ownership))
    spoken = answers.SpokenAnswers(studio, programs)
    routes.include_router(speech.router(spoken, programs))
    routes.include_router(conversions.router(spoken, programs))
    routes.include_router(transcriptions.router(studio, programs))
    routes.include_router(speech_socket.router(programs, studio.ears))
    routes.include_router(invocations.router(studio, spoken))
    routes.include_router(not_found.router(routes))
    return routes
