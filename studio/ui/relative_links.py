"""Change the head of Gradio's page: make links relative, for a proxy that serves a prefix, and add early.js."""

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from studio.ui.assets import ASSETS
from studio.web.proxies import route_path

MANIFEST = b'<link rel="manifest" href="/manifest.json" />'
RELATIVE = (
    b'<link rel="manifest" href="./manifest.json" /><link rel="icon" href="./favicon.ico" type="image/svg+xml" />'
)
# A block keeps the names of the script out of the global scope. The script must run before Gradio's modules.
EARLY = b"<script>{" + (ASSETS / "js" / "early.js").read_bytes() + b"}</script>"


class RelativeLinks:
    """ASGI middleware within Gradio's application, before compression."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or route_path(scope) not in ("", "/"):
            await self._app(scope, receive, send)
            return
        start: Message = {}
        page = bytearray()

        async def rewritten(message: Message) -> None:
            """Collect the page, then send the changed page as a whole."""
            nonlocal start
            if message["type"] == "http.response.start":
                start = message
                return
            page.extend(message.get("body", b""))
            if not message.get("more_body", False):
                body = bytes(page).replace(MANIFEST, RELATIVE + EARLY)
                if body:  # the response to HEAD has no body and keeps its length
                    MutableHeaders(scope=start)["content-length"] = str(len(body))
                await send(start)
                await send({"type": "http.response.body", "body": body})

        await self._app(scope, receive, rewritten)
