"""Deliveries over HTTP: start, preview, status, download."""

from collections.abc import Mapping
from typing import Any

from fastapi import APIRouter
from fastapi.responses import FileResponse
from pydantic import BaseModel, ConfigDict, Field

from studio.api.texts import Name
from studio.jobs import Job
from studio.script.deliveries import Delivery
from studio.script.delivery import PRESETS, preset_json, report_json
from studio.script.format.script import DeliveryChoice
from studio.script.selects import StaleRule
from studio.studio import Studio
from studio.web.downloads import attachment

ROOT = "/studio/projects"


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


def delivery_routes(studio: Studio, routes: APIRouter) -> None:
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
        """Return the number of selects, the first names, stale selects, and lines that share an id."""
        return deliveries.preview(project, form.sheet, form.choice, form.stale)

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
        address = f"{ROOT}/{job.subject}/deliveries/{job.id}/file"
        result = {"file": address, "name": made.name, "bytes": made.path.stat().st_size}
        result["where"], result["report"] = made.where, report_json(made.report)
    return answer | {"to": job.store, "resumable": job.resumable, "error": job.error, "result": result}
