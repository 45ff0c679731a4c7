/** A long task in the strip: progress, a link to its page, and buttons. */
import { h } from "../core/dom.js";

export class Task {
  /** @param {string} label @param {(event: Event) => unknown} open  opens its page @param {HTMLElement[]} buttons */
  constructor(label, open, buttons) {
    this.fill = h("i");
    this.bar = h("span.progress", { "aria-hidden": "true" }, this.fill);
    this.words = h("span.task-words");
    this.link = h("a.task-link", { href: "#speak", onclick: open }, this.bar, this.words);
    this.element = h("div.task", { role: "group", "aria-label": label, hidden: true }, this.link, ...buttons);
  }

  /**
   * Update the existing elements, so that the focus stays.
   * @param {{words: string, share?: number, hint?: string} | null} task
   */
  draw(task) {
    this.element.hidden = !task;
    if (!task) return;
    const { words, share, hint = "" } = task;
    if (this.words.textContent !== words) this.words.textContent = words;
    this.link.title = hint;
    this.bar.hidden = share === undefined;
    this.fill.style.transform = `scaleX(${share ?? 0})`;
  }
}
