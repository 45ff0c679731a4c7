/** The parts of a take with several voices. Each part can be played and downloaded alone. */
import * as player from "../audio/player.js";
import { load } from "../audio/tracks.js";
import { h, icon, iconButton } from "../core/dom.js";
import { clock, plural } from "../core/format.js";
import { attempt } from "../core/login.js";
import { nameOf } from "./voice.js";

/** @typedef {{voice: string, text: string, start_s: number, end_s: number}} Segment */

export class TakeSegments {
  /** @param {Take} take */
  constructor(take) {
    this.take = take;
    this.playing = "";
    /** @type {HTMLElement[]} */ this.buttons = [];
    const segments = take.segments ?? [];
    const parts = h("ol", {}, ...segments.map((segment, place) => this.#part(segment, place)));
    const all = h(
      "a.quiet.small",
      { href: `/studio/takes/${take.id}/segments.zip`, download: "" },
      "Download all parts",
    );
    this.elements = segments.length
      ? [h("details.take-segments", {}, h("summary", {}, plural(segments.length, "part")), parts, all)]
      : [];
  }

  /** @param {Segment} segment @param {number} place */
  #part({ voice, text, start_s, end_s }, place) {
    const name = nameOf(voice, this.take.order);
    const button = iconButton("play", `Play part ${place + 1}`, () => this.#toggle(place));
    this.buttons.push(button);
    return h(
      "li",
      {},
      button,
      h("span", {}, h("b", {}, name), " ", text),
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
    return `/studio/takes/${this.take.id}/audio.wav?segment=${place}`;
  }

  /** @param {number} place */
  #toggle(place) {
    const key = `${this.take.id}/${place}`;
    if (player.playing() === key) return player.stop();
    return attempt(async () => player.play(key, await load(this.#audio(place), this.take.sample_rate), 0));
  }

  /** Show which part is played. */
  drawPlayer() {
    const now = player.playing() ?? "";
    if (now === this.playing) return;
    this.playing = now;
    for (const [place, button] of this.buttons.entries()) {
      const sounds = now === `${this.take.id}/${place}`;
      button.replaceChildren(icon(sounds ? "pause" : "play"));
      button.setAttribute("aria-label", `${sounds ? "Pause" : "Play"} part ${place + 1}`);
    }
  }
}
