"""All of the studio's own routes, put together."""

from fastapi import APIRouter

from studio.api import champions, clips, engines, health, jobs, live, login, script, speech, stores, takes, trials
from studio.studio import Studio
from studio.web.ownership import Ownership


def router(studio: Studio) -> APIRouter:
    """The routes of design.md's doors that are served so far, over one studio."""
    routes, ownership = APIRouter(), Ownership(studio.settings)
    for part in (health, clips, script, takes, trials, live, speech):
        routes.include_router(part.router(studio))
    for owned in (engines, champions, stores, jobs):
        routes.include_router(owned.router(studio, ownership))
    routes.include_router(login.router(ownership))
    return routes
