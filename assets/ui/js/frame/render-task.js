/** The running render in the strip: progress, link to its sheet, and Stop. */
import { follow } from "../core/bus.js";
import { h } from "../core/dom.js";
import { STATE } from "../core/events.js";
import { plural } from "../core/format.js";
import { attempt } from "../core/login.js";
import { isBlind } from "../core/pages.js";
import { activity } from "../core/render-activity.js";
import { progressWords, shareOf } from "../core/render-words.js";
import { command, renders } from "../core/renders.js";
import { saveJson } from "../core/storage.js";
import { Task } from "./task.js";

const OPEN = "studio-script"; // storage key of the open sheet; script/state.js

export function renderTask() {
  const stop = h("button.quiet.small", { type: "button", onclick: stopFirst }, "Stop");
  const task = new Task("Render", openSheet, [stop]);
  task.element.classList.add("running-render");
  follow([STATE.renders, STATE.synthesis, STATE.telemetry, STATE.blind], () => {
    const [render] = renders();
    const name = render && !isBlind() ? ` ${render.sheet_name}` : "";
    const hint = name && `Open sheet ${render.project_name} / ${render.sheet_name}`;
    task.draw(render ? { words: wordsOf(render, name), share: shareOf(render), hint } : null);
    if (render) stop.setAttribute("aria-label", `Stop rendering${name}`);
  });
  return task.element;
}

/** @param {RunningRender} render @param {string} name */
function wordsOf(render, name) {
  const others = renders().length - 1;
  const more = others ? ` · ${plural(others, "more render")} ${others === 1 ? "is" : "are"} running` : "";
  return `${activity(render)}${name}: ${progressWords(render)}${more}`;
}

/**
 * Open the sheet of the render. If the Script page was not shown yet, it opens the stored sheet when it loads.
 * @param {Event} event
 */
async function openSheet(event) {
  event.preventDefault();
  const [render] = renders();
  if (!render) return;
  saveJson(OPEN, { project: render.project, sheet: render.sheet });
  const { scriptState, openProject } = await import("../script/state.js");
  if (scriptState.projects) await attempt(() => openProject(render.project, render.sheet));
  location.hash = "#script";
}

function stopFirst() {
  const [render] = renders();
  return render && attempt(() => command(render, "stop"));
}
