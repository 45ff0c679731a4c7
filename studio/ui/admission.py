"""Who may call which named endpoint, asked before Gradio looks at what was sent, whichever way the call came."""

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

ELSEWHERE = "upload the file itself first; the studio opens no address and no file of its own disk"
Rule = Callable[[Request], object]  # raises EngineError for whoever may not


class UnknownEndpoint(NotFound):
    """The page has no function of this name or number."""


class EndpointRules:
    """The rules of all endpoints, by name; what has none is for nobody."""

    def __init__(self, rules: Mapping[str, Rule]) -> None:
        self._rules = rules

    def require(self, endpoint: object, request: Request, data: Any) -> None:
        """Raises EngineError for callers who may not, and for files that were not uploaded."""
        rule = self._rules.get(str(endpoint))
        if rule is None:
            raise UnknownEndpoint(
                "the page has no such function for you; /gradio_api/info lists them, or reload the page"
            )
        rule(request)
        if not all(map(was_uploaded, files_among(data))):
            raise BadInput(ELSEWHERE)


class GuardedBlocks(gr.Blocks):
    """Gradio's blocks, whose functions are called by those alone who may."""

    rules: EndpointRules | None = None

    async def process_api(
        self, block_fn: BlockFunction | int, inputs: list[Any], *args: Any, **how: Any
    ) -> dict[str, Any]:
        """Called once for each call, and again for each further output of a generator."""
        if self.rules is not None and how.get("request") is not None and how.get("iterator") is None:
            called, request = self.fns[block_fn] if isinstance(block_fn, int) else block_fn, asker(how["request"])
            try:
                await to_thread.run_sync(self.rules.require, called.api_name, request, inputs)
            except EngineError as error:
                raise refused(error, request) from error
        result: dict[str, Any] = await super().process_api(block_fn, inputs, *args, **how)
        return result


def open_to_all(request: Request) -> None:
    """The rule of what every visitor may call."""


def refused(error: EngineError, request: Request) -> gr.Error:
    """As Gradio's clients get it; `PageRefusals` makes a problem document of it where an answer has a status."""
    request.scope.setdefault("state", {})["refused"] = error
    return gr.Error(str(error), print_exception=False)


def asker(request: gr.Request | Request) -> Request:
    """Whose request this is: Gradio hands on its own or the server's."""
    return cast(Request, request.request) if isinstance(request, gr.Request) else request


def files_among(data: Any) -> list[object]:
    """Paths of the files among the inputs of a call, however deep they lie."""
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
    """Whether it lies where Gradio keeps uploads; it would fetch an address, and copy other files to where it serves them."""
    try:
        return isinstance(path, str) and Path(path).resolve().is_relative_to(Path(get_upload_folder()).resolve())
    except ValueError:  # no path at all
        return False
