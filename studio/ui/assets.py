"""The page's own style, scripts and font, served by our application: nothing comes from outside."""

from pathlib import Path

from fastapi import FastAPI, Response
from fastapi.responses import FileResponse, JSONResponse
from fastapi.staticfiles import StaticFiles
from starlette.types import Scope

ASSETS = Path(__file__).parents[2] / "assets" / "ui"
ROOT = "/studio/assets"
MODULES = sorted(path.relative_to(ASSETS).as_posix() for path in ASSETS.glob("js/**/*.js"))
STYLES = (
    "tokens",
    "base",
    "press",
    "gradio",
    "frame",
    "voice",
    "report",
    "script",
    "takes",
    "compare",
    "listening",
    "tally",
    "monitor",
    "sheet",
    "champions",
    "archives",
)


class Fresh(StaticFiles):
    """Files that browsers keep but ask about, so that an update of the studio shows at the next reload."""

    async def get_response(self, path: str, scope: Scope) -> Response:
        response = await super().get_response(path, scope)
        response.headers["cache-control"] = "no-cache"
        return response


def mount_assets(application: FastAPI) -> None:
    """Serve assets/ui, the icon, and the manifest Gradio's page asks for."""
    application.mount(ROOT, Fresh(directory=ASSETS), name="assets")

    @application.get("/favicon.ico", include_in_schema=False)
    def icon() -> FileResponse:
        return FileResponse(ASSETS / "icon.svg", media_type="image/svg+xml")

    @application.get("/manifest.json", include_in_schema=False)
    def manifest() -> JSONResponse:
        return JSONResponse({"name": "Champion Voice Studio", "icons": [{"src": f"{ROOT}/icon.svg", "sizes": "any"}]})


def head() -> str:
    """Tags for the page's head: theme before the first paint, then styles, font and modules, fetched side by side."""
    styles = [f'<link rel="stylesheet" href="{ROOT}/css/{name}.css">' for name in STYLES]
    modules = [f'<link rel="modulepreload" href="{ROOT}/{name}">' for name in MODULES]
    return "\n".join(
        (
            f'<link rel="icon" href="{ROOT}/icon.svg" type="image/svg+xml">',
            f'<link rel="preload" href="{ROOT}/fonts/inter.woff2" as="font" type="font/woff2" crossorigin>',
            *styles,
            *modules,
            f'<script type="module" src="{ROOT}/js/studio.js"></script>',
        )
    )
