/** A champion's reference, to look at and to hear: a press plays it, a press on the waveform seeks. */
import { follow } from "./bus.js";
import { h, icon, iconButton } from "./dom.js";
import { attempt } from "./login.js";
import * as player from "./player.js";
import { load } from "./tracks.js";
import { Waveform, seekable } from "./waveform.js";
import { clock, seconds } from "./words.js";

const RATE = 48000; // of the context references are heard at
const references = new WeakMap(); // element -> Reference, of those on the page
const each = (act) => document.querySelectorAll(".reference").forEach((element) => references.get(element)[act]());
follow("player", () => each("draw"));
follow("playhead", () => each("drawPlayhead"));

export class Reference {
  /** @param {import("./state.js").Champion} champion  one version of it */
  constructor(champion) {
    this.champion = champion;
    this.waveform = new Waveform().show({ peaks: champion.peaks });
    this.button = iconButton("play", "Play the reference", () => this.toggle());
    this.button.classList.add("play");
    this.time = h("span.readout.time");
    this.element = h("div.reference", {}, this.button, this.waveform.element, this.time);
    references.set(this.element, this);
    this.tell = seekable(this.waveform, `Position in the reference of ${champion.title}`, {
      at: () => player.positionOf(this.key),
      length: () => champion.duration_s,
      seek: (at_s) => player.seek(this.key, at_s),
      words: () => `${clock(player.positionOf(this.key))} of ${seconds(champion.duration_s)}`,
    });
    this.draw();
  }

  get key() {
    return `champion ${this.champion.id} ${this.champion.version}`;
  }

  async toggle() {
    if (player.isPlaying(this.key)) return player.stop();
    const { id, version } = this.champion;
    const path = `/studio/champions/${id}/reference.wav?version=${version}`;
    await attempt(async () => player.play(this.key, await load(path, RATE)));
  }

  draw() {
    const sounds = player.isPlaying(this.key);
    this.button.replaceChildren(icon(sounds ? "pause" : "play"));
    this.button.setAttribute("aria-label", sounds ? "Pause" : "Play the reference");
    this.button.title = sounds ? "Pause" : "Play the reference";
    this.drawPlayhead();
  }

  drawPlayhead() {
    const at = player.positionOf(this.key);
    if (at === this.at) return;
    this.at = at;
    this.waveform.show({ played: at / this.champion.duration_s });
    this.time.textContent = at ? clock(at) : seconds(this.champion.duration_s);
    this.tell();
  }
}
