"""Programs' addresses and methods that there are not; behind every other route."""

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse
from starlette.routing import Match

from studio.web.problems import problem

METHODS = ["DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT"]


def router(known: APIRouter) -> APIRouter:
    """`known` has every other route."""
    routes, others = APIRouter(include_in_schema=False), [*known.routes]

    @routes.api_route("/v1/{rest:path}", methods=METHODS)
    @routes.api_route("/voice/{rest:path}", methods=METHODS)
    def elsewhere(request: Request) -> JSONResponse:
        asked = [(method, {**request.scope, "method": method}) for method in METHODS]
        taken = [name for name, scope in asked if any(each.matches(scope)[0] is Match.FULL for each in others)]
        if taken:
            detail = f"this address takes {' and '.join(taken)}, not {request.method}; /docs describes it"
            return problem(detail, 405, headers={"allow": ", ".join(taken)})
        return problem("there is nothing at this address; /docs lists what there is", 404)

    return routes
