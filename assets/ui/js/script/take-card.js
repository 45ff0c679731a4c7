/** The card of a take in the panel of the line: play, checks, marks and note. */
import * as player from "../audio/player.js";
import { seekable, Waveform } from "../audio/waveform.js";
import { h, icon, iconButton } from "../core/dom.js";
import { clock, seconds } from "../core/format.js";
import { titleOf } from "../core/state.js";
import { TakeSegments } from "../takes/segments.js";
import { speakersOf } from "../takes/voice.js";
import { comment, RATE, toggleMark, togglePlay } from "./acts.js";
import { digitOf } from "./line-takes.js";
import { projectPath } from "./state.js";
import { TakeChecks } from "./take-checks.js";
import { chooseTake, selectAll, view } from "./view.js";
import { voiceName } from "./voices.js";

/** @import { Modifiers } from "../core/selection.js" */

const MARKS = /** @type {const} */ ([
  ["select", "Select", "check", "S"],
  ["hold", "Hold", "pausemark", "H"],
  ["retake", "Retake", "flag", "R"],
]);

/**
 * Actions of a click that selects several takes.
 * @typedef {{press: (id: string, how: Modifiers) => void, toggle: (id: string) => void}} Several
 */

/** @param {number} score */
const best = (score) => `Suggested: this take did best in the checks (${score.toFixed(2)}).`;

export class TakeCard {
  /** @param {LineTake} take @param {ScriptLine} line @param {Several} several */
  constructor(take, line, several) {
    this.take = take;
    this.several = several;
    this.line = line;
    this.drawn = "";
    this.digit = h("kbd.take-digit");
    this.play = iconButton("play", "Play", () => this.#choose(() => togglePlay(this.take)));
    this.play.classList.add("play");
    this.waveform = new Waveform().show({ peaks: take.peaks });
    this.time = h("span.readout.time");
    this.facts = h("span.facts");
    this.tick = iconButton("box", "Tick take", () => this.several.toggle(this.take.id), { "aria-pressed": "false" });
    this.voice = h("b.take-voice");
    this.checks = new TakeChecks();
    this.nameOf = (/** @type {string} */ voice) => voiceName(voice || this.take.voice);
    const path = projectPath(`/takes/${take.id}`);
    this.segments = new TakeSegments({ key: take.id, path, rate: RATE, nameOf: this.nameOf }, take.segments);
    this.marks = MARKS.map(([name, words, sign]) => this.#mark(name, words, sign));
    this.comment = this.#comment();
    this.element = this.#card();
    this.updateSlider = seekable(this.waveform, "Position in the take", {
      at: () => player.positionOf(this.take.id),
      length: () => this.take.duration_s,
      seek: (at_s) => player.seek(this.take.id, at_s),
      words: () => `${clock(player.positionOf(this.take.id))} of ${seconds(this.take.duration_s)}`,
    });
    this.drawPlayer();
  }

  #card() {
    return h(
      "li.line-take",
      {
        "data-take": this.take.id,
        onclick: (event) => this.#press(event), // not on pointerdown, because a redraw could move the card before the click
        onmousedown: (event) => event.shiftKey && event.preventDefault(), // prevents a text selection
      },
      h(
        "div.take-top",
        {},
        ...[this.digit, this.play, this.waveform.element, this.time, this.tick],
        h("div.take-marks", {}, ...this.marks),
      ),
      this.comment, // above the parts whose height changes
      this.checks.element,
      h("p.take-who", {}, this.voice, this.facts),
      ...this.segments.elements,
    );
  }

  /** @param {MouseEvent} event */
  #press(event) {
    const { target, shiftKey, ctrlKey, metaKey } = event;
    const several = shiftKey || ctrlKey || metaKey;
    if (several || !(/** @type {Element} */ (target).closest("button, input, a, summary, [role=slider]")))
      this.several.press(this.take.id, event);
    this.#choose();
  }

  /** @param {boolean} ticked  whether the take is one of the ticked takes */
  mark(ticked) {
    this.element.classList.toggle("ticked", ticked);
    if (this.tick.getAttribute("aria-pressed") === String(ticked)) return;
    this.tick.setAttribute("aria-pressed", String(ticked));
    this.tick.replaceChildren(icon(ticked ? "boxed" : "box"));
  }

