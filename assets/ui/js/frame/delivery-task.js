/** The delivery in the strip: progress and Cancel; at the end Download, until the user dismisses or opens it. */
import { follow } from "../core/bus.js";
import { h, iconButton } from "../core/dom.js";
import { STATE } from "../core/events.js";
import { percent } from "../core/format.js";
import { attempt } from "../core/login.js";
import { isBlind } from "../core/pages.js";
import { saveJson } from "../core/storage.js";
import { deliveryRuns, recoverRuns } from "../script/delivery-run.js";
import { Task } from "./task.js";

/** @import { DeliveryRun } from "../script/delivery-run.js" */
const OPEN = "studio-script"; // storage key of the open sheet; script/state.js

/** Return a running delivery, or else the latest one. */
function latest() {
  const runs = deliveryRuns();
  return runs.find(({ running }) => running) ?? runs.at(-1);
}

export function deliveryTask() {
  const cancel = h("button.quiet.small", { type: "button", onclick: () => attempt(async () => latest()?.cancel()) });
  cancel.append("Cancel");
  cancel.setAttribute("aria-label", "Cancel the delivery");
  const download = h("a.quiet.small.button", { "aria-label": "Download the delivery" }, "Download");
  const dismiss = iconButton("close", "Dismiss the delivery", () => latest()?.seen());
  const task = new Task("Delivery", open, [cancel, download, dismiss]);
  follow([STATE.delivery, STATE.blind], () => {
    const run = latest();
    if (!run) return task.draw(null);
    cancel.hidden = !run.running;
    dismiss.hidden = run.running;
    download.hidden = !run.result;
    if (run.result) {
      download.href = run.result.file;
      download.download = run.result.name;
    }
    return task.draw({ words: wordsOf(run), ...(run.running && { share: run.fraction }), hint: "Open the delivery" });
  });
  recoverRuns();
  addEventListener("storage", recoverRuns); // another tab started a delivery or showed its result
  return task.element;
}

/** @param {DeliveryRun} run */
function wordsOf({ running, fraction, outcome, place }) {
  const name = isBlind() ? "" : ` ${place.name}`;
  if (running) return `Delivering${name}: ${percent(fraction)}`;
  return isBlind() || !place.name ? outcome : `${place.name}: ${outcome}`;
}

/** @param {Event} event */
async function open(event) {
  event.preventDefault();
  const place = latest()?.place;
  if (!place) return;
  saveJson(OPEN, { project: place.project, sheet: place.sheet });
  const { scriptState, openProject } = await import("../script/state.js");
  await attempt(() => openProject(place.project, place.sheet, scriptState.projects ?? undefined));
  location.hash = "#script";
}
