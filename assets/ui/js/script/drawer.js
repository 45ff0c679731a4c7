/** The cursor's line: all it says, its takes side by side, and what became of it. */

import { playButton } from "../audio/play-button.js";
import { follow } from "../core/bus.js";
import { openDialog } from "../core/dialog.js";
import { arrange, h, icon, iconButton } from "../core/dom.js";
import { STATE } from "../core/events.js";
import { moment, seconds } from "../core/format.js";
import { upperEdge } from "../core/resizing.js";
import { Selection } from "../core/selection.js";
import { openCast } from "./cast-dialog.js";
import { castingsOf } from "./casting.js";
import { desk, isRendering, roles } from "./desk.js";
import { drawNotes } from "./line-notes.js";
import { displayed } from "./line-takes.js";
import { cellOf } from "./lines.js";
import { playTakes } from "./play-through.js";
import { renderLines } from "./render-dialog.js";
import { TakeCard } from "./take-card.js";
import { current, takeOfLine, toggleBlind, view } from "./view.js";

/** @import { Modifiers } from "../core/selection.js" */

const HEIGHT = "studio-script-drawer"; // under which this browser keeps it
const LEAST_PX = 132;
const LEFT_PX = 220; // for the filters and the least grid

export class Drawer {
  /** @param {{edit: () => void}} acts */
  constructor({ edit }) {
    /** @type {Map<string, TakeCard>} */ this.cards = new Map();
    this.line = ""; // whose cards these are
    this.shown = ""; // the take that was brought into sight
    this.title = h("b.line-id");
    this.who = h("span.line-who");
    this.text = h("p.line-text");
    this.notes = h("p.hint.line-notes");
    this.attention = h("ul.line-attention", { "aria-label": "Warnings" });
    this.blind = h("button.quiet.small", { type: "button", onclick: toggleBlind }, icon("eye"), "Blind");
    this.more = h("button.quiet.small", { type: "button", onclick: renderOnce }, "Render take");
    this.close = iconButton("close", "Close", () => this.open(false));
    this.takes = h("ul.takes-of-line", { "aria-label": "Takes of the line" });
    this.through = playButton("Play ticked takes, or all takes of this line", () => playTakes(this.several.ids));
    this.several = new Selection();
    this.none = h("div.no-takes");
    this.element = h(
      "section.line-drawer",
      { "aria-label": "Line and takes" },
      h("div.line-head", {}, this.title, this.who, h("span.gap"), ...this.#buttons(edit)),
      h("div.line-words", {}, this.text, this.notes, this.attention),
      this.none,
      this.takes,
    );
    this.element.prepend(this.#edge());
    new ResizeObserver(() => document.body.style.setProperty("--drawer", `${this.element.offsetHeight}px`)).observe(
      this.element,
    ); // messages lie above it
    this.#follow();
  }

  #follow() {
    follow([STATE.view, STATE.lines], () => this.#draw());
    follow(STATE.render, () => this.#drawNone());
    follow(STATE.player, () => this.#each((card) => card.drawPlayer()));
    follow(STATE.playhead, () => this.#each((card) => card.drawPlayhead()));
  }

  /** @param {() => void} edit */
  #buttons(edit) {
    const change = h("button.quiet.small", { type: "button", onclick: edit }, "Edit text");
    const history = h("button.quiet.small", { type: "button", onclick: openHistory }, "History");
    return [this.through, change, this.more, this.blind, history, this.close];
  }

  #edge() {
    const most = () => (this.element.parentElement?.offsetHeight ?? innerHeight) - LEFT_PX;
    return upperEdge(this.element, { label: "Height of the takes panel", key: HEIGHT, least: LEAST_PX, most });
  }

  /** What a press on one of several takes does. */
  #acts() {
    const order = () => displayed(/** @type {ScriptLine} */ (current()), view.blind).map(({ id }) => id);
    const chosen = () => {
      const line = current();
      return (line && takeOfLine(line)?.id) ?? null;
    };
    return {
      press: (/** @type {string} */ id, /** @type {Modifiers} */ how) => {
        this.several.press(id, how, order(), chosen());
        this.#each((card) => card.mark(this.several.ids.has(card.take.id)));
      },
      toggle: (/** @type {string} */ id) => {
        this.several.toggle(id);
        this.#each((card) => card.mark(this.several.ids.has(card.take.id)));
      },
    };
  }

  /** On a phone it lies over the lines. @param {boolean} open */
  open(open) {
    this.element.classList.toggle("open", open);
  }

  /** @param {(card: TakeCard) => void} act */
  #each(act) {
    for (const card of this.cards.values()) act(card);
  }

  #draw() {
    const line = current();
    this.element.hidden = !line;
    if (!line) return;
    const cast = roles();
    const say = (/** @type {HTMLElement} */ place, /** @type {string} */ words) => {
      if (place.textContent !== words) place.textContent = words;
    };
    say(this.title, cellOf(line, cast, "id"));
    say(this.who, [cellOf(line, cast, "character"), cellOf(line, cast, "emotion")].filter(Boolean).join(" · "));
    say(this.text, cellOf(line, cast, "text") || "This line has no text.");
    say(this.notes, cellOf(line, cast, "notes"));
    drawNotes(this.attention, line);
    this.blind.setAttribute("aria-pressed", String(view.blind));
    this.#drawTakes(line);
    this.#drawNone();
  }

