/**
 * Marks in the text of a take: words that were not heard as written, and the word that is playing. They use
 * CSS.highlights, so the text stays one text node.
 */
import * as player from "../audio/player.js";
import { get } from "../core/server.js";
import { lostIndices, placesOf, wordAt } from "./heard.js";

/** @import { TimedWord } from "./heard.js" */

const highlights = "highlights" in CSS ? CSS.highlights : null; // older browsers show no marks
const lost = registered("lost-word");
const played = registered("played-word");

/** Marks that were not in view yet, by their element. @type {WeakMap<Element, WordMarks>} */
const unseen = new WeakMap();
const views = new IntersectionObserver((entries) => {
  for (const { target, isIntersecting } of entries) if (isIntersecting) unseen.get(target)?.show();
});

/** @param {string} name */
function registered(name) {
  if (!highlights) return null;
  const highlight = new Highlight();
  highlights.set(name, highlight);
  return highlight;
}

export class WordMarks {
  /** @param {HTMLElement} element  contains only the text @param {Take} take */
  constructor(element, take) {
    this.element = element;
    this.take = take;
    this.shown = ""; // JSON of the data that the marks show
    /** @type {TimedWord[]} */ this.words = [];
    /** @type {(Range | null)[]} */ this.ranges = [];
    /** @type {Range[]} */ this.lost = [];
    this.now = -1; // index of the word that is playing
  }

  /** @param {Take} take */
  update(take) {
    this.take = take;
    if (!take.heard || JSON.stringify(take.heard) === this.shown) return;
    unseen.set(this.element, this);
    views.unobserve(this.element); // observe it again, so that the observer reports whether it is in view
    if (lostIndices(take.heard).length) views.observe(this.element);
  }

  /** Mark the words that were not heard. */
  async show() {
    views.unobserve(this.element);
    await this.#load();
  }

  drawPlayhead() {
    const playing = player.playing() === this.take.id;
    if (playing && !this.shown) this.#load();
    const now = playing ? wordAt(this.words, player.positionOf(this.take.id)) : -1;
    if (now === this.now) return;
    this.#mark(played, this.ranges[this.now], false);
    this.now = now;
    this.#mark(played, this.ranges[now], true);
    this.#reveal(this.ranges[now], playing);
  }

  /** Remove the marks together with the row. */
  remove() {
    views.unobserve(this.element);
    for (const range of this.lost) lost?.delete(range);
    this.#mark(played, this.ranges[this.now], false);
  }

  async #load() {
    const { heard } = this.take;
    if (!heard || !highlights) return;
    this.shown = JSON.stringify(heard);
    /** @type {(HeardTake & {words: TimedWord[]}) | null} */
    const found = await get(`/studio/takes/${this.take.id}/heard`).catch(() => null);
    if (!found || this.take.heard !== heard) return;
    this.remove();
    const text = this.element.firstChild;
    if (!text) return;
    this.words = found.words;
    this.now = -1;
    this.ranges = placesOf(text.textContent ?? "", found.words).map((place) => place && rangeOf(text, place));
    this.lost = lostIndices(found).flatMap((index) => this.ranges[index] ?? []);
    for (const range of this.lost) lost?.add(range);
  }

  /** @param {Highlight | null} highlight @param {Range | null | undefined} range @param {boolean} on */
  #mark(highlight, range, on) {
    if (!highlight || !range) return;
    if (on) highlight.add(range);
    else highlight.delete(range);
  }

  /** Scroll a single-line text to the word, and after playback to its start. @param {Range | null | undefined} range */
  #reveal(range, playing = true) {
    if (this.element.scrollWidth <= this.element.clientWidth) return;
    if (!playing) this.element.scrollLeft = 0;
    else if (range) {
      const [word, line] = [range.getBoundingClientRect(), this.element.getBoundingClientRect()];
      if (word.left < line.left || word.right > line.right) this.element.scrollLeft += word.left - line.left;
    }
    // Browsers do not draw the text after an ellipsis, even if it is scrolled into view.
    this.element.style.textOverflow = this.element.scrollLeft ? "clip" : "";
  }
}

/** @param {Node} text @param {[number, number]} place */
function rangeOf(text, [start, end]) {
  const range = new Range();
  range.setStart(text, start);
  range.setEnd(text, end);
  return range;
}
