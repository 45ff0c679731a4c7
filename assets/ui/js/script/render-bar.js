/** How far the sheet is, and the one button that brings it on; what renders, and what came of it. */
import { follow } from "../core/bus.js";
import { announce, h, icon, iconButton } from "../core/dom.js";
import { STATE } from "../core/events.js";
import { about, clock, plural, sentence } from "../core/format.js";
import { attempt } from "../core/login.js";
import { post } from "../core/server.js";
import { selectNew } from "./acts.js";
import { openCast } from "./cast-dialog.js";
import { voiceless } from "./casting.js";
import { openDeliver } from "./deliver-dialog.js";
import { runOf } from "./delivery-run.js";
import { desk, isRendering, projectPath, roles, setRender } from "./desk.js";
import { CONCERNS, tally } from "./lines.js";
import { sendAll, waitingWords } from "./outbox.js";
import { askRender, renderDue } from "./render-dialog.js";
import { STATES } from "./status.js";
import { setFilter } from "./view.js";

/** @import { LineState } from "./status.js" */
/** @typedef {Record<string, number>} Counts */

const COUNTED = ["made", "select", "hold", "retake", "ready", "stale", "failed", "none"];
const METER = ["select", "made", "hold", "retake", "ready", "stale", "failed"];
const TOLD = 4; // how often a render's progress is read aloud

export class RenderBar {
  constructor() {
    this.meter = h("span.script-meter", { role: "img" });
    this.counts = h("span.script-counts");
    this.render = h("button.primary", { type: "button", onclick: renderDue });
    const more = iconButton("settings", "Render options", askRender);
    this.buttons = h("span.render-buttons", {}, this.render, more);
    this.notes = h("div.script-notes");
    this.element = h("div.render-bar", {}, h("span.script-progress", {}, this.meter, this.counts), this.buttons);
    this.drawn = "";
    this.noted = "";
    this.dismissed = ""; // the render whose outcome was read
    this.told = 0; // quarters
    this.state = ""; // of the render, when it was told last
    follow([STATE.lines, STATE.render], () => this.#drawCounts());
    follow([STATE.lines, STATE.render, STATE.script, STATE.unsaved, STATE.delivery], () => this.#drawNotes());
    follow(STATE.render, () => this.#tell());
  }

  #drawCounts() {
    const counts = tally(desk.lines.values());
    const runs = desk.render?.state === "running" || desk.render?.state === "paused";
    const drawn = JSON.stringify([counts, runs]);
    if (drawn === this.drawn) return;
    this.drawn = drawn;
    const parts = METER.filter((state) => counts[state]);
    this.meter.replaceChildren(
      ...parts.map((state) => h(`i.${state}`, { style: `flex-grow:${counts[state]}` })),
      h("i", { style: `flex-grow:${counts.none + counts.empty}` }),
    );
    const words = parts.map((state) => `${counts[state]} ${STATES[/** @type {LineStatus} */ (state)].words}`);
    this.meter.setAttribute("aria-label", words.join(", ") || "no takes yet");
    this.counts.replaceChildren(...countButtons(counts));
    this.render.disabled = runs || !counts.due;
    this.render.textContent = renderWords(counts);
  }

  /** What stands in the way, and what runs. */
  #drawNotes() {
    const notes = [unsaved(), uncast(), this.#running(), delivering(), checking(), ready(), this.#outcome()].filter(
      (note) => note !== null,
    );
    const drawn = JSON.stringify(notes.map(({ words, acts }) => [words, Object.keys(acts)]));
    for (const { share } of notes) if (share !== undefined) this.element.style.setProperty("--share", String(share));
    if (drawn === this.noted) return;
    this.noted = drawn;
    const focused = this.notes.contains(document.activeElement) ? document.activeElement?.textContent : null;
    this.notes.replaceChildren(...notes.map(drawNote));
    if (focused === null) return;
    const same = [...this.notes.querySelectorAll("button")].find(({ textContent }) => textContent === focused);
    (same ?? this.element.querySelector("button:not(:disabled)"))?.focus();
  }

  /** @returns {Note | null} */
  #running() {
    const { render } = desk;
    if (render?.state !== "running" && render?.state !== "paused") return null;
    const { done, total, eta_s, compute_s, audio_s, state, trouble } = render;
    const running = state === "running";
    const left = running ? (eta_s === null ? "" : `, ${about(eta_s)} left`) : "";
    const cost = audio_s ? `${minutes(audio_s)} of audio, computed in ${minutes(compute_s)}` : "";
    const why = trouble && `. ${sentence(trouble)}`;
    const { unchecked } = tally(desk.lines.values());
    const made = Math.min(total, done + unchecked); // a line is done when its takes are checked
    const count =
      made > done
        ? `${made} of ${plural(total, "line")} rendered, ${done} checked`
        : `${done} of ${plural(total, "line")}`;
    const words = `${running ? "Rendering" : "Paused"}: ${count}${left}${why}`;
    /** @type {Record<string, () => unknown>} */
    const pause = running ? { Pause: () => enter("pause") } : { Resume: () => enter("resume") };
    const acts = { ...pause, Stop: () => enter("stop") };
    return { words, hint: cost, acts, share: total ? done / total : 0, ...(trouble && { sign: "warn" }) };
  }

