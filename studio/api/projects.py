"""Scripts over HTTP, for the owner: projects, their sheets, renders and takes."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Annotated, Any, Literal

from anyio import to_thread
from fastapi import APIRouter, Body, Query, Request, Response
from fastapi.responses import FileResponse
from pydantic import BaseModel, ConfigDict, Field

from studio.api.errors import ProblemRoute, SessionId, owners_only
from studio.api.sheet_updates import sheet_update_routes
from studio.api.takes import KEPT
from studio.api.uploads import received
from studio.jobs import Job
from studio.references.session_clips import UPLOADS
from studio.script.deliveries import Delivery
from studio.script.delivery import PRESETS, preset_json, report_json
from studio.script.editing import CELL_MAX
from studio.script.render_choice import RenderChoice
from studio.script.script import Cast, DeliveryChoice, Respelling, SavedPreset, SheetForm
from studio.script.selects import StaleRule
from studio.script.serializers import render_json
from studio.script.sheet_edit import SheetEdit
from studio.studio import Studio
from studio.texts import Name
from studio.web.downloads import attachment
from studio.web.ownership import Ownership

ROOT = "/studio/projects"
TEXT_MAX = 4_000_000  # characters of pasted text
MEDIA_TYPES = {
    "csv": "text/csv",
    "tsv": "text/tab-separated-values",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
}
PLS = "application/pls+xml"
STATES: dict[str, Literal["paused", "running", "stopped"]] = {"pause": "paused", "resume": "running", "stop": "stopped"}


class ProjectName(BaseModel):
    name: Name


class ProjectForm(BaseModel):
    """Changes of a project. Absent fields stay unchanged."""

    model_config = ConfigDict(extra="forbid")

    name: Name | None = None
    cast: Cast | None = None
    delivery: DeliveryChoice | None = None
    presets: list[SavedPreset] | None = None


class Pasted(BaseModel):
    text: Annotated[str, Field(max_length=TEXT_MAX)]
    name: Name = "pasted.tsv"


class RespelledForm(BaseModel):
    text: Annotated[str, Field(max_length=CELL_MAX)]
    voice: Name = ""


class DeliveryForm(BaseModel):
    """The sheet to deliver, the rule for stale selects, and the fields of a DeliveryChoice: preset, choices, store."""

    model_config = ConfigDict(extra="forbid")

    sheet: Name
    preset: Name = "game"
    choices: Mapping[str, Any] = Field(default_factory=dict)
    to: Name = ""
    stale: StaleRule = "refuse"

    @property
    def choice(self) -> DeliveryChoice:
        return DeliveryChoice(preset=self.preset, choices=self.choices, to=self.to)


def router(studio: Studio, ownership: Ownership) -> APIRouter:
    routes = APIRouter(prefix=ROOT, tags=["projects"], route_class=ProblemRoute, dependencies=[owners_only(ownership)])
    for part in (_projects, _sheets, sheet_update_routes, _rendering, _delivering):
        part(studio, routes)
    return routes


def _projects(studio: Studio, routes: APIRouter) -> None:
    scripts = studio.scripts

    @routes.get("")
    def every() -> list[dict[str, Any]]:
        return scripts.list()

    @routes.post("", status_code=201)
    def create(form: ProjectName) -> dict[str, Any]:
        return scripts.create(form.name)

    @routes.get("/renders")
    def renders() -> Sequence[dict[str, Any]]:
        """Return every render that runs or is paused."""
        return scripts.renders()

    @routes.get("/{project}")
    def one(project: str) -> dict[str, Any]:
        return scripts.get(project)

    @routes.patch("/{project}")
    def change(project: str, form: ProjectForm, session_id: SessionId) -> dict[str, Any]:
        changed = scripts.change(project, name=form.name, cast=form.cast, delivery=form.delivery, session_id=session_id)
        return changed if form.presets is None else scripts.set_presets(project, form.presets)

    @routes.delete("/{project}")
    def delete(project: str) -> dict[str, str]:
        studio.disk.delete(lambda: scripts.delete(project))
        return {"deleted": project}

    @routes.post("/{project}/restore")
    def restore(project: str) -> dict[str, Any]:
        return scripts.restore(project)

    @routes.get("/{project}/namesakes")
    def namesakes(project: str) -> Mapping[str, str]:
        """Return the voice of the same name for each character without a voice."""
        return scripts.namesakes(project)

    @routes.put("/{project}/lexicon")
    def lexicon(project: str, respellings: Annotated[list[Respelling], Body()]) -> dict[str, Any]:
        return scripts.set_lexicon(project, respellings)

    @routes.get("/{project}/lexicon.pls")
    def lexicon_file(project: str) -> Response:
        headers = attachment("lexicon.pls") | {"cache-control": "no-store"}
        return Response(scripts.lexicon_file(project), media_type=PLS, headers=headers)

    @routes.post("/{project}/lexicon.pls")
    async def import_lexicon(project: str, request: Request) -> dict[str, Any]:
        """Add the words of a Pronunciation Lexicon (PLS 1.0). `notes` of the answer list what could not be used."""
        async with received(request, studio.settings.data_dir / UPLOADS) as path:
            data = path.read_bytes()
            path.unlink()
        answer, notes = await to_thread.run_sync(scripts.import_lexicon, project, data)
        return answer | {"notes": list(notes)}

    @routes.post("/{project}/spoken")
    def spoken(project: str, form: RespelledForm) -> dict[str, Any]:
        """Return a text as this voice speaks it with the project's lexicon, in parts."""
        parts = scripts.respelled(project, form.text, form.voice)
        answer = [
            {"written": part.written, "spoken": part.spoken, "respelled": part.respelling is not None} for part in parts
        ]
        return {"text": "".join(part.spoken for part in parts), "parts": answer}


