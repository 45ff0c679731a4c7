"""Login over HTTP: whether the caller is the owner, and how a browser logs in as the owner."""

from typing import Annotated

from fastapi import APIRouter, Request, Response
from pydantic import BaseModel, Field

from studio.api.errors import ProblemRoute, SessionId
from studio.studio import Studio
from studio.web.cookies import cookie
from studio.web.ownership import COOKIE, LOGIN_S, Ownership

GIVEN_MAX = 1_024  # characters


class LoginForm(BaseModel):
    user: Annotated[str, Field(max_length=GIVEN_MAX)]
    password: Annotated[str, Field(max_length=GIVEN_MAX, repr=False)]


def router(studio: Studio, ownership: Ownership) -> APIRouter:
    routes = APIRouter(prefix="/studio", tags=["login"], route_class=ProblemRoute)
    framed = bool(studio.settings.frame_ancestors)  # True if pages of other sites may embed the studio

    @routes.get("/me")
    def me(request: Request, response: Response, session_id: SessionId) -> dict[str, bool | str]:
        response.headers["cache-control"] = "no-store"
        if is_owner := ownership.holds(request):
            studio.visitors.claim(session_id)
        return {"owner": is_owner, "login": "basic" if ownership.has_login else "none"}

    @routes.post("/login")
    def log_in(form: LoginForm, request: Request, response: Response, session_id: SessionId) -> dict[str, bool]:
        value = studio.disk.with_reserve(lambda: ownership.log_in(request, form.user, form.password))
        studio.visitors.claim(session_id)
        given = cookie(COOKIE, value, LOGIN_S, scope=request.scope, framed=framed, strict=True)
        response.headers.append("set-cookie", given)
        return {"owner": True}

    @routes.post("/logout")
    def log_out(request: Request, response: Response) -> dict[str, bool]:
        ownership.log_out(request)
        # A browser removes the cookie only if the attributes equal those with which it was set.
        response.headers.append("set-cookie", cookie(COOKIE, "", 0, scope=request.scope, framed=framed, strict=True))
        return {"owner": ownership.holds(request)}

    return routes
