"""All routes of the API."""

from fastapi import FastAPI

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


def add_routes(application: FastAPI, studio: Studio, programs: Programs) -> None:
    """Add all routes except the page, for one studio."""
    ownership, spoken = Ownership(studio.settings), answers.SpokenAnswers(studio, programs)
    parts = [
        *(part.router(studio) for part in (health, metrics, clips, script, takes, trials, live, listening)),
        *(part.router(studio, ownership) for part in (engines, champions, projects, stores, jobs, listening_sessions)),
        login.router(studio, ownership),
        voices.router(studio, programs, ownership),
        speech.router(spoken, programs),
        conversions.router(spoken, programs),
        transcriptions.router(studio, programs),
        speech_socket.router(programs, studio.ears),
        invocations.router(studio, spoken),
    ]
    routes = [route for part in parts for route in part.routes]
    # FastAPI's include_router would analyse each endpoint's parameters a second time.
    application.router.routes.extend([*routes, *not_found.catch_all_routes(routes)])
