"""What the engines and the device are doing; loading and unloading belongs to the studio's owner."""

import base64
import binascii
import ipaddress
import secrets
from typing import Annotated

from fastapi import APIRouter, Depends, HTTPException, Query, Request, Response
from pydantic import TypeAdapter

from engines.types import EngineStatus
from studio.api.saying import Owner, SayingRoute, as_json
from studio.guard import host_name
from studio.settings import LOOPBACK, Settings
from studio.studio import Studio
from studio.telemetry import Snapshot

STATUSES = TypeAdapter(list[EngineStatus])
SNAPSHOT = TypeAdapter(Snapshot)
WITHOUT_VOCABULARY = {"info": {"vocabulary"}}  # thousands of characters nobody reads here


def router(studio: Studio) -> APIRouter:
    routes = APIRouter(prefix="/studio", tags=["engines"], route_class=SayingRoute)

    def owner_only(request: Request) -> None:
        if not may_control(studio.settings, request):
            raise HTTPException(*refusal(studio.settings))

    @routes.get("/engines")
    def engines() -> Response:
        return as_json(STATUSES, studio.manager.statuses(), exclude={"__all__": WITHOUT_VOCABULARY})

    @routes.get("/telemetry")
    def telemetry(owner: Owner, series: Annotated[bool, Query()] = True) -> Response:
        snapshot = studio.telemetry.snapshot(owner, series)
        return as_json(SNAPSHOT, snapshot, exclude={"engines": {"__all__": WITHOUT_VOCABULARY}})

    @routes.post("/engines/{name}/load", dependencies=[Depends(owner_only)])
    def load(name: str) -> dict[str, str]:
        studio.manager.load(name)
        return {"state": studio.manager.status(name).state}

    @routes.post("/engines/{name}/unload", dependencies=[Depends(owner_only)])
    def unload(name: str) -> dict[str, str]:
        studio.manager.unload(name)
        return {"state": studio.manager.status(name).state}

    return routes


def may_control(settings: Settings, request: Request) -> bool:
    """Whether this is the studio's owner: who knows STUDIO_LOGIN, or without one, whoever sits at a loopback studio.

    The Host header is looked at because a proxy on this machine passes on what strangers ask.
    """
    login = settings.login.get_secret_value()
    if login:
        return secrets.compare_digest(_basic(request.headers.get("authorization", "")), login.encode())
    named = host_name(request.headers)
    return (
        settings.on_loopback and named in LOOPBACK and request.client is not None and _is_loopback(request.client.host)
    )


def refusal(settings: Settings) -> tuple[int, str, dict[str, str] | None]:
    """Status, sentence and headers for somebody who is not the owner."""
    if settings.login.get_secret_value():
        asks = {"www-authenticate": 'Basic realm="Champion Voice Studio", charset="UTF-8"'}
        return 401, "engines belong to the studio's owner; log in with STUDIO_LOGIN's user and password", asks
    return (
        403,
        "engines belong to the studio's owner; set STUDIO_LOGIN=user:password to control them from elsewhere",
        None,
    )


def _basic(authorization: str) -> bytes:
    """user:password of HTTP basic authentication; empty if it is something else."""
    scheme, _, encoded = authorization.partition(" ")
    try:
        return base64.b64decode(encoded, validate=True) if scheme.lower() == "basic" else b""
    except binascii.Error:
        return b""


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
