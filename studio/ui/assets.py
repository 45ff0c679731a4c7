"""The page's styles, scripts and fonts, served by the studio; nothing is loaded from other sites."""

import hashlib
import re
from pathlib import Path

from fastapi import FastAPI, Response
from fastapi.responses import FileResponse, JSONResponse
from fastapi.staticfiles import StaticFiles
from starlette.middleware.gzip import GZipMiddleware
from starlette.types import Scope

from studio import version

ASSETS = Path(__file__).parents[2] / "assets" / "ui"
IMPORT = re.compile(r'(?:^(?:import|export|}).*?|: \(\) => import\()"(\.[^"]+)"', re.MULTILINE)
STYLE = Path("css/studio.css")  # served path of all STYLES in one file
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
    "sessions",
    "monitor",
    "sheet",
    "champions",
    "archives",
    "lines",
    "lines-phone",
    "update",
    "line-notes",
    "line-takes",
    "casting",
)


def _version() -> str:
    """Return a digest of all files."""
    digest = hashlib.sha256()
    for path in sorted(path for path in ASSETS.rglob("*") if path.is_file()):
        digest.update(f"{path.relative_to(ASSETS).as_posix()} {path.stat().st_size}\n".encode() + path.read_bytes())
    return digest.hexdigest()[:16]


VERSION = _version()
ROOT = f"/studio/assets/{VERSION}"


class Versioned(StaticFiles):
    """Files whose address contains a version, so that browsers cache them without revalidation.

    A page that was opened before an update still gets its files: under another version, files are served but not cached.
    """

    async def get_response(self, path: str, scope: Scope) -> Response:
        joined = Path(path) == STYLE
        response = Response(style(), media_type="text/css") if joined else await super().get_response(path, scope)
        known = scope["path_params"]["version"] == VERSION
        response.headers["cache-control"] = "public, max-age=31536000, immutable" if known else "no-cache"
        return response


def style() -> str:
    """Return all styles as one file."""
    return "\n".join((ASSETS / "css" / f"{name}.css").read_text("utf-8") for name in STYLES)


def modules() -> list[str]:
    """Return the scripts with which every page starts: studio.js and its imports, without the modules of single pages."""
    found = [ASSETS / "js" / "studio.js"]
    for path in found:
        imported = [(path.parent / name).resolve() for name in IMPORT.findall(path.read_text("utf-8"))]
        found += [each for each in imported if each not in found and each.name != "page.js"]
    return sorted(path.relative_to(ASSETS).as_posix() for path in found)


def mount_assets(application: FastAPI) -> None:
    """Serve assets/ui, the icon, and the manifest that Gradio's page requests."""
    application.mount("/studio/assets/{version}", GZipMiddleware(Versioned(directory=ASSETS)), name="assets")

    @application.get("/favicon.ico", include_in_schema=False)
    def icon() -> FileResponse:
        return FileResponse(ASSETS / "icon.svg", media_type="image/svg+xml")

    @application.get("/manifest.json", include_in_schema=False)
    def manifest() -> JSONResponse:
        return JSONResponse({"name": "Champion Voice Studio", "icons": [{"src": f".{ROOT}/icon.svg", "sizes": "any"}]})


def head() -> str:
    """Return tags for the head of the page: version, style, font and the first modules, which load in parallel.

    The addresses are relative to the page, because a proxy may serve the page under a prefix.
    """
    preloads = [f'<link rel="modulepreload" href=".{ROOT}/{name}">' for name in modules()]
    return "\n".join(
        (
            f'<meta name="studio-version" content="{version.VERSION}">',
            f'<link rel="icon" href=".{ROOT}/icon.svg" type="image/svg+xml">',
            f'<link rel="preload" href=".{ROOT}/fonts/inter.woff2" as="font" type="font/woff2" crossorigin>',
            f'<link rel="stylesheet" href=".{ROOT}/{STYLE.as_posix()}">',
            *preloads,
            f'<script type="module" src=".{ROOT}/js/studio.js"></script>',
        )
    )