  /** What came of the last render, until it was read. @returns {Note | null} */
  #outcome() {
    const { render } = desk;
    const id = JSON.stringify([render?.sheet, render?.total, render?.audio_s, render?.failed.length]);
    if (!render?.failed.length || render.sheet !== desk.sheet?.id || isRendering() || id === this.dismissed)
      return null;
    const words = `${plural(render.failed.length, "line")} failed. ${sentence(render.failed[0].message)}`;
    const dismiss = () => {
      this.dismissed = id;
      this.#drawNotes();
    };
    const show = () => setFilter({ words: "", character: null, status: "failed" });
    return { words, sign: "warn", acts: { "Show lines": show, Dismiss: dismiss } };
  }

  /** Aloud: that it began, at each quarter, and its end. */
  #tell() {
    const { render } = desk;
    if (!render) return;
    const quarter = render.total ? Math.floor((TOLD * render.done) / render.total) : 0;
    if (render.state === "running") {
      if (quarter > this.told) announce(`${render.done} of ${plural(render.total, "line")} rendered.`);
      this.told = quarter;
    } else if (this.told >= 0 && this.state === "running") {
      const failed = render.failed.length ? `, ${plural(render.failed.length, "line")} failed` : "";
      const ended = render.state === "done" ? "finished" : render.state;
      const why = render.trouble && ` ${sentence(render.trouble)}`;
      announce(`Render ${ended}: ${render.done} of ${plural(render.total, "line")}${failed}.${why}`);
    }
    if (render.state !== "running") this.told = 0;
    this.state = render.state;
  }
}

/** @param {Counts} counts */
function renderWords({ due, due_stale, due_failed, all, none, stale, failed }) {
  if (!due) return all && !(none + stale + failed) ? "All rendered" : "Render";
  if (due_stale === due) return `Render ${plural(due, "stale line")}`;
  return due_failed === due ? `Retry ${plural(due, "line")}` : `Render ${plural(due, "line")}`;
}

/** Each shows the lines it counts. @param {Counts} counts */
function countButtons(counts) {
  const button = (/** @type {string} */ state, /** @type {string} */ words) =>
    h(
      "button.count-button",
      { type: "button", "data-state": state, onclick: () => setFilter({ status: state }) },
      h("b", {}, counts[state].toLocaleString("en")),
      ` ${words}`,
    );
  const states = [...COUNTED, ...CONCERNS].filter((state) => counts[state]);
  return states.map((state) => button(state, STATES[/** @type {LineState} */ (state)].words));
}

/** @typedef {{words: string, hint?: string, acts: Record<string, () => unknown>, sign?: "warn", share?: number}} Note */

/** @param {Note} note */
function drawNote({ words, hint, acts, sign, share }) {
  const buttons = Object.entries(acts).map(([name, onclick]) =>
    h("button.quiet.small", { type: "button", onclick }, name),
  );
  return h(
    "div.script-note",
    {},
    sign && icon(sign),
    h("p", {}, words, hint && h("span.hint", {}, hint)),
    share !== undefined && h("span.progress", { "aria-hidden": "true" }, h("i")),
    ...buttons,
  );
}

/** @returns {Note | null} */
function unsaved() {
  const words = waitingWords();
  return words ? { words, sign: "warn", acts: { "Try now": sendAll } } : null;
}

/** Characters whom nobody speaks. @returns {Note | null} */
function uncast() {
  const { project, sheet } = desk;
  if (!project || !sheet) return null;
  const without = voiceless(desk.lines.values(), roles(), project.cast);
  if (!without.length) return null;
  const names = without.map((name) => name || "lines without a character");
  const some = names.slice(0, 4).join(", ") + (names.length > 4 ? ` and ${names.length - 4} more` : "");
  return { words: `No voice for ${some}.`, sign: "warn", acts: { "Choose voices": openCast } };
}

/** What is made and not looked at yet. @returns {Note | null} */
function checking() {
  const { unchecked } = tally(desk.lines.values());
  return unchecked && desk.render?.state !== "running"
    ? { words: `Checking ${plural(unchecked, "take")}…`, acts: {} }
    : null;
}

/** A delivery that goes on or whose result was not shown yet. @returns {Note | null} */
function delivering() {
  const run = runOf(desk.sheet?.id ?? "");
  if (!run.end) return null;
  if (!run.running) return { words: run.outcome, acts: { "Show result": openDeliver } };
  const words = `Delivering: ${run.words.textContent || "starting"}`;
  return { words, acts: { Show: openDeliver, "Cancel delivery": () => attempt(() => run.cancel()) } };
}

/** New takes for stale selects. @returns {Note | null} */
function ready() {
  const lines = [...desk.lines.values()].filter(({ deleted, status }) => !deleted && status === "ready");
  if (!lines.length || isRendering()) return null;
  const words = `New take ready for ${plural(lines.length, "stale select")}.`;
  const show = () => setFilter({ words: "", character: null, status: "ready" });
  return { words, acts: { "Show lines": show, "Select new takes": () => selectNew(lines) } };
}

/** 171.4 -> "2:51". @param {number} value  in seconds */
function minutes(value) {
  return clock(Math.round(value)).replace(/\.\d$/, "");
}

/** @param {"pause" | "resume" | "stop"} verb */
function enter(verb) {
  return attempt(async () => setRender(await post(projectPath(`/render/${verb}`))));
}
