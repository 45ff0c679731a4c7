"""All of the studio's own routes, put together."""

from fastapi import APIRouter

from studio.api import clips, engines, health, live, script, takes, trials
from studio.studio import Studio


def router(studio: Studio) -> APIRouter:
    """The routes of design.md's doors that are served so far, over one studio."""
    routes = APIRouter()
    for part in (health, engines, clips, script, takes, trials, live):
        routes.include_router(part.router(studio))
    return routes
