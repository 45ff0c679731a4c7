/** The parts of a take with several voices. Each part can be played and downloaded alone. */
import * as player from "../audio/player.js";
import { load } from "../audio/tracks.js";
import { h, icon, iconButton } from "../core/dom.js";
import { clock, plural } from "../core/format.js";
import { attempt } from "../core/login.js";

/**
 * A take: its key in the player, its route, its sample rate, and the name of the voice of a part.
 * @typedef {{key: string, path: string, rate: number, nameOf: (voice: string) => string}} Source
 */

export class TakeSegments {
  /** @param {Source} source @param {Segment[]} [segments] */
  constructor(source, segments = []) {
    this.source = source;
    this.segments = segments;
    this.playing = "";
    /** @type {HTMLElement[]} */ this.buttons = [];
    this.names = segments.map(() => h("b"));
    const parts = h("ol", {}, ...segments.map((segment, place) => this.#part(segment, place)));
    const all = h("a.quiet.small", { href: `${source.path}/segments.zip`, download: "" }, "Download all parts");
    this.elements = segments.length
      ? [h("details.take-segments", {}, h("summary", {}, plural(segments.length, "part")), parts, all)]
      : [];
    this.update();
  }

  /** Draw the names of the voices, which may be unknown when the parts are created. */
  update(hidden = false) {
    for (const element of this.elements) element.hidden = hidden;
    for (const [place, { voice }] of this.segments.entries()) this.names[place].textContent = this.source.nameOf(voice);
  }

  /** @param {Segment} segment @param {number} place */
  #part({ text, start_s, end_s }, place) {
    const button = iconButton("play", `Play part ${place + 1}`, () => this.#toggle(place));
    this.buttons.push(button);
    return h(
      "li",
      {},
      button,
      h("span", {}, this.names[place], " ", text),
      h("span.readout", {}, `${clock(start_s)}–${clock(end_s)}`),
      h(
        "a.icon-button",
        {
          href: `${this.#audio(place)}&download=1`,
          download: "",
          title: "Download part",
          "aria-label": `Download part ${place + 1}`,
        },
        icon("download"),
      ),
    );
  }

  /** @param {number} place */
  #audio(place) {
    return `${this.source.path}/audio.wav?segment=${place}`;
  }

  /** @param {number} place */
  #toggle(place) {
    const key = `${this.source.key}/${place}`;
    if (player.playing() === key) return player.stop();
    return attempt(async () => player.play(key, await load(this.#audio(place), this.source.rate), 0));
  }

  /** Show which part is played. */
  drawPlayer() {
    const now = player.playing() ?? "";
    if (now === this.playing) return;
    this.playing = now;
    for (const [place, button] of this.buttons.entries()) {
      const sounds = now === `${this.source.key}/${place}`;
      button.replaceChildren(icon(sounds ? "pause" : "play"));
      button.setAttribute("aria-label", `${sounds ? "Pause" : "Play"} part ${place + 1}`);
    }
  }
}
