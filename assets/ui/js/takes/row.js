/** The row of a take: play, star, compare, reuse, download, keep and delete. */
import * as player from "../audio/player.js";
import { load } from "../audio/tracks.js";
import { seekable, Waveform } from "../audio/waveform.js";
import { openKeeper } from "../champions/editor.js";
import { isInTray, toggleCompare } from "../compare/tray.js";
import { h, icon, iconButton } from "../core/dom.js";
import { clock, fine, languageName, seconds } from "../core/format.js";
import { attempt } from "../core/login.js";
import { restore, select, state, titleOf } from "../core/state.js";
import { toast } from "../core/toast.js";
import { reuseDesign } from "../speak/design.js";
import { reuseRecording } from "../speak/performance.js";
import { speak } from "../speak/synthesis.js";
import { downloadMenu } from "./export.js";
import { TakeSegments } from "./segments.js";
import { isChosen, press, toggleChosen } from "./selection.js";
import { audioOf, discard, star } from "./takes.js";
import { lineOf, nameOf, voicesOf } from "./voice.js";
import { WordMarks } from "./word-marks.js";
import { TakeWords } from "./words.js";

export class TakeRow {
  /** @param {Take} take */
  constructor(take) {
    this.take = take;
    this.sounds = false;
    this.star = iconButton("star", "Star take", () => star(this.take.id), { "aria-pressed": "false" });
    this.play = iconButton("play", "Play take", () => this.toggle());
    this.play.classList.add("play");
    this.waveform = new Waveform();
    this.time = h("span.readout.time");
    this.text = h("button.take-text", { type: "button", onclick: () => this.#unfold() }, lineOf(take.order));
    this.folder = h("span.fact", { title: "Folder" });
    this.voice = h("span.fact.take-voice", { title: "Voice" });
    this.engine = h("span.fact", { title: take.checkpoint });
    this.tick = iconButton("box", "Tick take", () => toggleChosen(this.take.id), { "aria-pressed": "false" });
    this.compare = iconButton("compare", "Add to Compare", () => toggleCompare(this.take.id), {
      "aria-pressed": "false",
    });
    this.words = new TakeWords(take);
    this.segments = segmentsOf(take);
    this.marks = new WordMarks(this.text, take);
    this.element = this.#row();
    new ResizeObserver(() => this.#drawText()).observe(this.text);
    this.updateSlider = seekable(this.waveform, "Playback position", {
      at: () => player.positionOf(this.take.id),
      length: () => this.take.duration_s,
      seek: (at_s) => player.seek(this.take.id, at_s),
      words: () => `${clock(player.positionOf(this.take.id))} of ${seconds(this.take.duration_s)}`,
    });
    this.waveform.show({ peaks: take.peaks });
  }

  #row() {
    return h(
      "li.take",
      {
        tabindex: "-1",
        onfocusin: () => state.selected !== this.take.id && select(this.take.id),
        onpointerdown: (event) => this.#press(event),
        // Shift and click selects takes, so it must not select text.
        onmousedown: (event) => event.shiftKey && event.preventDefault(),
      },
      this.star,
      this.play,
      this.text,
      this.#actions(),
      h("div.take-wave", {}, this.waveform.element, this.time),
      ...this.#facts(),
    );
  }

  /** @param {PointerEvent} event */
  #press(event) {
    const { target, shiftKey, ctrlKey, metaKey } = event;
    const several = shiftKey || ctrlKey || metaKey;
    if (several || !(/** @type {Element} */ (target).closest("button, a, [role=slider]"))) press(this.take.id, event);
    else select(this.take.id);
  }

  /** Show the full text, or one line of it. */
  #unfold() {
    this.element.classList.toggle("whole");
    this.#drawText();
  }