  /** @param {ScriptLine} line */
  #drawTakes(line) {
    if (this.line !== line.key) {
      this.cards.clear();
      this.several.clear();
    }
    this.line = line.key;
    const chosen = takeOfLine(line);
    const shown = displayed(line, view.blind);
    for (const id of this.cards.keys()) if (!shown.some((take) => take.id === id)) this.cards.delete(id);
    const elements = shown.map((take) => {
      const card = this.cards.get(take.id) ?? new TakeCard(take, line, this.#acts());
      this.cards.set(take.id, card);
      card.update(take, line, take === chosen);
      return card.element;
    });
    arrange(this.takes, elements);
    this.takes.hidden = !shown.length;
    this.through.hidden = shown.length < 2;
    if (chosen) this.#show(chosen.id);
  }

  /** Bring the chosen take into sight where there are many. @param {string} id */
  #show(id) {
    if (this.shown === id) return;
    this.shown = id;
    const element = this.cards.get(id)?.element;
    if (element && this.cards.size > 1) element.scrollIntoView({ block: "nearest", inline: "nearest" });
  }

  /** Where there is no take: why, and the one thing to do. */
  #drawNone() {
    const line = current();
    this.more.setAttribute("aria-disabled", String(isRendering() || !line?.takes.length)); // it keeps the focus
    this.none.hidden = Boolean(!line || line.takes.length);
    if (!line || line.takes.length) return;
    const [words, act] = lacking(line);
    if (this.none.dataset.words === words && Boolean(act) === Boolean(this.none.querySelector("button"))) return;
    this.none.dataset.words = words;
    this.none.replaceChildren(h("p", {}, words), ...(act ? [act] : []));
  }

  /** To the note on the chosen take. */
  note() {
    const line = current();
    const take = line && takeOfLine(line);
    if (take) this.cards.get(take.id)?.comment.focus();
  }
}

/** @param {ScriptLine} line @returns {[string, HTMLElement | null]} */
function lacking(line) {
  const [character, emotion] = [cellOf(line, roles(), "character"), cellOf(line, roles(), "emotion")];
  const button = (/** @type {string} */ words, /** @type {() => unknown} */ onclick) =>
    h("button.quiet.small", { type: "button", onclick }, words);
  if (line.status === "empty") return ["Add a text to render this line.", null];
  if (!castingsOf(desk.project?.cast ?? {}, character, emotion).length)
    return [`No voice for ${character || "lines without a character"}.`, button("Choose voices", openCast)];
  if (line.status === "failed") return [line.why, isRendering() ? null : button("Try again", renderCurrent)];
  if (isRendering()) return ["The take will appear here after the render.", null];
  const guess = line.estimate_s ? ` Estimated length: ${seconds(line.estimate_s)}.` : "";
  return [`No take yet.${guess}`, button("Render this line", renderCurrent)];
}

/** Another take, unless a render runs. */
function renderOnce() {
  return !isRendering() && current()?.takes.length ? renderCurrent() : undefined;
}

function renderCurrent() {
  return renderLines(view.line ? [view.line] : []);
}

/** What became of the line, the latest first. */
function openHistory() {
  const line = current();
  if (!line) return;
  const events = [...line.events].reverse();
  const rows = events.map(({ at, what }) => h("li", {}, h("span.readout", {}, moment(at)), h("span", {}, what)));
  const hidden = view.blind && "Blind hides the history. Turn off Blind to see the history.";
  const none = "No changes yet.";
  openDialog({
    title: `History of ${cellOf(line, roles(), "id") || "this line"}`,
    body: [hidden || !rows.length ? h("p.hint", {}, hidden || none) : h("ol.line-events", {}, ...rows)],
  });
}
