/** The panel of the cursor's line: text, notes, takes and history. */

import { playButton } from "../audio/play-button.js";
import { follow, on } from "../core/bus.js";
import { arrange, h, icon, iconButton } from "../core/dom.js";
import { EVENT, STATE } from "../core/events.js";
import { seconds } from "../core/format.js";
import { upperEdge } from "../core/resizing.js";
import { Selection } from "../core/selection.js";
import { openCast } from "./cast-dialog.js";
import { castingsOf } from "./casting.js";
import { openHistory } from "./line-history.js";
import { drawNotes } from "./line-notes.js";
import { displayed } from "./line-takes.js";
import { cellOf } from "./lines.js";
import { playTakes } from "./play-through.js";
import { renderLines } from "./render-dialog.js";
import { isRendering, roles, scriptState } from "./state.js";
import { TakeCard } from "./take-card.js";
import { current, takeOfLine, toggleBlind, view } from "./view.js";

/** @import { Modifiers } from "../core/selection.js" */

const HEIGHT = "studio-script-drawer"; // storage key of the height
const LEAST_PX = 132;
const NO_TEXT = "Type a text to render this line.";
const LEFT_PX = 220; // height that stays for the filters and a small grid

export class Drawer {
  /** @param {{edit: () => void}} acts */
  constructor({ edit }) {
    /** @type {Map<string, TakeCard>} */ this.cards = new Map();
    this.line = ""; // key of the line whose takes are shown
    this.shown = ""; // id of the take that was scrolled into view
    this.title = h("b.line-id");
    this.who = h("span.line-who");
    this.text = h("p.line-text");
    this.notes = h("p.hint.line-notes");
    this.attention = h("ul.line-attention", { "aria-label": "Warnings" });
    this.blind = h(
      "button.quiet.small",
      { type: "button", title: "Hide the details of the takes", onclick: toggleBlind },
      icon("eye"),
      "Blind",
    );
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
    this.#reportHeight();
    this.#follow();
  }

  /** Messages are shown above the panel. */
  #reportHeight() {
    const report = () => document.body.style.setProperty("--drawer", `${this.element.offsetHeight}px`);
    new ResizeObserver(report).observe(this.element);
  }

  #follow() {
    follow([STATE.view, STATE.lines], () => this.#draw());
    follow(STATE.render, () => this.#drawNone());
    follow(STATE.player, () => this.#each((card) => card.drawPlayer()));
    follow(STATE.playhead, () => this.#each((card) => card.drawPlayhead()));
    on(EVENT.pageLeaves, () => this.#each((card) => card.keepComment()));
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

  /** Return the actions of a click on a take that selects several takes. */
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

  /** Open or close the panel, which covers the lines on a phone. @param {boolean} open */
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

  /** Scroll the chosen take into view. @param {string} id */
  #show(id) {
    // do not scroll while the user works in the takes
    if (this.shown === id || this.takes.contains(document.activeElement)) return;
    this.shown = id;
    const element = this.cards.get(id)?.element;
    if (element && this.cards.size > 1) element.scrollIntoView({ block: "nearest", inline: "nearest" });
  }

  /** Show why the line has no take, and a button for the next step. */
  #drawNone() {
    const line = current();
    // the attribute "disabled" would remove the focus
    const why = line ? obstacle(line) : "";
    this.more.setAttribute("aria-disabled", String(Boolean(why)));
    this.more.title = why;
    this.none.hidden = Boolean(!line || line.takes.length);
    if (!line || line.takes.length) return;
    const [words, act] = lacking(line);
    if (this.none.dataset.words === words && Boolean(act) === Boolean(this.none.querySelector("button"))) return;
    this.none.dataset.words = words;
    this.none.replaceChildren(h("p", {}, words), ...(act ? [act] : []));
  }

  /** Focus the note of the chosen take. */
  note() {
    const line = current();
    const take = line && takeOfLine(line);
    if (take) this.cards.get(take.id)?.comment.focus();
  }
}

/** Return why the line cannot be rendered now; empty if it can. @param {ScriptLine} line */
function obstacle(line) {
  if (isBusy()) return "Another sheet of this project is rendering.";
  return line.status === "empty" ? NO_TEXT : voiceTrouble(line);
}

/** @param {ScriptLine} line */
function voiceTrouble(line) {
  const [character, emotion] = [cellOf(line, roles(), "character"), cellOf(line, roles(), "emotion")];
  const voices = castingsOf(scriptState.project?.cast ?? {}, character, emotion);
  return voices.length ? "" : `No voice for ${character || "lines without a character"}.`;
}

/** @param {ScriptLine} line @returns {[string, HTMLElement | null]} */
function lacking(line) {
  const button = (/** @type {string} */ words, /** @type {() => unknown} */ onclick) =>
    h("button.quiet.small", { type: "button", onclick }, words);
  if (line.status === "empty") return [NO_TEXT, null];
  const voiceless = voiceTrouble(line);
  if (voiceless) return [voiceless, button("Choose voices", openCast)];
  if (line.status === "failed") return [line.why, isBusy() ? null : button("Try again", renderCurrent)];
  if (isRendering())
    return ["No take yet. A render is running.", isBusy() ? null : button("Render this line next", renderCurrent)];
  const guess = line.estimate_s ? ` Estimated length: ${seconds(line.estimate_s)}.` : "";
  return [`No take yet.${guess}`, button("Render this line", renderCurrent)];
}

/** Render a take. A running render of this sheet generates it next. */
function renderOnce() {
  const line = current();
  return line && !obstacle(line) ? renderCurrent() : undefined;
}

/** Return true if another sheet of the project is rendering. That render accepts no lines of this sheet. */
function isBusy() {
  return isRendering() && scriptState.render?.sheet !== scriptState.sheet?.id;
}

function renderCurrent() {
  return renderLines(view.line ? [view.line] : []);
}