def _sheets(studio: Studio, routes: APIRouter) -> None:
    scripts = studio.scripts

    @routes.post("/{project}/sheets", status_code=201)
    async def add(project: str, name: str, request: Request, encoding: str = "") -> dict[str, Any]:
        """Import the CSV, TSV or XLSX file in the body. Without `encoding`, the encoding of a CSV is guessed."""
        async with received(request, studio.settings.data_dir / UPLOADS) as path:
            try:
                return await to_thread.run_sync(scripts.import_sheet, project, path, name, encoding)
            finally:
                path.unlink()

    @routes.post("/{project}/sheets/paste", status_code=201)
    def paste(project: str, form: Pasted) -> dict[str, Any]:
        """Import cells as a spreadsheet copies them to the clipboard."""
        return scripts.paste_sheet(project, form.text, form.name)

    @routes.post("/encodings")
    async def encodings(name: str, request: Request) -> Sequence[Mapping[str, Any]]:
        """Return the possible encodings of the body's file, most likely first, each with lines in that encoding."""
        async with received(request, studio.settings.data_dir / UPLOADS) as path:
            try:
                return await to_thread.run_sync(scripts.encodings, path, name)
            finally:
                path.unlink()

    @routes.get("/{project}/sheets/{sheet}")
    def one(project: str, sheet: str, since: int = 0, cast: str = "") -> dict[str, Any]:
        return scripts.sheet(project, sheet, since, cast)

    @routes.patch("/{project}/sheets/{sheet}")
    def edit(project: str, sheet: str, edit: SheetEdit) -> dict[str, Any]:
        return scripts.edit(project, sheet, edit)

    @routes.delete("/{project}/sheets/{sheet}")
    def remove(project: str, sheet: str) -> dict[str, Any]:
        return studio.disk.delete(lambda: scripts.remove_sheet(project, sheet))

    @routes.post("/{project}/sheets/{sheet}/restore")
    def restore(project: str, sheet: str) -> dict[str, Any]:
        return scripts.restore_sheet(project, sheet)

    @routes.get("/{project}/sheets/{sheet}/file")
    def file(project: str, sheet: str, kind: Annotated[Literal["", "csv", "tsv", "xlsx"], Query()] = "") -> Response:
        """Return the sheet with its edits, in its original form or as another kind of file without formulas."""
        name, data = scripts.sheet_file(project, sheet, _form(kind) if kind else None)
        media_type = MEDIA_TYPES[name.rpartition(".")[2]]
        return Response(data, media_type=media_type, headers=attachment(name) | {"cache-control": "no-store"})


