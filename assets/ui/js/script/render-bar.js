/** The progress of the sheet, the Render button, and messages about renders, deliveries and problems. */
import { follow } from "../core/bus.js";
import { announce, h, icon, iconButton } from "../core/dom.js";
import { STATE } from "../core/events.js";
import { clock, ended, plural, sentence } from "../core/format.js";
import { attempt } from "../core/login.js";
import { activity, isOnlyChecking } from "../core/render-activity.js";
import { progressWords, shareOf } from "../core/render-words.js";
import { renders } from "../core/renders.js";
import { post } from "../core/server.js";
import { selectNew } from "./acts.js";
import { openCast } from "./cast-dialog.js";
import { voiceless } from "./casting.js";
import { countButtons } from "./count-buttons.js";
import { openDeliver } from "./deliver-dialog.js";
import { runOf } from "./delivery-run.js";
import { tally } from "./lines.js";
import { sendAll, waitingWords } from "./outbox.js";
import { askRender, renderDue, renderSelection } from "./render-dialog.js";
import { isRendering, projectPath, roles, scriptState, setRender } from "./state.js";
import { STATES } from "./status.js";
import { setFilter, view } from "./view.js";

/** @typedef {Record<string, number>} Counts */

const METER = ["select", "made", "hold", "retake", "ready", "stale", "failed"];
const TOLD = 4; // number of announcements of a render's progress

export class RenderBar {
  constructor() {
    this.meter = h("span.script-meter", { role: "img" });
    this.counts = h("span.script-counts");
    this.render = h("button.primary", { type: "button", onclick: renderMarked });
    const more = iconButton("settings", "Render options", askRender);
    this.buttons = h("span.render-buttons", {}, this.render, more);
    this.notes = h("div.script-notes");
    this.progress = h("span.script-progress", {}, this.meter, this.counts);
    this.element = h("div.render-bar", {}, this.buttons);
    this.drawn = "";
    this.noted = "";
    this.dismissed = ""; // key of the render whose failures were dismissed
    /** @type {Counts} */ this.tally = {};
    this.told = 0; // last announced quarter of the render
    this.state = ""; // state of the render at the last call of #tell
    follow([STATE.lines, STATE.render], () => this.#drawCounts());
    follow([STATE.lines, STATE.render, STATE.view], () => this.#drawButton());
    const all = [
      STATE.lines,
      STATE.render,
      STATE.renders,
      STATE.script,
      STATE.unsaved,
      STATE.delivery,
      STATE.synthesis,
    ];
    follow(all, () => this.#drawNotes());
    follow(STATE.render, () => this.#tell());
  }

  #drawCounts() {
    const counts = tally(scriptState.lines.values());
    this.tally = counts;
    const drawn = JSON.stringify(counts);
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
  }

  #drawButton() {
    const ticked = view.selected.size;
    const runs = isRendering();
    this.render.disabled = !ticked && (runs || !this.tally.due);
    const words = runs ? "Rendering…" : renderWords(this.tally);
    const wanted = ticked ? `Render ${ticked.toLocaleString("en")} ticked` : words;
    if (this.render.textContent !== wanted) this.render.textContent = wanted;
  }

  /** Draw the notes: what prevents a render, and what is running. */
  #drawNotes() {
    const notes = [this.#running(), unsaved(), uncast(), delivering(), checking(), ready(), this.#outcome()].filter(
      (note) => note !== null,
    );
    const drawn = JSON.stringify(notes.map(({ words, hint, acts }) => [words, hint, Object.keys(acts)]));
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
    const { render } = scriptState;
    if (render?.state !== "running" && render?.state !== "paused") return null;
    const now = renders().find(({ project }) => project === scriptState.project?.id) ?? render; // the same data as in the strip
    const { compute_s, audio_s, state, trouble, checking } = now;
    const running = state === "running";
    const hints = [
      checking && !isOnlyChecking(now) && `${plural(checking, "line")} being checked`,
      audio_s && `${minutes(audio_s)} of audio, rendered in ${minutes(compute_s)}`,
    ];
    const why = trouble && `. ${sentence(trouble)}`;
    const words = `${activity(now)}: ${progressWords(now)}${why}`;
    /** @type {Record<string, () => unknown>} */
    const pause = running ? { Pause: () => enter("pause") } : { Resume: () => enter("resume") };
    const acts = { ...pause, Stop: () => enter("stop") };
    const hint = hints.filter(Boolean).join(" · ");
    return { words, hint, acts, share: shareOf(now), ...(trouble && { sign: "warn" }) };
  }

  /** Return the failures of the last render, until they are dismissed. @returns {Note | null} */
  #outcome() {
    const { render } = scriptState;
    const id = JSON.stringify([render?.sheet, render?.total, render?.audio_s, render?.failed.length]);
    if (!render?.failed.length || render.sheet !== scriptState.sheet?.id || isRendering() || id === this.dismissed)
      return null;
    const words = `${plural(render.failed.length, "line")} failed: ${ended(render.causes.join("; "))}`;
    const dismiss = () => {
      this.dismissed = id;
      this.#drawNotes();
    };
    const show = () => setFilter({ words: "", character: null, status: "failed" });
    return { words, sign: "warn", acts: { "Show lines": show, Dismiss: dismiss } };
  }

