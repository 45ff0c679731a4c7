/** A sentence to read aloud during a recording. It becomes the transcript, unless the user chooses own words. */
import { h } from "../core/dom.js";

// Each takes six to ten seconds to read, has the sounds of English and a question, and no names or numbers.
const SENTENCES = [
  "The old harbour wakes before dawn. Ropes creak, gulls call, and someone is already laughing by the water. Will you join us?",
  "I packed a small bag, closed the heavy door, and walked toward the hills. Who would have thought the road could be so quiet?",
  "Bring the lantern closer, please. There is a strange mark on this map, and I think it shows a way under the river.",
  "We waited all night for the storm to pass. In the morning the whole valley shone, fresh and bright, as if nothing had happened.",
];

let next = 0;

export class SentenceToRead {
  constructor() {
    this.text = h("p.read-aloud", { lang: "en" });
    this.other = button("Another sentence", () => this.#show(true));
    this.own = button("Use my own words", () => this.#show(!this.isOffered));
    this.element = h(
      "div.sentence-to-read",
      {},
      h("p.label", {}),
      this.text,
      h("div.sentence-choices", {}, this.other, this.own),
    );
    this.isOffered = true;
    this.#show(true);
  }

  /** Return the sentence; empty if the user chose own words. */
  get words() {
    return this.isOffered ? (this.text.textContent ?? "") : "";
  }

  /** @param {boolean} offered */
  #show(offered) {
    this.isOffered = offered;
    if (offered) {
      this.text.textContent = SENTENCES[next % SENTENCES.length];
      next += 1;
    }
    const label = this.element.querySelector(".label");
    if (label) label.textContent = offered ? "Read this aloud:" : "Say anything. The studio transcribes the recording.";
    this.text.hidden = this.other.hidden = !offered;
    this.own.textContent = offered ? "Use my own words" : "Show sentence";
  }
}

/** @param {string} words @param {() => void} onclick */
function button(words, onclick) {
  return h("button.quiet.small", { type: "button", onclick }, words);
}
