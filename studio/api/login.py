"""Whether the owner asks, and how a browser becomes the owner's."""

from typing import Annotated

from fastapi import APIRouter, Request, Response
from pydantic import BaseModel, Field

from studio.api.errors import ProblemRoute
from studio.web.ownership import COOKIE, LOGIN_S, Ownership

GIVEN_MAX = 1_024  # characters


class LoginForm(BaseModel):
    user: Annotated[str, Field(max_length=GIVEN_MAX)]
    password: Annotated[str, Field(max_length=GIVEN_MAX, repr=False)]


def router(ownership: Ownership) -> APIRouter:
    routes = APIRouter(prefix="/studio", tags=["login"], route_class=ProblemRoute)

    @routes.get("/me")
    def me(request: Request, response: Response) -> dict[str, bool | str]:
        response.headers["cache-control"] = "no-store"
        return {"owner": ownership.holds(request), "login": "basic" if ownership.has_login else "none"}

    @routes.post("/login")
    def log_in(form: LoginForm, request: Request, response: Response) -> dict[str, bool]:
        value = ownership.log_in(request, form.user, form.password)
        secure = request.url.scheme == "https"
        response.set_cookie(COOKIE, value, max_age=LOGIN_S, secure=secure, httponly=True, samesite="strict")
        return {"owner": True}

    @routes.post("/logout")
    def log_out(request: Request, response: Response) -> dict[str, bool]:
        ownership.log_out(request)
        response.delete_cookie(COOKIE, httponly=True, samesite="strict")
        return {"owner": ownership.holds(request)}

    return routes
