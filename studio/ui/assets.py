"""The page's own style, scripts and font, served by our application: nothing comes from outside."""

import hashlib
from pathlib import Path

from fastapi import FastAPI, Response
from fastapi.responses import FileResponse, JSONResponse
from fastapi.staticfiles import StaticFiles
from starlette.types import Scope

ASSETS = Path(__file__).parents[2] / "assets" / "ui"
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
    "lines",
    "lines-phone",
    "line-takes",
    "casting",
)


def _version() -> str:
    """Of all files together: another one where any byte differs."""
    digest = hashlib.sha256()
    for path in sorted(path for path in ASSETS.rglob("*") if path.is_file()):
        digest.update(f"{path.relative_to(ASSETS).as_posix()} {path.stat().st_size}\n".encode() + path.read_bytes())
    return digest.hexdigest()[:16]


VERSION = _version()
ROOT = f"/studio/assets/{VERSION}"


class Versioned(StaticFiles):
    """Files whose address names their version, so that a browser keeps them without asking again.

    A page that was opened before an update still finds its files: under another version they are served, but not kept.
    """

    async def get_response(self, path: str, scope: Scope) -> Response:
        response = await super().get_response(path, scope)
        known = scope["path_params"]["version"] == VERSION
        response.headers["cache-control"] = "public, max-age=31536000, immutable" if known else "no-cache"
        return response


def mount_assets(application: FastAPI) -> None:
    """Serve assets/ui, the icon, and the manifest Gradio's page asks for."""
    application.mount("/studio/assets/{version}", Versioned(directory=ASSETS), name="assets")

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