  /** Announce each quarter of a render and its end to screen readers. */
  #tell() {
    const { render } = scriptState;
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

/** Render the ticked lines, or else all lines that are due. */
function renderMarked() {
  return view.selected.size ? renderSelection() : renderDue();
}

/** @param {Counts} counts */
function renderWords({ due, due_stale, due_failed, all, none, stale, failed }) {
  if (!due) return all && !(none + stale + failed) ? "All rendered" : "Render";
  if (due_stale === due) return `Render ${plural(due, "stale line")}`;
  return due_failed === due ? `Retry ${plural(due, "line")}` : `Render ${plural(due, "line")}`;
}

/**
 * @typedef {{words: string, hint?: string, acts: Record<string, () => unknown>, sign?: "warn", share?: number}} Note
 */

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

/** Return a note about characters without a voice. @returns {Note | null} */
function uncast() {
  const { project, sheet } = scriptState;
  if (!project || !sheet) return null;
  const without = voiceless(scriptState.lines.values(), roles(), project.cast);
  if (!without.length) return null;
  const names = without.map((name) => name || "lines without a character");
  const some = names.slice(0, 4).join(", ") + (names.length > 4 ? ` and ${names.length - 4} more` : "");
  return { words: `No voice for ${some}.`, sign: "warn", acts: { "Choose voices": openCast } };
}

/** Return a note about takes that are being checked. @returns {Note | null} */
function checking() {
  const { unchecked } = tally(scriptState.lines.values());
  return unchecked && scriptState.render?.state !== "running"
    ? { words: `Checking ${plural(unchecked, "take")}…`, acts: {} }
    : null;
}

/** Return a note about a delivery that is running or whose result the user has not seen. @returns {Note | null} */
function delivering() {
  const run = runOf(scriptState.sheet?.id ?? "");
  if (!run.end) return null;
  if (!run.running) return { words: run.outcome, acts: { "Show result": openDeliver, Dismiss: () => run.seen() } };
  const words = `Delivering: ${run.words.textContent || "starting"}`;
  return { words, acts: { Show: openDeliver, "Cancel delivery": () => attempt(() => run.cancel()) } };
}

/** Return a note about new takes for stale selects. @returns {Note | null} */
function ready() {
  const lines = [...scriptState.lines.values()].filter(({ deleted, status }) => !deleted && status === "ready");
  if (!lines.length || isRendering()) return null;
  const many = plural(lines.length, "line");
  const words = `${lines.length > 1 ? "New takes are" : "A new take is"} ready for ${many} whose selected take is stale.`;
  const show = () => setFilter({ words: "", character: null, status: "ready" });
  return { words, acts: { "Show lines": show, "Select new takes": () => selectNew(lines) } };
}

/** Format seconds: 171.4 -> "2:51". @param {number} value  in seconds */
function minutes(value) {
  return clock(Math.round(value)).replace(/\.\d$/, "");
}

/** @param {"pause" | "resume" | "stop"} verb */
function enter(verb) {
  return attempt(async () => setRender(await post(projectPath(`/render/${verb}`))));
}