  #drawText() {
    const whole = this.element.classList.contains("whole");
    const cut = whole || this.text.scrollWidth > this.text.clientWidth;
    this.text.disabled = !cut;
    this.text.title = whole || !cut ? "" : "Show full text";
    if (cut) this.text.setAttribute("aria-expanded", String(whole));
    else this.text.removeAttribute("aria-expanded");
  }

  #facts() {
    const { order, cost, duration_s } = this.take;
    const fact = (/** @type {string} */ text, /** @type {string} */ title) => h("span.fact", { title }, text);
    return [
      h(
        "p.facts",
        {},
        this.voice,
        this.folder,
        this.engine,
        ...(order.language ? [fact(languageName(order.language), "Language of the text")] : []),
        fact(`seed ${order.seed}`, "The same seed and settings give the same take"),
        fact(seconds(duration_s), "Length"),
        fact(`TTFA ${fine(cost.ttfa_s)}`, "Time to first audio (TTFA)"),
        fact(
          `RTF ${cost.rtf.toFixed(2)}`,
          "Real-time factor: computing time divided by audio length. Below 1 is faster than real time.",
        ),
      ),
      ...(this.take.notes ?? []).map((note) => h("p.take-note", {}, icon("warn"), note)),
      ...this.words.elements,
      ...this.segments.elements,
    ];
  }

  #actions() {
    return h(
      "div.take-actions",
      {},
      this.tick,
      // The seed does not change a take of a recording.
      ...(this.take.order.performance
        ? []
        : [
            iconButton(
              "again",
              this.take.order.design ? "New voice from this description" : "New take with a random seed",
              () => this.reroll(),
            ),
          ]),
      iconButton("settings", "Use this text, voice and settings again", () => this.use()),
      this.compare,
      downloadMenu(this.take),
      iconButton("champion", "Keep as champion", () => openKeeper(this.take.id), { "data-owners": true }),
      iconButton("trash", "Delete take", () => discard([this.take.id])),
    );
  }

  /** @param {Take} take  from the server */
  update(take) {
    this.take = take;
    this.star.setAttribute("aria-pressed", String(take.starred));
    this.star.title = take.starred ? "Remove star" : "Star take";
    this.folder.textContent = take.folder;
    this.folder.hidden = !take.folder;
    this.voice.textContent = voicesOf(take);
    this.voice.hidden = !this.voice.textContent;
    this.segments.update();
    this.words.update(take);
    this.marks.update(take);
    this.mark();
    this.drawEngine();
    this.drawPlayer();
  }

  /** Draw the engine's title, which may be unknown when the row is created. */
  drawEngine() {
    const title = titleOf(this.take.engine);
    if (this.engine.textContent !== title) this.engine.textContent = title;
  }

  mark() {
    const { id } = this.take;
    const chosen = state.selected === id;
    this.element.classList.toggle("selected", chosen);
    if (chosen) this.element.setAttribute("aria-current", "true");
    else this.element.removeAttribute("aria-current");
    this.compare.setAttribute("aria-pressed", String(isInTray(id)));
    const ticked = isChosen(id);
    this.element.classList.toggle("ticked", ticked);
    if (this.tick.getAttribute("aria-pressed") === String(ticked)) return;
    this.tick.setAttribute("aria-pressed", String(ticked));
    this.tick.replaceChildren(icon(ticked ? "boxed" : "box"));
  }

  drawPlayer() {
    const sounds = player.playing() === this.take.id;
    if (sounds !== this.sounds) {
      this.sounds = sounds;
      this.play.replaceChildren(icon(sounds ? "pause" : "play"));
      this.play.setAttribute("aria-label", sounds ? "Pause take" : "Play take");
      this.play.title = sounds ? "Pause take" : "Play take";
    }
    this.segments.drawPlayer();
    this.drawPlayhead();
  }

  drawPlayhead() {
    const at = player.positionOf(this.take.id);
    const played = at / this.take.duration_s;
    this.marks.drawPlayhead();
    if (played === this.waveform.played && this.time.textContent) return;
    this.waveform.show({ played });
    this.time.textContent = `${clock(at)} / ${clock(this.take.duration_s)}`;
    this.updateSlider();
  }

  async toggle() {
    const { id, sample_rate } = this.take;
    if (player.playing() === id) return player.stop();
    return attempt(async () => player.play(id, await load(audioOf(this.take), sample_rate)));
  }

  reroll() {
    if (this.take.order.performance) return toast("A new seed has no effect on a take of a recording.");
    return speak({ ...this.take.order, seed: null });
  }

  use() {
    return attempt(async () => {
      const { performance, text, design } = this.take.order;
      await restore(this.take.order);
      if (performance) await reuseRecording(performance, text);
      if (design) reuseDesign(design);
      toast(
        design
          ? "Text, description and settings loaded from the take."
          : "Text, voice and settings loaded from the take.",
      );
    });
  }
}

/** @param {Take} take */
function segmentsOf({ id, order, sample_rate, segments }) {
  const nameIn = (/** @type {string} */ voice) => nameOf(voice, order);
  return new TakeSegments({ key: id, path: `/studio/takes/${id}`, rate: sample_rate, nameOf: nameIn }, segments);
}