def _rendering(studio: Studio, routes: APIRouter) -> None:
    scripts = studio.scripts

    @routes.get("/{project}/takes/{take}/audio.wav")
    def audio(project: str, take: str) -> FileResponse:
        return FileResponse(scripts.take_path(project, take), media_type="audio/wav", headers=KEPT)

    @routes.get("/{project}/render")
    def standing(project: str) -> dict[str, Any]:
        return render_json(scripts.renderer.status(project))

    @routes.post("/{project}/render")
    def render(project: str, choice: RenderChoice) -> dict[str, Any]:
        return render_json(scripts.render(project, choice))

    @routes.post("/{project}/render/{verb}")
    def enter(project: str, verb: Literal["pause", "resume", "stop"]) -> dict[str, Any]:
        return render_json(scripts.enter(project, STATES[verb]))


def _delivering(studio: Studio, routes: APIRouter) -> None:
    deliveries = studio.scripts.deliveries

    @routes.get("/delivery/presets")
    def presets() -> list[dict[str, Any]]:
        """Return the built-in presets; a delivery may change each field."""
        return [preset_json(preset) for preset in PRESETS.values()]

    @routes.post("/{project}/deliver")
    def deliver(project: str, form: DeliveryForm) -> dict[str, Any]:
        """Deliver the selects. Stale selects are refused (409, `stale_selects`) unless `stale` is a rule for them.

        `render` makes and selects new takes first, `deliver` delivers the old takes, and `leave_out` leaves the lines out.
        """
        return delivery_json(deliveries.begin(project, form.sheet, form.choice, form.stale))

    @routes.post("/{project}/deliver/preview")
    def preview(project: str, form: DeliveryForm) -> dict[str, Any]:
        """Return the number of files, the first names, stale selects, and lines that share an id."""
        return deliveries.preview(project, form.sheet, form.choice)

    @routes.get("/{project}/deliveries/{id}")
    def standing(project: str, id: str) -> dict[str, Any]:
        return delivery_json(deliveries.get(project, id))

    @routes.post("/{project}/deliveries/{id}/cancel")
    def cancel(project: str, id: str) -> dict[str, Any]:
        deliveries.get(project, id)
        return delivery_json(deliveries.jobs.cancel(id))

    @routes.post("/{project}/deliveries/{id}/resume")
    def resume(project: str, id: str) -> dict[str, Any]:
        """Retry a failed transfer to a store; it continues where it stopped."""
        deliveries.get(project, id)
        return delivery_json(deliveries.jobs.resume(id))

    @routes.get("/{project}/deliveries/{id}/file")
    def file(project: str, id: str) -> FileResponse:
        made = deliveries.finished(project, id)
        return FileResponse(made.path, media_type="application/zip", headers=attachment(made.name))


def delivery_json(job: Job) -> dict[str, Any]:
    """Return the state of a delivery, and its file and report once it is done."""
    state, progress = job.state, job.progress  # read once, because the job's thread changes them
    answer = {"id": job.id, "state": state, "fraction": round(progress.fraction, 4), "message": progress.message}
    made = job.result if state == "done" else None
    result = None
    if isinstance(made, Delivery) and made.path.is_file():
        address = f"{ROOT}/{job.champion}/deliveries/{job.id}/file"
        result = {"file": address, "name": made.name, "bytes": made.path.stat().st_size}
        result["where"], result["report"] = made.where, report_json(made.report)
    return answer | {"to": job.store, "resumable": job.resumable, "error": job.error, "result": result}


def _form(kind: Literal["csv", "tsv", "xlsx"]) -> SheetForm:
    form = SheetForm(kind=kind, encoding="utf-8-sig" if kind == "csv" else "utf-8")
    return replace(form, delimiter="\t") if kind == "tsv" else form
