"""Sheet updates over HTTP: compare a sheet with its changed file, and merge the file."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from anyio import to_thread
from fastapi import APIRouter, Form, Request, UploadFile
from pydantic import TypeAdapter, ValidationError

from engines.errors import BadInput
from studio.api.uploads import received
from studio.references.session_clips import UPLOADS
from studio.script.sheet_updates import UpdateChoice
from studio.script.tables import SheetFile
from studio.studio import Studio

UPDATE_CHOICE = TypeAdapter(UpdateChoice)


def sheet_update_routes(studio: Studio, routes: APIRouter) -> None:
    scripts = studio.scripts

    async def sent(request: Request, name: str, encoding: str) -> SheetFile:
        async with received(request, studio.settings.data_dir / UPLOADS) as path:
            data = path.read_bytes()
            path.unlink()
        return SheetFile(data=data, name=name, encoding=encoding)

    @routes.put("/{project}/sheets/{sheet}/file")
    async def update(
        project: str, sheet: str, name: str, request: Request, preview: bool = False, encoding: str = ""
    ) -> dict[str, Any]:
        """Replace a sheet by the body's file, whose values replace all edits. `preview` only compares, line by line."""
        file = await sent(request, name, encoding)
        if preview:
            return await to_thread.run_sync(lambda: scripts.updates.compare(project, sheet, file.table()))
        return await to_thread.run_sync(scripts.files.update, project, sheet, file)

    @routes.post("/{project}/sheets/{sheet}/update")
    def update_keeping(
        project: str,
        sheet: str,
        file: UploadFile,
        choice: Annotated[str, Form()],
        encoding: Annotated[str, Form()] = "",
    ) -> dict[str, Any]:
        """Replace a sheet by a form's `file`. The `choice`, as JSON, names the lines whose edits stay."""
        changed = SheetFile(data=file.file.read(), name=file.filename or "", encoding=encoding)
        return scripts.files.update(project, sheet, changed, _update_choice(choice))

    @routes.post("/{project}/sheets/{sheet}/updates/{update}/undo")
    def undo_update(project: str, sheet: str, update: str) -> dict[str, Any]:
        """Undo an update. The answer's `update` identifies the step that redoes it."""
        return scripts.files.undo(project, sheet, update)

    @routes.post("/{project}/sheets/candidates")
    async def candidates(project: str, name: str, request: Request, encoding: str = "") -> Sequence[Mapping[str, Any]]:
        """Return the sheets that the body's file may be an update of, the likeliest first."""
        file = await sent(request, name, encoding)
        return await to_thread.run_sync(lambda: scripts.updates.candidates(project, file.table(), name))


def _update_choice(text: str) -> UpdateChoice:
    """Parse the JSON of an update choice. Raises BadInput."""
    try:
        return UPDATE_CHOICE.validate_json(text)
    except ValidationError as error:
        raise BadInput(
            '"choice" must be JSON: {"keep": "all"} keeps all edits, {"keep": "none"} keeps no edits, and '
            '{"keep": ["0123456789ab"]} keeps the edits of the line with this key'
        ) from error