  /** @param {() => unknown} act */
  #choose(act = () => {}) {
    chooseTake(this.line, this.take);
    return act();
  }

  /** @param {"select" | "hold" | "retake"} name @param {string} words @param {"check" | "pausemark" | "flag"} sign */
  #mark(name, words, sign) {
    const onclick = () => {
      selectAll(false); // the mark applies only to this take
      this.#choose(() => toggleMark(name));
    };
    return h("button.quiet.small", { type: "button", onclick }, icon(sign), words);
  }

  #comment() {
    const input = h("input.take-comment", {
      type: "text",
      placeholder: "Note",
      "aria-label": "Note on this take",
      maxlength: 2000,
    });
    input.addEventListener("change", () => this.keepComment());
    input.addEventListener("focus", () => this.#choose()); // so that a new take does not replace it as the chosen take
    input.addEventListener("keydown", (event) => {
      if (event.key === "Escape") input.value = this.take.comment;
      if (event.key !== "Enter" && event.key !== "Escape") return;
      event.stopPropagation();
      input.blur();
      /** @type {HTMLElement | null} */ (
        document.querySelector(".line-grid .line-row:not(.head) [tabindex='0']")
      )?.focus();
    });
    return input;
  }

  /** Save the note as it is typed. */
  keepComment() {
    if (this.comment.value !== this.take.comment) comment(this.line, this.take, this.comment.value);
  }

  /** @param {LineTake} take @param {ScriptLine} line @param {boolean} chosen */
  update(take, line, chosen) {
    this.take = take;
    this.line = line;
    const voices = speakersOf(this.nameOf, take.segments);
    this.element.classList.toggle("chosen", chosen);
    if (chosen) this.element.setAttribute("aria-current", "true");
    else this.element.removeAttribute("aria-current");
    const drawn = JSON.stringify([
      take.mark,
      take.comment,
      take.stale,
      take.changed,
      take.proposed,
      take.score,
      take.checks,
      view.blind,
      line.takes.length,
      voices,
      titleOf(take.engine),
    ]);
    if (drawn === this.drawn) return;
    this.drawn = drawn;
    const digit = digitOf(line, take, view.blind);
    this.digit.textContent = String(digit);
    this.element.setAttribute("aria-label", `Take ${digit}`);
    for (const [at, button] of this.marks.entries()) drawMark(button, MARKS[at], take.mark);
    if (!this.comment.matches(":focus")) this.comment.value = take.comment;
    this.facts.replaceChildren(...this.#facts());
    this.voice.textContent = view.blind ? `Take ${digit}` : voices;
    this.segments.update(view.blind);
    this.checks.show(take, view.blind);
  }

  #facts() {
    const { engine, seed, length_s, stale, changed, proposed, score } = this.take;
    const fact = (/** @type {string} */ words, title = "") => h("span.fact", title ? { title } : {}, words);
    const told = [fact(titleOf(engine), "Engine"), fact(`seed ${seed}`)];
    return [
      fact(seconds(length_s), "Length of the delivered file"),
      ...(view.blind ? [] : told),
      stale && h("span.fact.stale", { title: "Changed after this take was rendered" }, `stale: ${changed.join(", ")}`),
      proposed && score !== null && !view.blind && h("span.fact.proposed", { title: best(score) }, "suggested"),
    ].filter((one) => one !== false);
  }

  drawPlayer() {
    const sounds = player.isPlaying(this.take.id);
    if (this.play.ariaLabel !== (sounds ? "Pause" : "Play")) {
      this.play.replaceChildren(icon(sounds ? "pause" : "play"));
      this.play.ariaLabel = this.play.title = sounds ? "Pause" : "Play";
    }
    this.segments.drawPlayer();
    this.drawPlayhead();
  }

  drawPlayhead() {
    const at = player.positionOf(this.take.id);
    const played = at / this.take.duration_s;
    if (played === this.waveform.played && this.time.textContent) return;
    this.waveform.show({ played });
    this.time.textContent = at ? clock(at) : seconds(this.take.length_s);
    this.updateSlider();
  }
}

/** @param {HTMLElement} button @param {(typeof MARKS)[number]} what @param {Mark} mark  the mark of the take */
function drawMark(button, [name, , , key], mark) {
  const pressed = name === mark;
  button.setAttribute("aria-pressed", String(pressed));
  button.setAttribute("aria-keyshortcuts", pressed ? "U" : key);
  button.title = pressed ? "Remove mark (U)" : `Mark as ${name} (${key})`;
}
