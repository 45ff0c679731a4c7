/** A champion's reference: play button and waveform, in which a click seeks. */
import * as player from "../audio/player.js";
import { load } from "../audio/tracks.js";
import { seekable, Waveform } from "../audio/waveform.js";
import { follow } from "../core/bus.js";
import { h, icon, iconButton } from "../core/dom.js";
import { STATE } from "../core/events.js";
import { clock, seconds } from "../core/format.js";
import { attempt } from "../core/login.js";
import { pathOf } from "./library.js";

const RATE = 48000; // sample rate for references
/** The reference of each element. @type {WeakMap<Element, Reference>} */
const references = new WeakMap();
/** @param {(reference: Reference) => void} draw */
const each = (draw) => {
  for (const element of document.querySelectorAll(".reference")) {
    const reference = references.get(element);
    if (reference) draw(reference);
  }
};
follow(STATE.player, () => each((reference) => reference.draw()));
follow(STATE.playhead, () => each((reference) => reference.drawPlayhead()));

export class Reference {
  /** @param {Champion} champion  a version of a champion */
  constructor(champion) {
    this.champion = champion;
    this.at = -1; // the position that is shown
    this.waveform = new Waveform().show({ peaks: champion.peaks });
    this.button = iconButton("play", "Play reference", () => this.toggle());
    this.button.classList.add("play");
    this.time = h("span.readout.time");
    this.element = h("div.reference", {}, this.button, this.waveform.element, this.time);
    references.set(this.element, this);
    this.updateSlider = seekable(this.waveform, `Playback position, reference of ${champion.title}`, {
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
    const path = pathOf(id, `/reference.wav?version=${version}`);
    return attempt(async () => player.play(this.key, await load(path, RATE)));
  }

  draw() {
    const sounds = player.isPlaying(this.key);
    this.button.replaceChildren(icon(sounds ? "pause" : "play"));
    this.button.setAttribute("aria-label", sounds ? "Pause reference" : "Play reference");
    this.button.title = sounds ? "Pause reference" : "Play reference";
    this.drawPlayhead();
  }

  drawPlayhead() {
    const at = player.positionOf(this.key);
    if (at === this.at) return;
    this.at = at;
    this.waveform.show({ played: at / this.champion.duration_s });
    this.time.textContent = at ? clock(at) : seconds(this.champion.duration_s);
    this.updateSlider();
  }
}
