"""Sheets over HTTP: import, read, edit, remove, export."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Annotated, Any, Literal

from anyio import to_thread
from fastapi import APIRouter, Query, Request, Response
from pydantic import BaseModel, Field

from studio.api.texts import Name
from studio.api.uploads import received
from studio.references.session_clips import UPLOADS
from studio.script.format.script import SheetForm
from studio.script.sheet_edit import SheetEdit
from studio.studio import Studio
from studio.web.downloads import attachment

TEXT_MAX = 4_000_000  # characters of pasted text
MEDIA_TYPES = {
    "csv": "text/csv",
    "tsv": "text/tab-separated-values",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
}


class Pasted(BaseModel):
    text: Annotated[str, Field(max_length=TEXT_MAX)]
    name: Name = "pasted.tsv"


def sheet_routes(studio: Studio, routes: APIRouter) -> None:
    scripts = studio.scripts

    @routes.post("/{project}/sheets", status_code=201)
    async def add(project: str, name: str, request: Request, encoding: str = "") -> dict[str, Any]:
        """Import the CSV, TSV or XLSX file in the body. Without `encoding`, the encoding of a CSV is guessed."""
        async with received(request, studio.settings.data_dir / UPLOADS) as path:
            try:
                return await to_thread.run_sync(scripts.files.add, project, path, name, encoding)
            finally:
                path.unlink()

    @routes.post("/{project}/sheets/paste", status_code=201)
    def paste(project: str, form: Pasted) -> dict[str, Any]:
        """Import cells as a spreadsheet copies them to the clipboard."""
        return scripts.files.paste(project, form.text, form.name)

    @routes.post("/encodings")
    async def encodings(name: str, request: Request) -> Sequence[Mapping[str, Any]]:
        """Return the possible encodings of the body's file, most likely first, each with lines in that encoding."""
        async with received(request, studio.settings.data_dir / UPLOADS) as path:
            try:
                return await to_thread.run_sync(scripts.files.encodings, path, name)
            finally:
                path.unlink()

    @routes.get("/{project}/sheets/{sheet}")
    def one(project: str, sheet: str, since: int = 0, cast: str = "") -> dict[str, Any]:
        return scripts.views.sheet(project, sheet, since, cast)

    @routes.patch("/{project}/sheets/{sheet}")
    def edit(project: str, sheet: str, edit: SheetEdit) -> dict[str, Any]:
        return scripts.sheets.edit(project, sheet, edit)

    @routes.delete("/{project}/sheets/{sheet}")
    def remove(project: str, sheet: str) -> dict[str, Any]:
        return studio.disk.delete(lambda: scripts.sheets.remove(project, sheet))

    @routes.post("/{project}/sheets/{sheet}/restore")
    def restore(project: str, sheet: str) -> dict[str, Any]:
        return scripts.sheets.restore(project, sheet)

    @routes.get("/{project}/sheets/{sheet}/file")
    def file(project: str, sheet: str, kind: Annotated[Literal["", "csv", "tsv", "xlsx"], Query()] = "") -> Response:
        """Return the sheet with its edits, in its original form or as another kind of file without formulas."""
        name, data = scripts.files.export(project, sheet, _form(kind) if kind else None)
        media_type = MEDIA_TYPES[name.rpartition(".")[2]]
        return Response(data, media_type=media_type, headers=attachment(name) | {"cache-control": "no-store"})


def _form(kind: Literal["csv", "tsv", "xlsx"]) -> SheetForm:
    form = SheetForm(kind=kind, encoding="utf-8-sig" if kind == "csv" else "utf-8")
    return replace(form, delimiter="\t") if kind == "tsv" else form
