/** The render that runs, in the strip of every page: how far it is, where its sheet is, and Stop. */
import { follow } from "../core/bus.js";
import { h } from "../core/dom.js";
import { STATE } from "../core/events.js";
import { about, plural } from "../core/format.js";
import { attempt } from "../core/login.js";
import { command, renders } from "../core/renders.js";
import { saveJson } from "../core/storage.js";

const OPEN = "studio-script"; // which sheet the Script page opens; script/desk.js

/** Drawn in place, so that the focus stays. */
export function runningRender() {
  const fill = h("i");
  const words = h("span.render-words");
  const link = h("a.render-link", { href: "#script", onclick: openSheet }, h("span.progress", {}, fill), words);
  const stop = h("button.quiet.small", { type: "button", onclick: stopFirst }, "Stop");
  const element = h("div.running-render", { role: "group", "aria-label": "Render", hidden: true }, link, stop);
  follow(STATE.renders, () => {
    const [render] = renders();
    element.hidden = !render;
    document.body.classList.toggle("rendering", Boolean(render));
    if (!render) return;
    fill.style.transform = `scaleX(${render.total ? render.done / render.total : 0})`;
    if (words.textContent !== wordsOf(render)) words.textContent = wordsOf(render);
    link.title = `Open sheet ${render.project_name} / ${render.sheet_name}`;
    stop.setAttribute("aria-label", `Stop rendering ${render.sheet_name}`);
  });
  return element;
}

/** @param {RunningRender} render */
function wordsOf({ state, sheet_name, done, total, eta_s }) {
  const others = renders().length - 1;
  const more = others ? ` · ${plural(others, "more render")} ${others === 1 ? "is" : "are"} running` : "";
  if (state === "paused") return `Paused: ${sheet_name}, ${done} of ${total}${more}`;
  return `Rendering ${sheet_name}: ${done} of ${total}${eta_s === null ? "" : `, ${about(eta_s)} left`}${more}`;
}

/** Where the Script page was shown before, it changes its sheet; else it opens what was open last. @param {Event} event */
async function openSheet(event) {
  event.preventDefault();
  const [render] = renders();
  if (!render) return;
  saveJson(OPEN, { project: render.project, sheet: render.sheet });
  const { desk, openProject } = await import("../script/desk.js");
  if (desk.projects) await attempt(() => openProject(render.project, render.sheet));
  location.hash = "#script";
}

function stopFirst() {
  const [render] = renders();
  return render && attempt(() => command(render, "stop"));
}
