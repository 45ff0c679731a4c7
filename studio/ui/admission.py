"""Check who may call a named endpoint, before Gradio reads the inputs. This applies to every kind of call."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, cast

import gradio as gr
from anyio import to_thread
from gradio.block_function import BlockFunction
from gradio.utils import get_upload_folder
from starlette.requests import Request

from engines.errors import BadInput, EngineError
from studio.errors import NotFound

UPLOAD_FIRST = "upload the file first; the studio does not open URLs or files on its own disk"
Rule = Callable[[Request], object]  # raises EngineError if the caller has no permission


class UnknownEndpoint(NotFound):
    """The page has no function of this name or number."""


class EndpointRules:
    """The rules of all endpoints, by name; an endpoint without a rule cannot be called."""

    def __init__(self, rules: Mapping[str, Rule]) -> None:
        self._rules = rules

    def require(self, endpoint: object, request: Request, data: Any) -> None:
        """Check a call. Raises EngineError if the caller lacks permission, or if a file was not uploaded."""
        rule = self._rules.get(str(endpoint))
        if rule is None:
            raise UnknownEndpoint("unknown function; see /gradio_api/info, or reload the page")
        rule(request)
        if not all(map(was_uploaded, files_among(data))):
            raise BadInput(UPLOAD_FIRST)


class GuardedBlocks(gr.Blocks):
    """Gradio's blocks with a check of the caller before each call of a function."""

    rules: EndpointRules | None = None

    async def process_api(
        self, block_fn: BlockFunction | int, inputs: list[Any], *args: Any, **how: Any
    ) -> dict[str, Any]:
        """Check the caller at the first call, then run the function. Gradio calls this for each output of a generator."""
        if self.rules is not None and how.get("request") is not None and how.get("iterator") is None:
            called, request = (
                self.fns[block_fn] if isinstance(block_fn, int) else block_fn,
                starlette_request(how["request"]),
            )
            try:
                await to_thread.run_sync(self.rules.require, called.api_name, request, inputs)
            except EngineError as error:
                raise refused(error, request) from error
        result: dict[str, Any] = await super().process_api(block_fn, inputs, *args, **how)
        return result


def open_to_all(request: Request) -> None:
    """Allow every visitor."""


def refused(error: EngineError, request: Request) -> gr.Error:
    """Return the error for Gradio's clients. `PageRefusals` turns it into a problem document if the response has a status."""
    request.scope.setdefault("state", {})["refused"] = error
    return gr.Error(str(error), print_exception=False)


def starlette_request(request: gr.Request | Request) -> Request:
    """Return the server's request. Gradio passes it directly or inside its own request."""
    return cast(Request, request.request) if isinstance(request, gr.Request) else request


def files_among(data: Any) -> list[object]:
    """Return the paths of the files in the inputs of a call, at any depth."""
    paths, places = [], [data]
    while places:
        place = places.pop()
        if isinstance(place, dict):
            paths += [place["path"]] if {"path", "meta"} <= place.keys() else []
            places += place.values()
        elif isinstance(place, list):
            places += place
    return paths


def was_uploaded(path: object) -> bool:
    """Return True if the file is in Gradio's folder of uploads.

    Gradio would download an address, and copy any other file to a folder that it serves.
    """
    try:
        return isinstance(path, str) and Path(path).resolve().is_relative_to(Path(get_upload_folder()).resolve())
    except ValueError:  # not a path
        return False
